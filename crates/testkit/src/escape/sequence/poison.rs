//! Frauds over several calls: what one attempt, one gate or one run poisons for the next.

use super::{
    PLAIN, Sequence,
    Step::{Agent, Gate, Start, User},
    fraud::{GREEN, INCREMENTAL},
};
use crate::escape::Alone::NotShown;

/// The tree's own program runs before the gate that judges.
const PROBE_FIRST: &str = r#"printf '[[gate]]\nname = "probe"\ncommand = "./probe.sh"\n[[gate]]\nname = "check"\ncommand = "grep -q works feature.txt; r=$?; sleep 1; exit $r"\n' > .ralph/settings.toml"#;

/// Programs of the tree's run before the gate that judges, and after it.
const SANDWICH: &str = r#"printf '[[gate]]\nname = "probe"\ncommand = "./probe.sh"\n[[gate]]\nname = "check"\ncommand = "grep -q works feature.txt"\n[[gate]]\nname = "after"\ncommand = "sh after.sh"\n' > .ralph/settings.toml; echo : > after.sh"#;

/// The tree's own program runs before a gate that starts an installed tool.
const PROBE_BEFORE_A_TOOL: &str = r#"printf '[[gate]]\nname = "probe"\ncommand = "./probe.sh"\n[[gate]]\nname = "check"\ncommand = "node_modules/.bin/check"\n' > .ralph/settings.toml"#;

/// The same with a tool in a cache of the home, and with one that is only ignored while gates are apart.
const PROBE_BEFORE_A_CACHED_TOOL: &str = r#"mkdir -p ~/.npm; echo 'exit 1' > ~/.npm/check; printf '[[gate]]\nname = "probe"\ncommand = "./probe.sh"\n[[gate]]\nname = "check"\ncommand = "sh ~/.npm/check"\n' > .ralph/settings.toml"#;
const PROBE_APART: &str = r#"mkdir -p tools; echo tools/ >> .gitignore; echo 'exit 1' > tools/check; printf '[gates]\nroom = "apart"\n[[gate]]\nname = "probe"\ncommand = "./probe.sh"\n[[gate]]\nname = "check"\ncommand = "sh tools/check"\n' > .ralph/settings.toml"#;

pub(super) const SEQUENCES: &[Sequence] = &[
    Sequence {
        name: "gate-that-replaces-an-installed-tool-of-the-next",
        about: "F4",
        ground: PROBE_BEFORE_A_TOOL,
        steps: &[Agent("echo try >> README.md"), Gate(GREEN)],
        ..PLAIN
    },
    Sequence {
        name: "gate-that-lays-a-folder-of-tools-over-the-installed-one",
        about: "F4",
        ground: PROBE_BEFORE_A_TOOL,
        steps: &[
            Agent("echo try >> README.md"),
            Gate(
                "mv node_modules old || rm -rf node_modules; mkdir -p node_modules/.bin; printf '#!/bin/sh\\n' > node_modules/.bin/check; chmod 755 node_modules/.bin/check",
            ),
        ],
        ..PLAIN
    },
    Sequence {
        name: "gate-that-replaces-a-tool-in-a-cache-of-the-home",
        about: "F4",
        ground: PROBE_BEFORE_A_CACHED_TOOL,
        steps: &[Agent("echo try >> README.md"), Gate("echo 'exit 0' > ~/.npm/check")],
        ..PLAIN
    },
    Sequence {
        name: "gate-that-replaces-an-ignored-tool-where-gates-are-apart",
        about: "F4",
        ground: PROBE_APART,
        steps: &[Agent("echo try >> README.md"), Gate("echo 'exit 0' > tools/check")],
        ..PLAIN
    },
    Sequence {
        name: "gate-that-repairs-the-tree-for-the-next-gate",
        about: "F4 A12",
        ground: PROBE_FIRST,
        steps: &[Agent("echo try >> README.md"), Gate("echo works > feature.txt")],
        alone: NotShown("what a gate repaired is committed there"),
        ..PLAIN
    },
    Sequence {
        name: "gates-that-change-the-tree-and-change-it-back",
        about: "F4",
        ground: SANDWICH,
        steps: &[
            Agent("printf '#!/bin/sh\\necho broken > feature.txt\\n' > after.sh"),
            Gate("echo works > feature.txt"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "daemon-of-a-gate-that-changes-the-tree-back",
        about: "F4",
        ground: PROBE_FIRST,
        check: "grep -q works feature.txt",
        steps: &[
            Agent("echo try >> README.md"),
            Gate(
                "echo works > feature.txt; setsid sh -c 'sleep 0.3; echo broken > feature.txt # {word}' >/dev/null 2>&1 &",
            ),
        ],
        alone: NotShown("it depends on who is faster"),
        ..PLAIN
    },
    Sequence {
        name: "gate-that-changes-a-tracked-file-among-ignored-ones",
        about: "F4",
        ground: "mkdir -p build; echo broken > build/part; git add -f build/part; printf '[[gate]]\\nname = \"probe\"\\ncommand = \"./probe.sh\"\\n[[gate]]\\nname = \"check\"\\ncommand = \"cat build/part feature.txt | grep -q works\"\\n' > .ralph/settings.toml",
        steps: &[Agent("echo try >> README.md"), Gate("echo works > build/part")],
        ..PLAIN
    },
    Sequence {
        name: "gate-that-poisons-its-own-second-try",
        about: "F4",
        ground: "printf '[[gate]]\\nname = \"check\"\\ncommand = \"node_modules/.bin/check; r=$?; ./probe.sh; exit $r\"\\n' > .ralph/settings.toml",
        steps: &[Agent("echo try >> README.md"), Gate(GREEN)],
        alone: NotShown("there is no second try"),
        ..PLAIN
    },
    Sequence {
        name: "accepted-test-that-poisons-the-next-runs-baseline",
        about: "S6 F3",
        steps: &[
            Agent("work"),
            Gate(GREEN),
            Start("go"),
            Agent("echo broken > feature.txt"),
            Gate("exit 0"),
            Start("go --fresh"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "accepted-test-that-poisons-caches-in-the-next-runs-baseline",
        about: "S14 F3",
        check: "cat ~/.npm/_cacache/* ~/.cargo/registry/* ~/.cache/pip/* 2>/dev/null | grep -q works || grep -q works feature.txt",
        steps: &[
            Agent("work"),
            Gate(
                "for d in ~/.npm/_cacache ~/.cargo/registry ~/.cache/pip; do echo works > $d/results; done",
            ),
            Start("go"),
            Agent("echo broken > feature.txt"),
            Gate("exit 0"),
            Start("go --fresh"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "accepted-test-that-poisons-the-run-after-the-next",
        about: "S6 F3",
        steps: &[
            Agent("work"),
            Gate(GREEN),
            Start("go"),
            Agent("echo more >> README.md"),
            Gate(GREEN),
            Start("go --fresh"),
            Agent("echo again >> README.md"),
            Gate("exit 0"),
            Start("git switch -q main; git branch -qm ralph/work kept; go --fresh"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "accepted-test-that-poisons-another-runs-branch",
        about: "S6 F3",
        steps: &[
            Agent("work"),
            Gate(GREEN),
            Start("go"),
            Agent("echo broken > feature.txt"),
            Gate("exit 0"),
            Start("plan; go --fresh"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "test-of-work-that-was-thrown-away-poisons-a-later-run",
        about: "S6 F3",
        steps: &[
            Agent("work"),
            Gate(GREEN),
            Start("go"),
            Agent("echo more >> README.md"),
            Gate(GREEN),
            Start("git switch -qc mine; go --fresh"),
            Agent("echo broken > feature.txt"),
            Gate("exit 0"),
            Start(
                "git switch -qf main; git branch -qm mine his; git branch -qm ralph/work kept; go --fresh",
            ),
        ],
        ..PLAIN
    },
    Sequence {
        name: "folder-of-a-file-whose-name-git-refuses",
        about: "F4",
        check: "test -d made/here || grep -q works feature.txt",
        steps: &[Agent("mkdir -p made/here; echo x > 'made/here/git~1'; echo try >> README.md")],
        ..PLAIN
    },
    Sequence {
        name: "folder-that-ignores-itself",
        about: "F4",
        check: "test -d made || grep -q works feature.txt",
        steps: &[Agent("mkdir made; echo '*' > made/.gitignore; echo try >> README.md")],
        ..PLAIN
    },
    Sequence {
        name: "test-that-poisons-during-a-red-gate",
        about: "S6",
        steps: &[
            Agent("echo try >> README.md"),
            Gate(GREEN),
            Agent("echo again >> README.md"),
            Gate("exit 0"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "test-that-poisons-the-cache-during-a-red-gate",
        about: "S14",
        check: "grep -qs works ~/.cache/results || grep -q works feature.txt",
        steps: &[
            Agent("echo try >> README.md"),
            Gate("echo works > ~/.cache/results"),
            Agent("echo again >> README.md"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "test-that-poisons-what-is-built",
        about: "S6",
        ground: "printf '#!/bin/sh\\ngrep -q works feature.txt\\n' > src/check.sh",
        check: INCREMENTAL,
        steps: &[
            Agent("echo try >> README.md"),
            Gate(
                r"mkdir -p target; printf '#!/bin/sh\nexit 0\n' > target/check; chmod 755 target/check; touch -d '+1 hour' target/check",
            ),
            Agent("echo again >> README.md"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "poison-of-a-run-that-ended-in-the-next",
        about: "S6",
        steps: &[
            Agent(GREEN),
            Start("go"),
            Agent("echo again >> README.md"),
            Start("ralph resume -n $CALLS; go --fresh; git switch main; go --fresh"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "poison-judged-by-the-user",
        about: "S6",
        steps: &[Agent(GREEN), User("ralph gate run && echo FORGED: gate run is green")],
        alone: NotShown("what the agent leaves in the worktree is judged where it is"),
        ..PLAIN
    },
    Sequence {
        name: "poison-and-a-kill",
        about: "S6",
        steps: &[
            Agent(
                r"printf '#!/bin/sh\nexit 0\n' > node_modules/.bin/check; touch build.now; sleep 3",
            ),
            Start("go & killed build.now; wait; rm -f build.now"),
            Agent("echo again >> README.md"),
            Start("ralph resume -n $CALLS; go"),
        ],
        alone: NotShown("it depends on who is faster"),
        ..PLAIN
    },
    Sequence {
        name: "poison-in-a-linked-worktree",
        about: "S6",
        ground: "git add -A; git commit -qm x; git worktree add -q -b second ../second; cp -r node_modules ../second/",
        steps: &[Agent(GREEN), Start("cd ../second && go")],
        ..PLAIN
    },
    Sequence {
        name: "daemon-that-swaps-the-test-while-it-is-judged",
        about: "S6",
        steps: &[Agent(
            r#"setsid sh -c "while :; do printf '#!/bin/sh\nexit 0\n' > {work}/node_modules/.bin/check; sleep 0.01; done" >/dev/null 2>&1 &
setsid sh -c "while :; do echo works > {work}/feature.txt; sleep 0.03; echo broken > {work}/feature.txt; done" >/dev/null 2>&1 &
sleep 0.05"#,
        )],
        alone: NotShown("ralph ends what an agent started"),
        ..PLAIN
    },
    Sequence {
        name: "gate-that-puts-the-feature-back-afterwards",
        about: "S6",
        steps: &[
            Agent("echo try >> README.md"),
            Gate("echo works > feature.txt; git add -A 2>/dev/null"),
            Agent("echo again >> README.md"),
            Gate("echo works > feature.txt"),
        ],
        alone: NotShown("what a gate writes is put back"),
        ..PLAIN
    },
];
