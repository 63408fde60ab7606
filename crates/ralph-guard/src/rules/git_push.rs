//! Pushes that would overwrite branches of the remote, or go to foreign places.

use super::git_call::Git;
use crate::{
    call::{Call, one_of},
    frame::Frame,
};

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    let git = Git::of(call).filter(|git| git.is("push send-pack"))?;
    let words = git.rest.operands("-o --push-option");
    let target = git.rest.value("--repo").or(words.first().copied()).unwrap_or_default();
    let is_address = target.contains("://") || target.contains('@') && target.contains(':');
    if is_address || frame.remotes.iter().any(|remote| remote == target) {
        return Some("git-foreign-push");
    }
    let refs = words.get(1..).unwrap_or_default();
    let is_shared = |name: &&str| {
        let name = name.rsplit([':', '/']).next().unwrap_or_default();
        one_of("main master develop dev trunk release production HEAD", name)
    };
    let is_leased = git.rest.args.iter().any(|arg| arg.starts_with("--force-with-lease"));
    let overwrites = |name: &&str| name.starts_with('+') || name.starts_with(':') && name.len() > 1;
    let is_forced =
        is_leased && (refs.is_empty() || refs.iter().any(is_shared)) || refs.iter().any(overwrites);
    (is_forced && !git.rest.has("--dry-run -n")).then_some("git-force-push")
}
