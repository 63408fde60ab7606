//! Branches that a push or a fetch would overwrite, and pushes to foreign places.

use super::git_call::Git;
use crate::{
    call::{Call, one_of},
    frame::Frame,
};

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    let git = Git::of(call)?;
    match git.verb.as_str() {
        "push" | "send-pack" if is_foreign(&git, frame) => Some("git-foreign-push"),
        "push" | "send-pack" => is_forced(&git).then_some("git-force-push"),
        "fetch" | "pull" => {
            let forced = git.rest.has("-f --force");
            let words = git.rest.words();
            words.iter().skip(1).any(|spec| overwrites(spec, forced)).then_some("git-branch-delete")
        }
        _ => None,
    }
}

fn is_forced(git: &Git) -> bool {
    if git.rest.has("--dry-run -n") {
        return false;
    }
    let args = &git.rest.args;
    let is_short =
        |arg: &String| !arg.starts_with("--") && arg.starts_with('-') && arg.contains('f');
    let words = git.rest.operands("-o --push-option --repo");
    let refs = words.get(1..).unwrap_or_default();
    let is_shared = |name: &&str| {
        let name = name.rsplit([':', '/']).next().unwrap_or_default();
        one_of("main master develop dev trunk release production HEAD", name)
    };
    let is_leased = args.iter().any(|arg| arg.starts_with("--force-with-lease"));
    let by_setting = git.settings.iter().any(|(key, value)| {
        let last = key.rsplit('.').next().unwrap_or_default();
        key.starts_with("remote.")
            && (last == "mirror" || last == "push" && value.starts_with(['+', ':']))
    });
    args.iter().any(|arg| arg == "--force" || is_short(arg))
        || by_setting
        || is_leased && (refs.is_empty() || refs.iter().any(is_shared))
        || refs.iter().any(|name| name.starts_with('+') || name.starts_with(':') && name.len() > 1)
}

fn is_foreign(git: &Git, frame: &Frame) -> bool {
    let words = git.rest.operands("-o --push-option");
    let target = git.rest.value("--repo").or(words.first().copied()).unwrap_or_default();
    target.contains("://")
        || target.contains('@') && target.contains(':')
        || frame.remotes.iter().any(|remote| remote == target)
}

/// Whether a refspec of a fetch puts another commit under the name of a local branch.
fn overwrites(spec: &str, forced: bool) -> bool {
    let Some((source, target)) = spec.split_once(':') else { return false };
    let is_tracking = target.starts_with("refs/remotes/") || target.starts_with("refs/tags/");
    (forced || source.starts_with('+')) && !target.is_empty() && !is_tracking
}
