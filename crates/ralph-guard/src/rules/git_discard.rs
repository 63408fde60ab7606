//! Git commands that would throw away the changes of the whole tree.

use super::git_call::Git;
use crate::{
    call::{Call, one_of},
    frame::Frame,
    marks,
    paths::Zone,
};

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    let git = Git::of(call)?;
    let has = |options: &str| git.rest.has(options);
    let discards = match git.verb.as_str() {
        "checkout" => !has("-b --orphan"),
        "restore" => !has("--staged -S") || has("--worktree -W --source -s"),
        "rm" => !has("--cached -n --dry-run"),
        _ => false,
    };
    let is_all = || git.rest.words().iter().any(|word| means_all(word, frame));
    (discards && is_all()).then_some("git-discard-all")
}

/// Whether a path means everything.
fn means_all(word: &str, frame: &Frame) -> bool {
    let typed = marks::typed(word);
    word.starts_with(marks::CHANGED)
        || one_of("* :/ : ./* :(top) :/*", &typed)
        || typed.starts_with(['.', '/'])
            && matches!(frame.zone(word), Zone::Worktree | Zone::Outside)
}
