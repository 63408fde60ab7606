//! Ways around the project's own checks, and programs put in the place of known ones.

use super::git_call::Git;
use crate::{
    call::{Call, one_of},
    frame::Frame,
};

pub(super) fn check(call: &Call, _: &Frame) -> Option<&'static str> {
    if skips_hooks(call) {
        return Some("skip-hooks");
    }
    shadows(call).then_some("shadow-program")
}

fn skips_hooks(call: &Call) -> bool {
    let Some(git) = Git::of(call) else { return false };
    if !git.is("commit push merge rebase am cherry-pick pull") {
        return false;
    }
    let skipping = "HUSKY_SKIP_HOOKS SKIP SKIP_HOOKS LEFTHOOK_EXCLUDE OVERCOMMIT_DISABLE SKIP_SIMPLE_GIT_HOOKS \
        PRE_COMMIT_ALLOW_NO_CONFIG";
    let by_variable = call.env.iter().any(|(name, value)| {
        let is_off = value == "0" || value.is_empty();
        is_off && one_of("HUSKY LEFTHOOK", name) || !is_off && one_of(skipping, name)
    });
    let is_long = |arg: &String| arg.len() >= 7 && "--no-verify".starts_with(arg.as_str());
    let is_short = |arg: &String| {
        let letters =
            arg.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
        git.is("commit")
            && letters.split(['m', 'C', 'F', 'S']).next().is_some_and(|flags| flags.contains('n'))
    };
    // What follows `-m` and the like is a message, whatever it looks like.
    let mut is_value = false;
    let skips = |arg: &String| {
        let takes_value = one_of("--message --author --date -F -C -c", arg)
            || arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('m');
        let was_value = is_value;
        is_value = takes_value && !was_value;
        !was_value && (is_long(arg) || is_short(arg))
    };
    by_variable || git.rest.args.iter().any(skips)
}

const KNOWN: &str = "git ls cat rm cp mv sh bash node npm npx python python3 pip cargo rustc go make sudo ssh curl \
    ralph claude codex env grep";

fn shadows(call: &Call) -> bool {
    let loads = |(name, value): (&str, &str)| {
        let first = value.split(':').next().unwrap_or_default();
        match name {
            "PATH" => {
                first.starts_with("/tmp") || first == "." || first.is_empty() && value.contains(':')
            }
            "LD_LIBRARY_PATH" | "DYLD_LIBRARY_PATH" => value.starts_with("/tmp"),
            "NODE_OPTIONS" => {
                ["--require", "-r ", "--import"].iter().any(|option| value.contains(option))
            }
            _ => false,
        }
    };
    if call.program.starts_with("/proc/") || call.variables().any(loads) {
        return true;
    }
    let words = call.words();
    let target =
        words.last().filter(|_| words.len() > 1).and_then(|target| target.rsplit_once('/'));
    let is_program = target.is_some_and(|(folder, name)| {
        one_of(KNOWN, name)
            && (folder.ends_with("bin") || folder == "." || folder.starts_with("/tmp"))
    });
    let is_alias = |arg: &String| arg.split_once('=').is_some_and(|(name, _)| one_of(KNOWN, name));
    call.is("cp mv ln install") && is_program || call.is("alias") && call.args.iter().any(is_alias)
}
