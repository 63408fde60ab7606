//! Every exit code of `ralph`, and what it means. Documented in `docs/exit-codes.md`; never reused.

/// All done; whatever is weaker than proof is labelled.
pub(crate) const DONE: u8 = 0;
/// A limit was reached, or a stop was asked for, with work left.
pub(crate) const UNFINISHED: u8 = 1;
/// Usage, settings or pre-flight.
pub(crate) const USAGE: u8 = 2;
/// Finished, but tasks failed or wait for a person.
pub(crate) const NEEDS_PERSON: u8 = 3;
/// The agent cannot be used.
pub(crate) const AGENT: u8 = 4;
/// Git or the workspace.
pub(crate) const WORKSPACE: u8 = 5;
/// Another run holds the lock.
pub(crate) const LOCKED: u8 = 6;
/// Refused by sandbox or policy.
pub(crate) const REFUSED: u8 = 7;
/// A bug in ralph.
pub(crate) const BUG: u8 = 70;
/// Its terminal is gone.
pub(crate) const HUNG_UP: u8 = 129;
/// Ended by SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;
/// Ended by SIGTERM.
pub(crate) const TERMINATED: u8 = 143;

/// An exit code in words.
pub(crate) fn meaning(code: u8) -> &'static str {
    match code {
        DONE => "all done",
        UNFINISHED => "stopped with work left",
        USAGE => "usage, settings or pre-flight",
        NEEDS_PERSON => "finished, but tasks failed or wait for a person",
        AGENT => "the agent cannot be used",
        WORKSPACE => "git or the workspace is not usable",
        LOCKED => "another run holds the lock",
        REFUSED => "refused by sandbox or policy",
        BUG => "a bug in ralph",
        HUNG_UP => "its terminal was closed (SIGHUP)",
        INTERRUPTED => "interrupted (SIGINT)",
        TERMINATED => "terminated (SIGTERM)",
        _ => "ended by a signal",
    }
}

#[cfg(test)]
mod tests {
    use ralph_core::outcome::Outcome;

    use super::*;

    #[test]
    fn the_core_and_the_constants_agree() {
        let (why, help) = (String::new(), String::new());
        let table = [
            (Outcome::Done, DONE),
            (Outcome::Drafted, DONE),
            (Outcome::Limit { which: why.clone() }, UNFINISHED),
            (Outcome::Stopped, UNFINISHED),
            (Outcome::NeedsPerson { why: why.clone() }, NEEDS_PERSON),
            (Outcome::AgentUnusable { why: why.clone(), help: help.clone() }, AGENT),
            (Outcome::Workspace { why: why.clone(), help: help.clone() }, WORKSPACE),
            (Outcome::Preflight { why: why.clone(), help: help.clone() }, USAGE),
            (Outcome::Refused { why: why.clone(), help }, REFUSED),
            (Outcome::Interrupted { signal: 2 }, INTERRUPTED),
            (Outcome::Interrupted { signal: 15 }, TERMINATED),
            (Outcome::Bug { why }, BUG),
        ];
        for (outcome, code) in table {
            assert_eq!(outcome.exit_code(), code, "{outcome:?}");
        }
    }
}
