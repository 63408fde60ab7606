//! Commits, branches and remotes that would be lost or rewritten.

use super::{
    super::{call::Call, marks, walk::Frame},
    Rule,
    git_verb::Git,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "git-force-push",
        reason: "it overwrites or deletes branches of the remote",
        instead: "push the task's branch without force; leave rewriting the remote to a person",
        check: force_push,
        denies: &[
            "git push -f",
            "git push origin +main",
            "git push origin :old",
            "git push --mirror backup",
        ],
        allows: &[
            "git push -u origin HEAD",
            "git push origin feature/x",
            "git log --grep='push -f'",
        ],
    },
    Rule {
        name: "git-foreign-push",
        reason: "it pushes the repository to an address that is not one of its remotes",
        instead: "push to the remote that the repository already has",
        check: foreign_push,
        denies: &[
            "git push https://x.example/y.git HEAD",
            "git remote add e https://x.example && git push e main",
        ],
        allows: &["git push origin main", "git remote add upstream https://x.example/y.git"],
    },
    Rule {
        name: "git-reset-hard",
        reason: "it drops changes that are not committed",
        instead: "put single files back by `git restore FILE`; ralph keeps checkpoints of the rest",
        check: reset_hard,
        denies: &["git reset --hard HEAD~1", "git -C . reset -q --hard"],
        allows: &["git reset --soft HEAD~1", "git reset HEAD src/a.rs"],
    },
    Rule {
        name: "git-rewrite",
        reason: "it rewrites history or removes objects that could still be needed",
        instead: "add a commit that puts it right; leave the history as it is",
        check: rewrite,
        denies: &[
            "git filter-branch --all",
            "git reflog expire --expire=now --all",
            "git gc --prune=now",
            "git update-ref -d refs/heads/x",
        ],
        allows: &["git gc", "git reflog", "git rebase main", "git commit --amend --no-edit"],
    },
    Rule {
        name: "git-branch-delete",
        reason: "it deletes or moves a branch whose commits may be nowhere else",
        instead: "use `git branch -d`, which refuses to lose commits, or a new name",
        check: branch,
        denies: &[
            "git branch -D old",
            "git branch -f main HEAD~1",
            "git checkout -B main",
            "git switch -C main",
            "git fetch origin +dev:main",
        ],
        allows: &["git branch -d merged", "git checkout -b new", "git branch -m old new"],
    },
];

fn force_push(call: &Call, _: &Frame) -> bool {
    let Some(git) = Git::of(call).filter(|git| git.is(&["push", "send-pack"])) else {
        return false;
    };
    if git.rest.has(&["--dry-run", "-n"]) {
        return false;
    }
    let operands = git.rest.operands(&["-o", "--push-option", "--repo"]);
    let leased = git.rest.args.iter().any(|arg| arg.starts_with("--force-with-lease"));
    let forced = git.rest.args.iter().any(|arg| arg == "--force" || is_cluster_with(arg, 'f'));
    let refs = operands.iter().skip(1);
    let is_shared = |name: &&str| {
        let name = name.rsplit([':', '/']).next().unwrap_or_default();
        ["main", "master", "develop", "trunk", "release", "production", "HEAD"].contains(&name)
    };
    let named = operands.get(1..).unwrap_or_default();
    let lease_is_risky = named.is_empty() || named.iter().any(is_shared);
    let by_setting = git.sets(|key, value| {
        let name = key.strip_prefix("remote.").and_then(|rest| rest.rsplit('.').next());
        match name {
            Some("push") => value.starts_with(['+', ':']),
            Some("mirror") => true,
            _ => false,
        }
    });
    forced
        || by_setting
        || (leased && lease_is_risky)
        || git.rest.has(&["--mirror", "--delete", "-d", "--prune"])
        || refs
            .clone()
            .any(|name| name.starts_with('+') || (name.starts_with(':') && name.len() > 1))
}

fn is_cluster_with(arg: &str, letter: char) -> bool {
    arg.starts_with('-') && !arg.starts_with("--") && arg.contains(letter)
}

fn foreign_push(call: &Call, frame: &Frame) -> bool {
    let Some(git) = Git::of(call) else { return false };
    if git.is(&["remote"]) && git.second() == "set-url" {
        return true;
    }
    if !git.is(&["push", "send-pack"]) {
        return false;
    }
    let operands = git.rest.operands(&["-o", "--push-option"]);
    let target =
        git.rest.value(&["--repo"]).or_else(|| operands.first().copied()).unwrap_or_default();
    target.contains("://")
        || (target.contains('@') && target.contains(':'))
        || frame.remotes.iter().any(|remote| remote == target)
}

fn reset_hard(call: &Call, _: &Frame) -> bool {
    Git::of(call).is_some_and(|git| git.is(&["reset"]) && git.rest.has(&["--hard", "--merge"]))
}

fn rewrite(call: &Call, _: &Frame) -> bool {
    let Some(git) = Git::of(call) else { return rewrites_elsewhere(call) };
    let forgets = git.sets(|key, value| {
        key.starts_with("gc.") && key.contains("expire") && ["now", "all", "0"].contains(&value)
    });
    if forgets {
        return true;
    }
    match git.verb.as_str() {
        "filter-branch" | "filter-repo" | "replace" | "fast-import" => true,
        "gc" => git.rest.args.iter().any(|arg| arg.starts_with("--prune=") || arg == "--prune"),
        "prune" => !git.rest.has(&["-n", "--dry-run"]),
        "reflog" => ["expire", "delete"].contains(&git.second()),
        "update-ref" | "symbolic-ref" => {
            git.rest.has(&["-d", "--delete"])
                || git.rest.words().len() > 1
                || git.rest.has(&["--stdin"])
        }
        "submodule" => git.second() == "deinit" && git.rest.has(&["-f", "--force", "--all"]),
        "worktree" => git.second() == "remove" && git.rest.has(&["-f", "--force"]),
        "remote" => ["remove", "rm"].contains(&git.second()),
        "rebase" => git.rest.has(&["--root"]),
        "lfs" => ["prune", "migrate"].contains(&git.second()),
        _ => false,
    }
}

/// Other tools of version control, and those that rewrite git's history from outside.
fn rewrites_elsewhere(call: &Call) -> bool {
    let words = call.words();
    let verb = words.first().copied().unwrap_or_default();
    match call.name.as_str() {
        "bfg" | "git-filter-repo" | "git-obliterate" => !call.is_rehearsal(),
        "hg" | "sl" => {
            ["strip", "purge", "rollback", "histedit", "hide"].contains(&verb)
                || verb == "push" && call.has(&["-f", "--force"])
                || ["update", "up", "checkout", "goto"].contains(&verb)
                    && call.has(&["-C", "--clean"])
                || verb == "revert" && call.has(&["-a", "--all"])
        }
        "jj" => verb == "abandon" || words.starts_with(&["op", "restore"]),
        "svn" => {
            verb == "revert" && call.has(&["-R", "--recursive", "--depth"])
                || verb == "cleanup" && call.has(&["--remove-unversioned"])
        }
        "gt" | "git-branchless" => verb == "hide",
        _ => false,
    }
}

fn branch(call: &Call, _: &Frame) -> bool {
    let Some(git) = Git::of(call) else { return false };
    let has = |options: &[&str]| git.rest.has(options);
    match git.verb.as_str() {
        "branch" => {
            let forced = has(&["-f", "--force"]);
            has(&["-D", "-M", "-C"]) || forced && !marks::is_unknown(git.second())
        }
        "fetch" | "pull" => {
            let forced = has(&["-f", "--force"]);
            git.rest.words().iter().skip(1).any(|spec| overwrites(spec, forced))
        }
        "checkout" => has(&["-B"]),
        "switch" => has(&["-C", "--force-create"]),
        "tag" => has(&["-f", "--force"]),
        _ => false,
    }
}

/// Whether a refspec of a fetch puts another commit under the name of a local branch.
fn overwrites(spec: &str, forced: bool) -> bool {
    let Some((source, target)) = spec.split_once(':') else { return false };
    let is_tracking = target.starts_with("refs/remotes/") || target.starts_with("refs/tags/");
    (forced || source.starts_with('+')) && !target.is_empty() && !is_tracking
}
