//! Repositories that an agent makes or replaces inside the worktree, for git outside to trip over.

use super::{
    PLAIN, Sequence,
    Step::{Agent, Gate, Review, Start, User},
    mounts::SUBMODULE,
};
use crate::escape::Alone::NotShown;

/// What somebody does who looks around in a folder of the worktree.
macro_rules! looks_around {
    ($folder:literal) => {
        User(concat!(
            "cd ", $folder, " && { ralph doctor; ralph status; ralph init --yes; git status; git diff; }; cd {work}; git status; git switch main"
        ))
    };
}

pub(super) const SEQUENCES: &[Sequence] = &[
    Sequence {
        name: "bare-repository-in-a-tracked-folder",
        about: "S11 r11",
        steps: &[Agent("trap_repository docs; work"), looks_around!("docs")],
        ..PLAIN
    },
    Sequence {
        name: "bare-repository-of-files",
        about: "F7",
        steps: &[
            Agent(
                "trap_repository docs; rm -rf docs/objects docs/refs; for f in objects refs; do printf '#!/bin/sh\\n' > docs/$f; chmod 755 docs/$f; done; work",
            ),
            looks_around!("docs"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "bare-repository-of-links",
        about: "F7",
        steps: &[
            Agent(
                "trap_repository docs; rm -rf docs/HEAD docs/objects docs/refs; ln -s refs/heads/main docs/HEAD; ln -s /usr docs/objects; printf '#!/bin/sh\\n' > docs/refs; chmod 755 docs/refs; work",
            ),
            looks_around!("docs"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "bare-repository-in-an-ignored-folder",
        about: "S11 S6",
        steps: &[
            Agent("trap_repository node_modules/pkg; work"),
            looks_around!("node_modules/pkg"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "bare-repository-left-by-a-rejected-attempt",
        about: "S11",
        steps: &[
            Agent("trap_repository docs; trap_repository build/x"),
            looks_around!("docs"),
            looks_around!("build/x"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "bare-repository-made-by-a-gate",
        about: "S11",
        steps: &[
            Agent("work"),
            Gate("trap_repository docs; trap_repository node_modules/pkg"),
            looks_around!("docs"),
            looks_around!("node_modules/pkg"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "nested-repository-in-an-ignored-folder",
        about: "S6",
        steps: &[
            Agent("trap_repository node_modules/pkg/.git false ..; work"),
            looks_around!("node_modules/pkg"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "nested-repository-in-a-tracked-folder",
        about: "S6",
        steps: &[
            Agent("trap_repository src/.git false ..; work"),
            Agent("work"),
            looks_around!("src"),
        ],
        alone: NotShown("ralph moves it away"),
        ..PLAIN
    },
    Sequence {
        name: "nested-repository-behind-a-file",
        about: "S6",
        steps: &[
            Agent(
                "trap_repository build/elsewhere false ../..; echo 'gitdir: ../build/elsewhere' > src/.git; mkdir -p node_modules/a; echo 'gitdir: ../../build/elsewhere' > node_modules/a/.git; work",
            ),
            looks_around!("src"),
            looks_around!("node_modules/a"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "common-folder-elsewhere",
        about: "S11",
        steps: &[
            Agent(
                "trap_repository build/evil false ../..; mkdir -p docs/refs docs/objects; echo 'ref: refs/heads/main' > docs/HEAD; echo ../build/evil > docs/commondir; : > docs/objects/k; : > docs/refs/k; mkdir -p node_modules/b; cp -r docs node_modules/b/.git; echo ../../../build/evil > node_modules/b/.git/commondir; work",
            ),
            looks_around!("docs"),
            looks_around!("node_modules/b"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "repository-folder-of-another-case",
        about: "S11",
        steps: &[
            Agent(
                "trap_repository src/.GIT false ..; trap_repository 'git~1' false .; trap_repository src/x/.git/modules/y; work",
            ),
            looks_around!("src"),
            looks_around!("'git~1'"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "submodule-replaced",
        about: "S6 S7",
        ground: SUBMODULE,
        steps: &[
            Agent(
                "rm -rf libs/foo/.git 2>/dev/null || { mv libs libs.old; mkdir -p libs/foo; echo part > libs/foo/part.txt; }; trap_repository libs/foo/.git false ..; work",
            ),
            looks_around!("libs/foo"),
        ],
        alone: NotShown("ralph moves it away"),
        ..PLAIN
    },
    Sequence {
        name: "submodule-never-checked-out-is-made-up",
        about: "S7",
        ground: "printf '[submodule \"libs/foo\"]\\n\\tpath = libs/foo\\n\\turl = ../foo\\n' > .gitmodules; git add -A; git commit -qm x; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),libs/foo; mkdir -p libs/foo; git commit -qm sub; NO_ADD=1",
        steps: &[
            Agent("trap_repository libs/foo/.git false ..; echo x > libs/foo/y; work"),
            looks_around!("libs/foo"),
        ],
        alone: NotShown("ralph moves it away"),
        ..PLAIN
    },
    Sequence {
        name: "copy-for-the-reviewer-follows-a-link",
        about: "S7 r06",
        ground: "printf '[submodule \"libs/foo\"]\\n\\tpath = libs/foo\\n\\turl = https://example.invalid/foo\\n' > .gitmodules; git add -A; git commit -qm x; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),libs/foo; mkdir -p libs/foo; git commit -qm sub; NO_ADD=1; plan; mkdir -p ~/projects/foo; cp ~/.netrc ~/projects/foo/.env",
        steps: &[
            Agent(
                "rmdir libs/foo libs; ln -s {home}/projects libs; echo /libs >> .gitignore; work",
            ),
            Review(
                "leak libs/foo/.env; find . -name .env -type f | while read -r f; do leak \"$f\"; done",
            ),
        ],
        ..PLAIN
    },
    Sequence {
        name: "ignored-folder-becomes-a-link-out",
        about: "S7",
        ground: "plan",
        steps: &[
            Agent(
                "mv node_modules n2; ln -s {home}/projects/other node_modules; ln -s {home}/.ssh build; printf '/n2\\n/node_modules\\n/build\\n' >> .gitignore; work",
            ),
            Gate("leak node_modules/.env build/id_rsa"),
            Review("leak node_modules/.env build/id_rsa; hit node_modules build"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "untracked-files-become-links-out",
        about: "S7",
        ground: "plan; mkdir -p notes; echo a > notes/a; echo '/notes/' >> .git/info/exclude",
        steps: &[
            Agent(
                "rm -rf notes; ln -s {home}/projects/other notes; ln -s {home}/.netrc loose; work",
            ),
            Review("leak notes/.env loose notes/a; hit notes"),
            User("ralph report; ralph status"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "rename-back-through-a-link",
        about: "S14",
        ground: SUBMODULE,
        steps: &[
            Agent(
                "mv libs/foo parked; rmdir libs; ln -s {home}/projects libs; ln -s {marks} elsewhere; work",
            ),
            Agent("work"),
            User("git status"),
        ],
        alone: NotShown("only ralph puts a repository back"),
        ..PLAIN
    },
    Sequence {
        name: "package-scripts-met-by-init",
        about: "S3",
        steps: &[
            Agent(
                r#"printf '{"name":"x","scripts":{"test":"echo pwned > {marks}/{word}","preinstall":"echo pwned > {marks}/{word}","prepare":"echo pwned > {marks}/{word}"}}' > package.json
printf 'test:\n\techo pwned > {marks}/{word}\nX := $(shell echo pwned > {marks}/{word})\n' > Makefile; planted .venv/bin/python; planted node_modules/.bin/jest; planted gradlew; work"#,
            ),
            User(
                "rm -f .ralph/settings.toml; ralph init --yes; ralph doctor; git checkout -q .ralph/settings.toml; ralph init --yes",
            ),
        ],
        alone: NotShown("init runs gates only in a box"),
        ..PLAIN
    },
    Sequence {
        name: "programs-planted-where-a-path-leads",
        about: "S6",
        steps: &[
            Agent(
                "for p in git bwrap claude node npm python3 cargo sh awk id; do planted node_modules/.bin/$p; planted $p; done; work",
            ),
            User(
                "PATH=node_modules/.bin:.:$PATH; export PATH; ralph doctor; ralph status; ralph init --yes; ralph report",
            ),
        ],
        alone: NotShown("ralph looks for programs elsewhere"),
        ..PLAIN
    },
    Sequence {
        name: "link-on-the-path-into-the-worktree",
        about: "S6",
        ground: "for p in claude codex npm pnpm yarn; do printf '#!/usr/bin/env node\\n' > ~/.cargo/bin/$p; chmod 755 ~/.cargo/bin/$p; done; ln -s ~/code/repo/own/node ~/.local/bin/node",
        steps: &[
            Agent("mkdir own; planted own/node; echo '{}' > package.json; work"),
            User(
                "PATH=~/.cargo/bin:~/.local/bin:$PATH; export PATH; ralph doctor; ralph agents; ralph status; ralph init --yes",
            ),
            Start("PATH=~/.cargo/bin:~/.local/bin:$PATH; export PATH; go"),
        ],
        alone: NotShown("ralph looks for programs elsewhere"),
        ..PLAIN
    },
];
