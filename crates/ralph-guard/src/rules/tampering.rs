//! Ways around ralph, its guard and the project's own checks.

use super::git_call::Git;
use crate::{
    call::{Call, one_of},
    frame::Frame,
};

pub(super) fn check(call: &Call, _: &Frame) -> Option<&'static str> {
    if skips_hooks(call) {
        Some("skip-hooks")
    } else if moves_configuration(call) {
        Some("nested-agent")
    } else {
        shadows(call).then_some("shadow-program")
    }
}

fn skips_hooks(call: &Call) -> bool {
    let Some(git) = Git::of(call) else { return false };
    if !git.is("commit push merge rebase am cherry-pick pull") {
        return false;
    }
    let by_variable = call.env.iter().any(|(name, value)| match name.as_str() {
        "HUSKY" | "LEFTHOOK" => value == "0",
        "HUSKY_SKIP_HOOKS"
        | "SKIP"
        | "SKIP_HOOKS"
        | "LEFTHOOK_EXCLUDE"
        | "OVERCOMMIT_DISABLE"
        | "SKIP_SIMPLE_GIT_HOOKS"
        | "PRE_COMMIT_ALLOW_NO_CONFIG" => !value.is_empty() && value != "0",
        _ => false,
    });
    let is_long = |arg: &String| arg.len() >= 7 && "--no-verify".starts_with(arg.as_str());
    let is_short = |arg: &String| {
        let letters =
            arg.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
        git.is("commit")
            && letters.split(['m', 'C', 'F', 'S']).next().unwrap_or_default().contains('n')
    };
    let mut is_value = false;
    let skips = |arg: &String| {
        let was_value = is_value;
        let takes_value = one_of("--message --author --date -F -C -c", arg)
            || arg.starts_with('-') && !arg.starts_with("--") && arg.ends_with('m');
        is_value = !was_value && takes_value;
        !was_value && (is_long(arg) || is_short(arg))
    };
    by_variable || git.rest.args.iter().any(skips)
}

const AGENTS: &str = "claude codex gemini opencode aider goose amp cursor-agent copilot crush qwen droid ralph export";

/// Variables that move an agent's or ralph's own configuration.
const MOVED: &str = "CLAUDE_CONFIG_DIR CODEX_HOME GEMINI_CONFIG_DIR RALPH_CALL OPENCODE_CONFIG RALPH_SANDBOX_MODE \
    CLAUDE_CODE_SIMPLE";

fn moves_configuration(call: &Call) -> bool {
    call.is(AGENTS) && call.variables().any(|(name, _)| one_of(MOVED, name))
}

const KNOWN: &str = "git ls cat rm cp mv sh bash node npm npx python python3 pip cargo rustc go make sudo ssh curl ralph \
    claude codex env grep";

/// Variables that load code into every program.
const LOADERS: &str = "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV PROMPT_COMMAND PYTHONSTARTUP PERL5OPT RUBYOPT PERL5DB";

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
            _ => one_of(LOADERS, name) && !value.is_empty(),
        }
    };
    if call.program.starts_with("/proc/") || call.variables().any(loads) {
        return true;
    }
    match call.name.as_str() {
        "alias" => call
            .args
            .iter()
            .filter_map(|arg| arg.split_once('='))
            .any(|(name, _)| one_of(KNOWN, name)),
        "cp" | "mv" | "ln" | "install" => {
            let words = call.words();
            let target =
                words.last().filter(|_| words.len() > 1).and_then(|target| target.rsplit_once('/'));
            target.is_some_and(|(folder, name)| {
                one_of(KNOWN, name)
                    && (folder.ends_with("bin") || folder == "." || folder.starts_with("/tmp"))
            })
        }
        _ => false,
    }
}
