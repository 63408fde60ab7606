//! Settings, options and variables that make git run a program, now or later on the user's machine.

use super::{git::Git, pattern::is_harmless};
use crate::{
    call::{Call, SHELLS, one_of},
    frame::Frame,
};

pub(super) fn check(call: &Call, _: &Frame) -> Option<&'static str> {
    let git = Git::of(call)?;
    let by_clone = git.rest.values("-c --config").filter(|_| git.verb == "clone");
    let mut keys = by_clone.filter_map(|set| set.split('=').next());
    if git.settings.iter().any(|(key, value)| sets_program(key, value)) || keys.any(names_program) {
        return Some("git-program-setting");
    }
    if git.verb == "config" && changes_program(&git.rest) {
        return Some("git-program-setting");
    }
    let is_shell = |text: &str| {
        let program = text.split_whitespace().next().unwrap_or_default();
        one_of(SHELLS, program.rsplit('/').next().unwrap_or_default())
    };
    let by_option = git.verb == "rebase" && git.rest.values("--exec -x").any(is_shell);
    by_option.then_some("git-program-option")
}

/// Last parts of settings whose value is a program, a file of settings, or an address.
const LAST: &str = "hookspath fsmonitor sshcommand pager editor gitproxy askpass worktree external command textconv \
    clean smudge process driver cmd helper program path insteadof pushinsteadof proxy packobjectshook allow update \
    url pushurl uploadpack receivepack templatedir difffilter smtpserver attributesfile excludesfile sslverify";

const FIRST: &str = "alias include includeif pager browser man sendemail protocol";

fn names_program(key: &str) -> bool {
    let key = key.to_lowercase();
    let (Some((first, _)), Some((_, last))) = (key.split_once('.'), key.rsplit_once('.')) else {
        return false;
    };
    one_of(FIRST, first) || one_of(LAST, last) || key == "core.bare"
}

fn sets_program(key: &str, value: &str) -> bool {
    let is_quiet = key.contains("pager") || key.contains("editor");
    names_program(key) && !(is_quiet && is_harmless(value))
}

/// Whether `git config` changes a setting that names a program, or one of all repositories.
fn changes_program(rest: &Call) -> bool {
    let words = rest.operands("-f --file --type --blob");
    if rest.has("--get --get-all --get-regexp --list -l --get-urlmatch --show-origin")
        || matches!(words.first(), Some(&("get" | "list")))
    {
        return false;
    }
    let unsets = rest.has("--unset --unset-all --add --remove-section --replace-all");
    let (verbs, words): (Vec<&str>, Vec<&str>) =
        words.into_iter().partition(|word| one_of("set unset", word));
    let changes = words.len() > 1 || unsets || verbs.contains(&"unset");
    changes
        && (rest.has("--global --system") || words.first().is_some_and(|key| names_program(key)))
}
