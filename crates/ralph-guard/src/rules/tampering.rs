//! Commits without the project's own checks, and programs put in the place of known ones.

use super::git::Git;
use crate::{
    call::{Call, one_of},
    frame::Frame,
};

pub(super) fn check(call: &Call, _: &Frame) -> Option<&'static str> {
    let skips_hooks = |git: Git| git.verb == "commit" && git.rest.args.iter().any(|arg| skips(arg));
    if Git::of(call).is_some_and(skips_hooks) {
        return Some("skip-hooks");
    }
    shadows(call).then_some("shadow-program")
}

/// Whether a cluster of options has `-n`; what stands behind `-m` is a message.
fn skips(arg: &str) -> bool {
    let letters = arg.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    letters.split(['m', 'C', 'F', 'S']).next().is_some_and(|flags| flags.contains('n'))
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
            // A shell runs this file; for everything else it names a stage.
            "ENV" => value.contains('/'),
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
