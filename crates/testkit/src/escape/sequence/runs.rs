//! Several runs and several projects: kills, resumption, two at once, what one leaves for another.

use super::{
    PLAIN, Sequence,
    Step::{Agent, Gate, Start, User},
};
use crate::escape::Alone::NotShown;

/// A second project of the same user, set up like the first.
const SECOND: &str = "cp -r {work} {home}/code/second; cd {home}/code/second; rm -rf .git; git init -q -b main; echo second > README.md; git add -A; git commit -qm second; cd {work}";

pub(super) const SEQUENCES: &[Sequence] = &[
    Sequence {
        name: "one-project-poisons-the-cache-of-another",
        about: "S14",
        ground: SECOND,
        check: "grep -qs works ~/.cache/results || grep -q works feature.txt",
        steps: &[
            Agent("echo works > ~/.cache/results; echo works > ~/.npm/_cacache/results; work"),
            Start("go"),
            Agent("echo try >> README.md"),
            Start("AGENT={folder}/tools/agent-2; cd ../second && go"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "one-project-reads-the-cache-of-another",
        about: "S14",
        ground: SECOND,
        steps: &[
            Agent(
                "echo mine > ~/.cache/mine; echo mine > ~/.npm/_cacache/mine; work; hit ../second ../second/.git ../second/node_modules",
            ),
            Start("go"),
            Agent(
                "for f in ~/.cache/mine ~/.npm/_cacache/mine; do [ ! -e $f ] || leak_text {canary}; done; hit ../repo/.git",
            ),
            Start("AGENT={folder}/tools/agent-2; cd ../second && go"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "two-projects-whose-caches-have-one-name",
        about: "S14",
        ground: r#"/usr/bin/python3 - > {folder}/log/twins <<'PY'
import hashlib, zlib
seen = {}
for n in range(1 << 18):
    path = "{home}/code/%s/repo" % hashlib.md5(b"%d" % n).hexdigest()[:10]
    sums = zlib.crc32(path.encode()), zlib.crc32((path + "/.git").encode())
    for kind, sum in enumerate(sums):
        if (kind, sum) in seen: print(seen[kind, sum], path)
        seen[kind, sum] = path
PY
git add -A; git commit -qm x
for p in $(cat {folder}/log/twins | tr ' ' '\n' | sort -u); do mkdir -p $p; cp -r . $p; done"#,
        check: "grep -qs works ~/.cache/results || grep -q works feature.txt",
        needs: &["/usr/bin/python3"],
        steps: &[
            Agent("echo works > ~/.cache/results"),
            Agent("echo x >> README.md"),
            Start(
                "CALLS=1; head -n 1 {folder}/log/twins | { read -r a b; cd $a && go; cd $b && AGENT={folder}/tools/agent-2 go; }; tail -n 1 {folder}/log/twins | { read -r a b; cd $a && AGENT={folder}/tools/agent go; cd $b && AGENT={folder}/tools/agent-2 go; }",
            ),
        ],
        ..PLAIN
    },
    Sequence {
        name: "two-runs-at-once",
        about: "S6",
        steps: &[
            Agent(r"printf '#!/bin/sh\nexit 0\n' > node_modules/.bin/check; sleep 0.2"),
            Start("go & go & wait"),
            User("go; git status"),
        ],
        alone: NotShown("it depends on who is faster"),
        ..PLAIN
    },
    Sequence {
        name: "two-projects-at-once",
        about: "S14",
        ground: SECOND,
        steps: &[
            Agent(
                "i=0; while [ $i -lt 20 ]; do hit {home}/code/second {home}/code/repo/.git; leak {home}/code/second/README.md; for p in /proc/[0-9]*; do leak $p/root{home}/.netrc $p/cwd/../../.netrc $p/environ; done; i=$((i+1)); done",
            ),
            Start("go & (cd ../second && go) & wait"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "killed-with-a-trap-in-the-tree",
        about: "S11 S6",
        steps: &[
            Agent(
                "trap_repository src/.git false ..; trap_repository docs; planted node_modules/.bin/git; touch now; sleep 3",
            ),
            Start("go & killed now; wait; rm -f now"),
            Agent("work"),
            Start(
                "ralph status; ralph doctor; ralph report; ralph resume -n $CALLS; git status; cd docs && ralph doctor",
            ),
        ],
        alone: NotShown("ralph moves it away"),
        ..PLAIN
    },
    Sequence {
        name: "killed-in-a-gate",
        about: "S6",
        steps: &[
            Agent("work"),
            Gate(
                r"printf '#!/bin/sh\nexit 0\n' > node_modules/.bin/check; echo broken > feature.txt; planted .git/hooks/post-checkout; touch now; sleep 3",
            ),
            Start(
                "go & i=0; while ! ls .ralph/runs/*/iterations/*/gates/*.log >/dev/null 2>&1 && [ $i -lt 200 ]; do i=$((i+1)); sleep 0.02; done; sleep 0.2; killed .; wait",
            ),
            Agent("echo broken > feature.txt"),
            Gate("exit 0"),
            Start("ralph resume -n $CALLS; git status; git switch main"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "processes-that-want-to-stay",
        about: "S6",
        steps: &[
            Agent(
                "for i in 1 2 3; do setsid sh -c 'trap \"\" TERM HUP INT; exec sleep 300 # {word}' >/dev/null 2>&1 & done; (setsid nohup sh -c 'while :; do sleep 1; done # {word}' >/dev/null 2>&1 &); work",
            ),
            Gate("setsid sh -c 'trap \"\" TERM HUP; sleep 300 # {word}' >/dev/null 2>&1 & exit 0"),
        ],
        alone: NotShown("ralph ends what an agent started"),
        ..PLAIN
    },
    Sequence {
        name: "processes-that-outlive-a-kill",
        about: "S6",
        steps: &[
            Agent(
                "setsid sh -c 'trap \"\" TERM HUP INT; while :; do echo pwned > {marks}/{word}; echo works > {work}/feature.txt; sleep 0.1; done' >/dev/null 2>&1 & touch now; sleep 3",
            ),
            Start("go & killed now; wait; sleep 0.3"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "settings-of-the-project-changed-for-the-next-run",
        about: "S6",
        steps: &[
            Agent(
                r#"printf '[[gate]]\nname = "t"\ncommand = "true"\n[sandbox]\nmode = "off"\n' > .ralph/settings.toml; printf '[sandbox]\nmode = "off"\nnetwork = "open"\n' > .ralph/settings.local.toml; mkdir -p .config/ralph; cp .ralph/settings.local.toml .config/ralph/; echo x >> README.md"#,
            ),
            Start("go"),
            Agent("hit {marks} {home}; leak {home}/.netrc"),
            Start("git stash -q; go --fresh"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "hard-links-between-tracked-and-ignored",
        about: "S6",
        steps: &[
            Agent(
                "rm node_modules/.bin/check; printf '#!/bin/sh\\nexit 0\\n' > tool.sh; chmod 755 tool.sh; ln tool.sh node_modules/.bin/check; ln feature.txt build.f; ln {home}/.netrc got 2>/dev/null; leak got; ln .git/config conf 2>/dev/null; echo '[core]' >> conf",
            ),
            Gate("leak got"),
            User("git status; git switch main"),
        ],
        ..PLAIN
    },
    Sequence {
        name: "a-worktree-that-its-agent-shuts",
        about: "B4",
        steps: &[
            Agent("work; chmod 000 ."),
            User(
                "ralph status | grep -q 'Permission denied' && echo 'FORGED: what the agent shut stays shut'",
            ),
        ],
        alone: NotShown("without a box there is no layer that could be shut"),
        ..PLAIN
    },
    Sequence {
        name: "commands-that-the-guard-lets-pass",
        about: "S15",
        steps: &[
            Agent("work"),
            User(
                r#"while read -r c; do ralph guard "$c" >/dev/null 2>&1; [ $? = 7 ] || echo "FORGED: the guard allows $c"; done <<'COMMANDS'
git worktree add ~/x
git init --separate-git-dir ~/x
PAGER='sh -c "rm -rf ~"' git log
MANPAGER='sh -c "rm -rf ~"' man ls
LESSOPEN='|rm -rf ~' less x
RUSTC_WRAPPER='rm -rf ~' cargo build
go run -exec 'rm -rf ~' .
cargo --config 'target.x.runner="rm -rf ~"' run
COMMANDS"#,
            ),
        ],
        alone: NotShown("the guard is the same without a box"),
        ..PLAIN
    },
    Sequence {
        name: "headers-handed-in-are-said",
        about: "S14",
        steps: &[
            Agent("[ -z \"$ANTHROPIC_CUSTOM_HEADERS\" ] || touch got-headers; work"),
            Start(
                "ANTHROPIC_CUSTOM_HEADERS=\"x-key: $(cat ~/.netrc)\" ANTHROPIC_API_KEY=sk-ant-api03-x; export ANTHROPIC_CUSTOM_HEADERS ANTHROPIC_API_KEY; AGENT=claude; PATH={folder}/tools/bin:$PATH; export PATH; go",
            ),
            User(
                "[ ! -e got-headers ] || grep -q ANTHROPIC_CUSTOM_HEADERS {folder}/log/said || echo FORGED: headers came in and nobody said so",
            ),
        ],
        alone: NotShown("it is about what is said"),
        ..PLAIN
    },
];
