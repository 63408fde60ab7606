//! Forty histories of tasks, as a person would judge them: twenty stuck, twenty slow but healthy.

mod healthy;
mod stuck;

pub(super) use healthy::HEALTHY;
pub(super) use stuck::STUCK;

/// What happened to one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setback {
    /// The tests failed on this tree.
    Red { failing: &'static [&'static str], output: &'static str, tree: &'static str },
    /// The agent changed nothing, and the tests fail as they did.
    Idle { failing: &'static [&'static str], output: &'static str },
    /// Nothing failed, but the agent says that it is not finished.
    Unfinished { tree: &'static str },
    /// The tests passed; a reviewer asked for changes.
    Review { findings: &'static str },
}

/// The setbacks of one task.
pub(super) struct History {
    pub(super) name: &'static str,
    pub(super) why: &'static str,
    pub(super) setbacks: &'static [Setback],
    /// The setback at which a person would call it stuck, from 1; `None` is never.
    pub(super) stuck_at: Option<usize>,
}

const fn stuck(
    name: &'static str,
    at: usize,
    why: &'static str,
    setbacks: &'static [Setback],
) -> History {
    History { name, why, setbacks, stuck_at: Some(at) }
}

const fn healthy(name: &'static str, why: &'static str, setbacks: &'static [Setback]) -> History {
    History { name, why, setbacks, stuck_at: None }
}

/// Failing tests that the runner named.
const fn red(
    failing: &'static [&'static str],
    output: &'static str,
    tree: &'static str,
) -> Setback {
    Setback::Red { failing, output, tree }
}

/// A failure without names of tests: a build, a lint, a script.
const fn broken(output: &'static str, tree: &'static str) -> Setback {
    Setback::Red { failing: &[], output, tree }
}

const fn idle(failing: &'static [&'static str], output: &'static str) -> Setback {
    Setback::Idle { failing, output }
}

const fn unfinished(tree: &'static str) -> Setback {
    Setback::Unfinished { tree }
}

const fn review(findings: &'static str) -> Setback {
    Setback::Review { findings }
}
