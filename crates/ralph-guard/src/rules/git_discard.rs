//! Uncommitted work that would be thrown away.

use super::{
    super::{call::Call, marks, paths::Zone, walk::Frame},
    Rule,
    git_verb::Git,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "git-discard-all",
        reason: "it throws away every change that is not committed",
        instead: "put back the files you mean, by name: `git restore FILE`",
        check: discard_all,
        denies: &[
            "git checkout -- .",
            "git restore .",
            "git checkout -f",
            "git switch --discard-changes main",
            "git ls-files -m | xargs git checkout --",
            "git read-tree -u --reset HEAD",
        ],
        allows: &[
            "git checkout -- src/a.rs",
            "git restore --staged .",
            "git checkout -b x",
            "git restore src/a.rs",
        ],
    },
    Rule {
        name: "git-clean",
        reason: "it deletes files that git does not know, and nothing can bring them back",
        instead: "look by `git clean -n`, then remove the files you mean by name",
        check: clean,
        denies: &["git clean -fdx", "git -c clean.requireForce=false clean -d", "git clean -f src"],
        allows: &["git clean -n", "git clean --dry-run -fd"],
    },
    Rule {
        name: "git-stash-drop",
        reason: "it deletes stashed work",
        instead: "leave the stash, or take it back by `git stash pop`",
        check: stash,
        denies: &["git stash drop", "git stash clear"],
        allows: &["git stash", "git stash pop", "git stash list"],
    },
];

fn discard_all(call: &Call, frame: &Frame) -> bool {
    let Some(git) = Git::of(call) else { return call.is(&["patch"]) && undoes(call) };
    let listed = listed(&git.rest, frame);
    let wide = || {
        git.rest.words().iter().any(|word| is_wide(word, frame))
            || listed.lines().take(64).any(|line| is_wide(line.trim(), frame))
    };
    let has = |options: &[&str]| git.rest.has(options);
    match git.verb.as_str() {
        "checkout" => {
            (has(&["-f", "--force"]) && !has(&["-b"])) || (wide() && !has(&["-b", "--orphan"]))
        }
        "restore" => {
            wide() && (!has(&["--staged", "-S"]) || has(&["--worktree", "-W", "--source", "-s"]))
        }
        "switch" => has(&["--discard-changes", "-f", "--force"]),
        "checkout-index" => has(&["-f", "--force"]) && has(&["-a", "--all"]),
        "read-tree" => has(&["-u", "--reset"]),
        "apply" => undoes(&git.rest) && !has(&["--cached", "--check", "--stat", "--numstat"]),
        "rm" => wide() && !has(&["--cached", "-n", "--dry-run"]),
        _ => false,
    }
}

/// Whether a patch that is read from `git diff` is taken back.
fn undoes(call: &Call) -> bool {
    call.has(&["-R", "--reverse"])
        && call.stdin.as_deref().is_some_and(|text| text.trim_end() == marks::CHANGED)
}

/// Paths that git reads from its input or from a file that the command wrote.
fn listed(call: &Call, frame: &Frame) -> String {
    match call.value(&["--pathspec-from-file"]) {
        Some("-" | "/dev/stdin") => call.stdin.clone().unwrap_or_default(),
        Some(file) => {
            frame.resolve(file).and_then(|path| frame.files.get(&path).cloned()).unwrap_or_default()
        }
        None => String::new(),
    }
}

/// Whether a path means everything.
fn is_wide(word: &str, frame: &Frame) -> bool {
    let typed = marks::typed(word);
    if word.starts_with(marks::CHANGED) {
        return true;
    }
    if ["*", ":/", ":", "./*", ":(top)", ":/*"].contains(&typed.as_str()) {
        return true;
    }
    (typed.starts_with('.') || typed.starts_with('/'))
        && matches!(frame.zone(word), Zone::Worktree | Zone::Outside)
}

fn clean(call: &Call, _: &Frame) -> bool {
    let Some(git) = Git::of(call).filter(|git| git.is(&["clean"])) else { return false };
    let unforced =
        git.settings.iter().any(|setting| setting.to_lowercase().starts_with("clean.requireforce"));
    (git.rest.has(&["-f", "--force"]) || unforced) && !git.rest.has(&["-n", "--dry-run"])
}

fn stash(call: &Call, _: &Frame) -> bool {
    Git::of(call).is_some_and(|git| git.is(&["stash"]) && ["drop", "clear"].contains(&git.second()))
}
