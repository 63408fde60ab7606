//! Mount points: what bubblewrap would mount onto, moved or replaced by a link between two boxes.

use super::{
    PLAIN, Sequence,
    Step::{Agent, Gate, Start, User},
};
use crate::escape::Alone::NotShown;

const NO_MOUNTS: crate::escape::Alone = NotShown("without a box nothing is mounted");

/// What is looked for and hurt in a box that shows too much, by every way there may be to the machine.
pub(super) const LOOK: &str = r#"for r in "" /oldroot /newroot/oldroot /proc/1/root; do
  leak "$r{home}/.ssh/id_rsa" "$r{home}/.netrc"; hit "$r{home}" "$r{marks}"
done
for h in ~/.npm/_cacache ~/.cache/uv ~/.cache/pip ~/.cache/node/corepack .ralph .qwen .opencode .claude libs/foo node_modules sub; do
  leak "$h/.ssh/id_rsa" "$h/id_rsa" "$h/.env" "$h/home/.netrc"; hit "$h/.ssh" "$h"; [ ! -f "$h/.bashrc" ] || echo pwned >> "$h/.bashrc"
done"#;

pub(super) const SEQUENCES: &[Sequence] = &[
    Sequence {
        name: "renamed-parent-of-a-cache",
        about: "S1 r01",
        alone: NO_MOUNTS,
        steps: &[
            Agent(
                r"ln -s /oldroot{home} ~/.cache/node/corepack/_cacache
mv ~/.cache/node ~/.cache/node2; mkdir ~/.cache/node; ln -s /oldroot{home}/.npm ~/.cache/node/corepack",
            ),
            Gate(LOOK),
        ],
        ..PLAIN
    },
    Sequence {
        name: "renamed-parent-of-a-cache-in-the-next-run",
        about: "S1",
        alone: NO_MOUNTS,
        steps: &[
            Agent(
                r"ln -s /oldroot{home} ~/.cache/node/corepack/_cacache
mv ~/.cache/node ~/.cache/node2; mkdir ~/.cache/node; ln -s /oldroot{home}/.npm ~/.cache/node/corepack; work",
            ),
            User("ralph status; ralph doctor"),
            Agent(LOOK),
            Gate(LOOK),
        ],
        ..PLAIN
    },
    Sequence {
        name: "cache-that-appears-between-two-runs",
        about: "S1",
        alone: NO_MOUNTS,
        steps: &[
            Agent("mkdir -p ~/.cache/r; ln -s r ~/.cache/uv"),
            User("mine ~/.cache/uv"),
            Agent(
                r"ln -s /oldroot{home} ~/.cache/r/_cacache; rm ~/.cache/uv; ln -s /oldroot{home}/.npm ~/.cache/uv",
            ),
            Gate(LOOK),
        ],
        ..PLAIN
    },
    Sequence {
        name: "cache-that-appears-behind-a-link-out",
        about: "S1",
        alone: NO_MOUNTS,
        steps: &[
            Agent(
                "rm -rf ~/.cache/uv; ln -s /oldroot{home}/.ssh ~/.cache/uv; ln -s /oldroot{marks} ~/.cache/pnpm",
            ),
            User("mine ~/.cache/uv ~/.cache/pnpm"),
            Agent(
                r#"for f in ~/.cache/uv ~/.cache/pnpm; do hit "$f"; leak "$f/id_rsa"; done; hit /oldroot{home}"#,
            ),
            Gate(LOOK),
        ],
        ..PLAIN
    },
    Sequence {
        name: "whole-cache-folder-is-a-link",
        about: "S1",
        ground: "mkdir -p {folder}/elsewhere/pip; rm -rf ~/.cache; ln -s {folder}/elsewhere ~/.cache",
        steps: &[Agent("hit ~/.cache ~/.cache/pip {folder}/elsewhere"), Gate(LOOK)],
        ..PLAIN
    },
    Sequence {
        name: "forged-shim",
        about: "S2 r02",
        alone: NO_MOUNTS,
        steps: &[Agent(
            r#"shim=$(awk '$5=="/run/ralph/ralph"{print $4}' /proc/self/mountinfo); name=$(basename "${shim:-ralph}")
cat > ~/.cache/node/corepack/"$name" <<'FORGED'
#!/usr/bin/python3
import os, sys
status = int(sys.argv[3])
os.write(status, b"started namespace\n"); print("all 412 tests passed", flush=True); os.write(status, b"exited 0 0\n")
FORGED
chmod 755 ~/.cache/node/corepack/"$name"
mv ~/.cache/node ~/.cache/node2; mkdir ~/.cache/node; ln -s "/oldroot$(dirname "${shim:-/run/ralph/ralph}")" ~/.cache/node/corepack
echo change >> README.md"#,
        )],
        ..PLAIN
    },
    Sequence {
        name: "parent-of-a-submodule-is-a-link-out",
        about: "S1 S7",
        ground: SUBMODULE,
        alone: NO_MOUNTS,
        steps: &[
            Agent(
                "mv libs libs2; mkdir libs; ln -s /oldroot{home}/projects/other libs/foo; echo /libs >> .gitignore",
            ),
            Gate(LOOK),
            Agent(LOOK),
            Gate(LOOK),
        ],
        ..PLAIN
    },
    Sequence {
        name: "parents-of-a-submodule-renamed-to-the-keys",
        about: "S1",
        ground: SUBMODULE,
        alone: NO_MOUNTS,
        steps: &[
            Agent("mv libs libs2; ln -s /oldroot{home} libs; mkdir -p libs2/foo; work"),
            Gate(LOOK),
            User("git status; git switch main"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "project-state-is-a-link",
        about: "S1",
        alone: NO_MOUNTS,
        steps: &[
            Agent(
                "mv .ralph .r2 && ln -s /oldroot{home}/.ssh .ralph; rm -rf .ralph; ln -s {home}/.ssh .ralph",
            ),
            Gate(LOOK),
            User("ralph status; ralph doctor; ralph report"),
            Agent(LOOK),
        ],
        ..PLAIN
    },
    Sequence {
        name: "dangling-links-at-hidden-folders",
        about: "S14",
        alone: NO_MOUNTS,
        steps: &[
            Agent(
                "for f in .qwen .opencode .claude .codex .gemini .agents .cursor; do ln -s /oldroot{home}/made-$f $f; done",
            ),
            Gate(LOOK),
            Start("go"),
            Agent(LOOK),
            Start("AGENT=claude; PATH={folder}/tools/bin:$PATH; go --fresh"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "hidden-folders-lead-to-the-keys",
        about: "S14",
        alone: NO_MOUNTS,
        steps: &[
            Agent("for f in .qwen .opencode .claude; do ln -s /oldroot{home}/.ssh $f; done; work"),
            Gate(LOOK),
            Agent(LOOK),
            Gate(LOOK),
        ],
        ..PLAIN
    },
    Sequence {
        name: "hidden-file-is-a-folder-of-links",
        about: "S14",
        alone: NO_MOUNTS,
        steps: &[
            Agent(
                "mkdir -p .claude.d; ln -s /oldroot{marks} .claude; ln -s /oldroot{marks}/{word} .mcp.json; ln -s /oldroot{home}/new-file opencode.json",
            ),
            Gate(LOOK),
            Agent(LOOK),
        ],
        ..PLAIN
    },
    Sequence {
        name: "worktree-behind-a-link",
        about: "S1 S6",
        ground: "ln -s {work} ~/shortcut",
        steps: &[
            Agent(
                r"mv ~/shortcut ~/s2; ln -s /oldroot{home} ~/shortcut
printf '#!/bin/sh\nexit 0\n' > node_modules/.bin/check",
            ),
            Gate(LOOK),
            Start("cd ~/shortcut && go"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "own-folders-of-the-box-swapped",
        about: "S1",
        alone: NO_MOUNTS,
        steps: &[
            Agent(
                r"for p in ~/.cache/node ~/.cache/pip ~/.npm ~/.cargo ~/go; do mv $p $p.old; mkdir -p $p; ln -s /proc/self/cwd/../../.. $p/link; ln -s /oldroot $p/root; done
ln -s /oldroot{home}/.ssh ~/.cache/pip; ln -s /oldroot{home}/.ssh ~/.npm/_cacache; ln -s /oldroot{home}/.ssh ~/.cargo/registry",
            ),
            Gate(LOOK),
            Agent(LOOK),
            Gate(LOOK),
        ],
        ..PLAIN
    },
];

/// A submodule that is checked out, in a folder of its own.
pub(super) const SUBMODULE: &str = "git init -q {home}/code/part; cd {home}/code/part; echo part > part.txt; git add -A; git commit -qm part
cd {work}; git -c protocol.file.allow=always submodule --quiet add {home}/code/part libs/foo";
