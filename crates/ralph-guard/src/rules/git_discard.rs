//! Git commands that would throw away the changes of the whole tree, and folders of git in the wrong place.

use super::git_call::Git;
use crate::{
    call::{Call, one_of},
    frame::Frame,
    marks,
    paths::Zone,
};

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    let Some(git) = Git::of(call) else {
        return (call.is("patch") && undoes(call)).then_some("git-discard-all");
    };
    if is_elsewhere(&git, frame) {
        return Some("git-folder-elsewhere");
    }
    let has = |options: &str| git.rest.has(options);
    let is_wide =
        || git.rest.words().iter().any(|word| is_wide(word, frame)) || lists_all(&git.rest, frame);
    let discards = match git.verb.as_str() {
        "checkout" => !has("-b --orphan") && is_wide(),
        "restore" => (!has("--staged -S") || has("--worktree -W --source -s")) && is_wide(),
        "apply" => undoes(&git.rest) && !has("--cached --check --stat --numstat"),
        "rm" => !has("--cached -n --dry-run") && is_wide(),
        _ => false,
    };
    discards.then_some("git-discard-all")
}

/// Whether a patch that is read from `git diff` is taken back.
fn undoes(call: &Call) -> bool {
    let is_all = |text: &String| text.trim_end() == marks::CHANGED;
    call.has("-R --reverse") && call.stdin.as_ref().is_some_and(is_all)
}

/// Whether git reads from its input or a file that everything is meant.
fn lists_all(call: &Call, frame: &Frame) -> bool {
    let listed = match call.value("--pathspec-from-file") {
        Some("-" | "/dev/stdin") => call.stdin.clone(),
        Some(file) => frame.known_file(file),
        None => None,
    };
    listed.unwrap_or_default().lines().take(64).any(|line| is_wide(line.trim(), frame))
}

/// Whether a path means everything.
fn is_wide(word: &str, frame: &Frame) -> bool {
    let typed = marks::typed(word);
    word.starts_with(marks::CHANGED)
        || one_of("* :/ : ./* :(top) :/*", &typed)
        || typed.starts_with(['.', '/'])
            && matches!(frame.zone(word), Zone::Worktree | Zone::Outside)
}

/// Whether a new worktree, clone or repository would lie in the home, in the system or among git's own files.
fn is_elsewhere(git: &Git, frame: &Frame) -> bool {
    let is_off = |path: &str| matches!(frame.zone(path), Zone::Home | Zone::System | Zone::Outside);
    if git.is("init clone") && git.rest.values("--separate-git-dir").any(is_off) {
        return true;
    }
    let words = git
        .rest
        .operands("-b -B --reason --branch --initial-branch --depth -o --origin -c --config");
    let (("worktree", ["add", target, ..] | ["move", _, target])
    | ("init", [target])
    | ("clone", [_, target])) = (git.verb.as_str(), words.as_slice())
    else {
        return false;
    };
    // Beside the worktree is where parallel work is put; only a path from the root can mean the home itself.
    match frame.zone(target) {
        Zone::Home | Zone::System => target.starts_with('/'),
        Zone::Outside => {
            target.starts_with('/') && frame.in_home(target).is_some_and(|rest| rest.is_empty())
        }
        Zone::Git | Zone::Guarded => true,
        _ => false,
    }
}
