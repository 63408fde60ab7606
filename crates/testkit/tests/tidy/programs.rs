//! One way to start a program outside a sandbox, and the list of all that are started: each with what it reads that an
//! agent could have written.

use crate::{repository::Repository, shape::outside_tests, words::code_lines};

/// Files that start processes themselves, and what.
const STARTERS: [(&str, &str); 8] = [
    ("crates/ralph-engine/src/outside.rs", "the one way"),
    (
        "crates/ralph-engine/src/git/command.rs",
        "git, and through it what signs commits, which git/sign.rs finds outside, with settings that git/users_settings.rs \
         has read; the rule of git's own",
    ),
    ("crates/ralph-engine/src/git/enclosed.rs", "git in its sandbox; the rule of git's own"),
    ("crates/ralph-engine/src/git/room.rs", "git in a sandbox that is kept; the rule of git's own"),
    ("crates/ralph-engine/src/process/launch.rs", "ralph's own shim"),
    (
        "crates/ralph-engine/src/process/tend.rs",
        "the shim's job: in a sandbox, or from a caller below",
    ),
    (
        "crates/ralph-engine/src/sandbox/layers.rs",
        "ralph's own mount helper, with an empty environment",
    ),
    ("crates/ralph-engine/src/sandbox/stage.rs", "bubblewrap, from ralph's own mount helper"),
];

/// Words by which a file starts something outside a sandbox.
const STARTS: [&str; 4] = [
    ".command_for(",
    "outside::ralph_itself(",
    "outside::bubblewrap_command(",
    "ProcessSpec::outside(",
];

/// A caller: its file, what it starts, and what that reads which an agent could have written.
pub(crate) struct Caller(pub(crate) &'static str, pub(crate) &'static str, pub(crate) &'static str);

/// Every caller. Who adds a line answers the last question for the program, its settings, its variables, and its folder.
pub(crate) const CALLERS: [Caller; 14] = [
    Caller(
        "crates/ralph-engine/src/git/enclosed.rs",
        "bwrap around git",
        "nothing: it reads its arguments",
    ),
    Caller(
        "crates/ralph-engine/src/git/outward.rs",
        "git push; the command of scm.command",
        "push: nothing, settings and variables of git and settings of ssh that lead to agents' files refuse it. \
         Another scm.command: the worktree, because the user asked for it there",
    ),
    Caller("crates/ralph-engine/src/live/scm.rs", "what git/outward.rs made", "see there"),
    Caller(
        "crates/ralph-engine/src/network/registries/ask.rs",
        "bwrap around package managers",
        "nothing: their sandbox has no folder that agents write",
    ),
    Caller(
        "crates/ralph-engine/src/notify/program.rs",
        "notification programs",
        "the message, as data on stdin or an argument",
    ),
    Caller("crates/ralph-engine/src/sandbox/bubblewrap.rs", "bwrap --version", "nothing"),
    Caller("crates/ralph-engine/src/sandbox/group.rs", "/bin/sh with a fixed line", "nothing"),
    Caller("crates/ralph/src/cli/fleet.rs", "ralph-fleet", "the project, as ralph itself"),
    Caller(
        "crates/ralph/src/cli/plan/gh.rs",
        "gh",
        "git's settings of the repository, which agents cannot write",
    ),
    Caller(
        "crates/ralph/src/session/background.rs",
        "ralph itself",
        "the project, as ralph itself",
    ),
    Caller(
        "crates/ralph/src/session/planning/edit.rs",
        "the user's editor",
        "the draft of the plan, as JSON that ralph wrote",
    ),
    Caller(
        "crates/ralph/src/session/probe.rs",
        "agents: version and login",
        "nothing: they start in the user's home",
    ),
    Caller(
        "crates/ralph/src/session/watch_key.rs",
        "ralph itself: ralph watch",
        "the project, as ralph itself",
    ),
    Caller(
        "crates/ralph/src/watch/pager.rs",
        "the user's pager",
        "text on stdin, without control characters",
    ),
];

/// Programs are started by the files that may, and outside a sandbox by callers that are listed.
pub(crate) fn one_way(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for (path, text) in sources(repository) {
        let lines = || code_lines(outside_tests(path, text));
        if !STARTERS.iter().any(|(file, _)| *file == path) {
            let found = lines().filter(|(_, line)| {
                line.contains("Command::new(") && !line.contains("clap::Command::new(")
            });
            findings.extend(found.map(|(number, _)| {
                format!("{path}:{number}: programs are started through {}", STARTERS[0].0)
            }));
        }
        if !CALLERS.iter().any(|caller| caller.0 == path) {
            findings.extend(lines().filter(|(_, line)| starts(line)).map(|(number, _)| {
                format!("{path}:{number}: CALLERS does not say what this program reads that an agent could have written")
            }));
        }
    }
    findings
}

/// Every line of the two lists is about a file that still starts something.
pub(crate) fn lists_are_current(repository: &Repository) -> Vec<String> {
    let is_used = |file: &str, words: &[&str]| {
        sources(repository).any(|(path, text)| {
            path == file
                && code_lines(outside_tests(path, text))
                    .any(|(_, line)| words.iter().any(|word| line.contains(word)))
        })
    };
    let starters =
        STARTERS.iter().map(|(file, _)| *file).filter(|file| !is_used(file, &["Command::new("]));
    let callers = CALLERS.iter().map(|caller| caller.0).filter(|file| !is_used(file, &STARTS));
    starters.chain(callers).map(|file| format!("{file} starts nothing any more")).collect()
}

fn starts(line: &str) -> bool {
    STARTS.iter().any(|word| line.contains(word))
}

fn sources(repository: &Repository) -> impl Iterator<Item = (&str, &str)> {
    let of = |folder| repository.rust_below(folder);
    let all = of("crates/ralph/src/").chain(of("crates/ralph-engine/src/"));
    all.filter(|(path, _)| !path.ends_with("_tests.rs") && !path.contains("/tests/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_started_otherwise_or_by_a_caller_without_an_answer_is_found() {
        let planted = Repository::planted(&[
            ("crates/ralph/src/a.rs", "//! A.\nlet child = Command::new(pager);\n"),
            ("crates/ralph-engine/src/b.rs", "//! B.\nstd::process::Command::new(\"npm\");\n"),
            ("crates/ralph-engine/src/outside.rs", "Command::new(program)\n"),
            ("crates/ralph/src/c.rs", "x\n#[cfg(test)]\nmod tests {\nCommand::new(x)\n}\n"),
            ("crates/ralph/src/d.rs", "//! D.\nprobe::outside(root).command_for(\"jq\");\n"),
            ("crates/ralph/src/e.rs", "//! E.\nlet again = outside::ralph_itself()?;\n"),
            ("crates/ralph/src/f.rs", "//! F.\nclap::Command::new(\"ralph\");\n"),
            ("crates/ralph/src/watch/pager.rs", "outside.command_for(\"less\");\n"),
        ]);
        let found = one_way(&planted);
        let places = ["a.rs:2", "b.rs:2", "d.rs:2", "e.rs:2"];
        assert_eq!(found.len(), places.len(), "{found:?}");
        assert!(
            places.iter().all(|place| found.iter().any(|line| line.contains(place))),
            "{found:?}"
        );
    }

    #[test]
    fn a_line_about_a_file_that_starts_nothing_is_found() {
        let planted = Repository::planted(&[("crates/ralph/src/watch/pager.rs", "//! Nothing.\n")]);
        let found = lists_are_current(&planted);
        assert!(found.iter().any(|line| line.contains("watch/pager.rs")), "{found:?}");
    }

    #[test]
    fn every_caller_says_what_its_program_reads() {
        assert!(CALLERS.iter().all(|Caller(_, what, reads)| !what.is_empty() && reads.len() > 6));
    }
}
