//! The user's own git settings that lead into the worktree, where an agent writes what they lead to.

use super::{
    PLAIN, Sequence,
    Step::{Agent, Gate, User},
};
use crate::escape::Alone::{self, NotShown, Works};

const NOT_RUN: Alone = NotShown("ralph's own git does not run it");

const LEAVES_A_MARK: &str = "planted scripts/tool.sh 'cat'; echo change >> a.data; work";

/// A repository whose settings name a script of the worktree; `a.data` is the file that they are about.
macro_rules! script_of_the_worktree {
    ($name:literal, $settings:literal) => {
        script_of_the_worktree!($name, $settings, Works)
    };
    ($name:literal, $settings:literal, $alone:expr) => {
        Sequence {
            alone: $alone,
            name: $name,
            about: "S3",
            ground: concat!(
                "mkdir -p scripts; printf '#!/bin/sh\\ncat\\n' > scripts/tool.sh; chmod 755 scripts/tool.sh; echo data > a.data; git add -A; ",
                $settings
            ),
            steps: &[Agent(LEAVES_A_MARK), User(RALPH_LOOKS)],
            ..PLAIN
        }
    };
}

/// Everything by which ralph looks at a repository, without a run.
const RALPH_LOOKS: &str =
    "ralph status; ralph doctor; ralph report; ralph logs prompt; ralph init --yes; ralph gate run";

/// The same, and what the user does next.
const RALPH_LOOKS_AND_GIT: &str = "ralph status; ralph doctor; ralph report; ralph gate run; git status; git diff; git switch main";

/// Settings by which git starts programs: a monitor, hooks, a filter that stays, a diff.
macro_rules! all_that_runs {
    ($file:literal) => {
        concat!(
            "for h in post-checkout reference-transaction post-index-change pre-commit pre-push; do planted hooks/$h; done; planted hooks/filter cat; echo '* filter=x diff=x' > .gitattributes; printf '[core]\\n\\thooksPath = {work}/hooks\\n\\tfsmonitor = {work}/hooks/pre-push\\n[filter \"x\"]\\n\\tprocess = {work}/hooks/filter\\n\\tclean = {work}/hooks/filter\\n[diff]\\n\\texternal = {work}/hooks/filter\\n[diff \"x\"]\\n\\ttextconv = {work}/hooks/filter\\n' >> ",
            $file
        )
    };
}

pub(super) const SEQUENCES: &[Sequence] = &[
    Sequence {
        name: "filter-by-a-module-of-python",
        about: "S3 r03",
        ground: r#"echo '{}' > a.ipynb; git add -A; git config filter.strip.clean '"/usr/bin/python3" -m strip_output'
printf '*.ipynb filter=strip\n' > .git/info/attributes; git config filter.strip.required false"#,
        needs: &["/usr/bin/python3"],
        steps: &[Agent(
            r#"printf 'import sys\nopen("{marks}/{word}","w").write("pwned")\nsys.stdout.write(sys.stdin.read())\n' > strip_output.py
echo '{"cells": []}' > a.ipynb; work"#,
        )],
        ..PLAIN
    },
    script_of_the_worktree!(
        "filter-by-a-script-of-the-worktree",
        "git config filter.x.clean scripts/tool.sh; git config filter.x.smudge ./scripts/tool.sh; echo '*.data filter=x' > .git/info/attributes"
    ),
    script_of_the_worktree!(
        "filter-that-the-user-allows",
        "git config filter.x.clean scripts/tool.sh; git config filter.x.smudge scripts/tool.sh; echo '*.data filter=x' > .git/info/attributes; printf '[git]\\nfilters = [\"x\"]\\n' >> ~/.config/ralph/settings.toml"
    ),
    script_of_the_worktree!(
        "filter-process-of-the-worktree",
        "git config filter.x.process ./scripts/tool.sh; echo '*.data filter=x' > .git/info/attributes"
    ),
    script_of_the_worktree!(
        "file-system-monitor-of-the-worktree",
        "git config core.fsmonitor scripts/tool.sh"
    ),
    script_of_the_worktree!(
        "external-diff-of-the-worktree",
        "git config diff.external ./scripts/tool.sh; git config diff.x.textconv ./scripts/tool.sh; git config diff.x.command ./scripts/tool.sh; echo '* diff=x' > .git/info/attributes",
        NOT_RUN
    ),
    script_of_the_worktree!(
        "signing-program-of-the-worktree",
        "git commit -qm before; git config gpg.program ./scripts/tool.sh; git config gpg.ssh.program ./scripts/tool.sh; git config user.signingKey x; git config commit.gpgSign true; git config tag.gpgSign true",
        NOT_RUN
    ),
    script_of_the_worktree!(
        "pager-and-editor-of-the-worktree",
        "git config core.pager ./scripts/tool.sh; git config core.editor ./scripts/tool.sh; git config core.sshCommand ./scripts/tool.sh; git config core.askPass ./scripts/tool.sh; git config credential.helper '!./scripts/tool.sh'; git config merge.x.driver ./scripts/tool.sh",
        NOT_RUN
    ),
    script_of_the_worktree!(
        "hooks-of-the-worktree",
        "mkdir -p tools/hooks; git config core.hooksPath tools/hooks; for h in post-checkout reference-transaction post-index-change pre-commit commit-msg post-commit pre-push prepare-commit-msg; do ln -s ../../scripts/tool.sh tools/hooks/$h; done; git -c core.hooksPath=/dev/null add -A"
    ),
    Sequence {
        name: "include-into-the-worktree",
        about: "S3",
        ground: "printf '[alias]\\n\\ts = status\\n' > .gitconfig; git config include.path ../.gitconfig",
        steps: &[
            Agent(
                r#"printf '[core]\n\tfsmonitor = "echo pwned > {marks}/{word}; false"\n[diff]\n\texternal = "echo pwned > {marks}/{word}"\n' > .gitconfig; work"#,
            ),
            User(RALPH_LOOKS),
        ],
        ..PLAIN
    },
    Sequence {
        name: "include-of-an-ignored-file",
        about: "S3 S6",
        ground: "mkdir -p build; : > build/local.config; git config include.path {work}/build/local.config",
        steps: &[
            Agent(
                r#"printf '[core]\n\tfsmonitor = "echo pwned > {marks}/{word}; false"\n' > build/local.config; work"#,
            ),
            User("ralph status; ralph doctor; git status; git switch main"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "include-that-depends-on-the-folder",
        about: "S3",
        ground: r#"printf '[includeIf "gitdir:{home}/code/"]\n\tpath = {work}/.gitconfig\n' >> ~/.gitconfig; echo > .gitconfig"#,
        steps: &[
            Agent(
                r#"printf '[core]\n\tfsmonitor = "echo pwned > {marks}/{word}; false"\n[filter "x"]\n\tclean = "echo pwned > {marks}/{word}"\n' > .gitconfig; echo '* filter=x' > .gitattributes; work"#,
            ),
            User(RALPH_LOOKS),
        ],
        ..PLAIN
    },
    Sequence {
        name: "settings-of-one-worktree",
        about: "S3",
        ground: "git config extensions.worktreeConfig true",
        steps: &[
            Agent(concat!(
                "for f in .git/config.worktree .git/modules/config .git/config; do ",
                all_that_runs!("$f"),
                "; done; git config --worktree core.fsmonitor 'echo pwned > {marks}/{word}; false'; work"
            )),
            User(RALPH_LOOKS_AND_GIT),
        ],
        ..PLAIN
    },
    Sequence {
        name: "include-by-the-settings-of-one-worktree",
        about: "S3",
        ground: "git config extensions.worktreeConfig true; git config --worktree include.path ../own.config; : > own.config",
        steps: &[Agent(concat!(all_that_runs!("own.config"), "; work")), User(RALPH_LOOKS)],
        ..PLAIN
    },
    Sequence {
        name: "include-through-a-link-of-the-home",
        about: "S3",
        ground: "mkdir -p ~/.config/git team; ln -s {work}/team ~/.config/git/team; git config --global include.path .config/git/team/config",
        steps: &[
            Agent(concat!("mkdir -p team; ", all_that_runs!("team/config"), "; work")),
            User(RALPH_LOOKS),
        ],
        ..PLAIN
    },
    Sequence {
        name: "attributes-file-of-the-worktree",
        about: "S3",
        ground: "git config filter.mine.clean './run-me.sh'; printf '#!/bin/sh\\ncat\\n' > run-me.sh; chmod 755 run-me.sh; git config core.attributesFile attrs; : > attrs; git -c filter.mine.clean=cat add -A",
        steps: &[
            Agent(
                "echo '* filter=mine' > attrs; echo '* filter=mine' > .gitattributes; planted run-me.sh cat; work",
            ),
            User(RALPH_LOOKS),
        ],
        ..PLAIN
    },
    Sequence {
        name: "large-files-ask-an-address-of-the-agents",
        about: "S4 r04",
        ground: "git lfs install --skip-repo >/dev/null; : > a.bin; git add -A",
        needs: &["git-lfs"],
        steps: &[
            Agent(
                r#"printf '[lfs]\n\turl = http://127.0.0.1:5432/{word}\n' > .lfsconfig; printf '*.bin filter=lfs\n' > .gitattributes
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 12345\n' "$(printf '%064d' 7)" > a.bin"#,
            ),
            Gate("rm -f a.bin"),
            Agent("work"),
            Gate("rm -f a.bin; rm -f README.md"),
        ],
        alone: NotShown("git-lfs speaks only when ralph puts the file back"),
        ..PLAIN
    },
    Sequence {
        name: "large-files-of-a-clean-checkout",
        about: "S4",
        ground: "git lfs install --skip-repo >/dev/null",
        needs: &["git-lfs"],
        steps: &[
            Agent(
                r#"printf '[lfs]\n\turl = http://127.0.0.1:5432/{word}\n[remote "origin"]\n\tlfsurl = http://127.0.0.1:5432/{word}\n' > .lfsconfig; printf '*.bin filter=lfs\n' > .gitattributes; work
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 12345\n' "$(printf '%064d' 8)" > b.bin"#,
            ),
            Gate("rm -f b.bin"),
            User("ralph status; ralph doctor; ralph report; ralph gate run"),
        ],
        alone: NotShown("git-lfs speaks only when ralph puts the file back"),
        ..PLAIN
    },
    Sequence {
        name: "hook-in-an-ignored-folder",
        about: "S6 r05",
        ground: HUSKY,
        steps: &[Agent("planted .husky/_/post-checkout; work"), User("git switch main")],
        ..PLAIN
    },
    Sequence {
        name: "new-hooks-in-an-ignored-folder",
        about: "S6",
        ground: HUSKY,
        steps: &[
            Agent(
                "for h in pre-commit post-index-change reference-transaction post-merge pre-push; do planted .husky/_/$h; done",
            ),
            User("git status; git switch main; git commit -q --allow-empty -m mine"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "hooks-folder-becomes-a-link",
        about: "S6",
        ground: HUSKY,
        steps: &[
            Agent(
                "rm -rf .husky/_; planted node_modules/hooks/post-checkout; planted node_modules/hooks/post-index-change; ln -s ../node_modules/hooks .husky/_; work",
            ),
            User("git status; git switch main"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "hooks-folder-that-was-never-there",
        about: "S6",
        ground: "git config core.hooksPath node_modules/.hooks",
        steps: &[
            Agent(
                "for h in post-checkout post-index-change reference-transaction; do planted node_modules/.hooks/$h; done; work",
            ),
            User("ralph status; git status; git switch main"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "hook-written-by-a-gate",
        about: "S6",
        ground: HUSKY,
        steps: &[
            Agent("work"),
            Gate("planted .husky/_/post-checkout; planted .husky/_/post-index-change"),
            User("git status; git switch main"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "hook-of-a-rejected-attempt",
        about: "S6",
        ground: HUSKY,
        steps: &[Agent("planted .husky/_/post-checkout"), Agent("work"), User("git switch main")],
        ..PLAIN
    },
];

/// Hooks as husky keeps them: in a folder that ignores itself.
const HUSKY: &str = r"mkdir -p .husky/_; printf '*' > .husky/_/.gitignore; printf '#!/bin/sh\n' > .husky/_/post-checkout
chmod +x .husky/_/post-checkout; git config core.hooksPath .husky/_";
