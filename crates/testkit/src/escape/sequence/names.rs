//! Names and texts: secrets in what is committed, lines forged in what people read, files that cannot be handled.

use super::{
    PLAIN, Sequence,
    Step::{Agent, Start, User},
};
use crate::escape::Alone::{self, NotShown, Works};

const REDACTED: Alone = NotShown("ralph redacts it, box or not");

/// The user hands the agent a secret by name.
const WITH_TOKEN: &str =
    "MY_TOKEN={token} RALPH_AGENT_ENV=MY_TOKEN; export MY_TOKEN RALPH_AGENT_ENV; go";

/// A secret that ralph knows, written somewhere.
macro_rules! secret {
    ($name:literal, $agent:literal) => {
        secret!($name, $agent, Works)
    };
    ($name:literal, $agent:literal, $alone:expr) => {
        Sequence {
            alone: $alone,
            name: $name,
            about: "S14 r10",
            steps: &[
                Agent($agent),
                Start(WITH_TOKEN),
                User("ralph report; ralph status; ralph logs prompt"),
            ],
            ..PLAIN
        }
    };
}

/// A tree with which ralph must come to its end, and after which an honest run must work.
macro_rules! awkward {
    ($name:literal, $agent:literal) => {
        Sequence {
            name: $name,
            about: "S14",
            steps: &[
                Agent($agent),
                Start("go"),
                Agent("work"),
                Agent("work"),
                Start("ralph status; ralph report; git switch -q main; ralph doctor; go --fresh || echo FORGED: an honest run cannot work here"),
            ],
            alone: NotShown("ralph must end, box or not"),
            ..PLAIN
        }
    };
}

pub(super) const SEQUENCES: &[Sequence] = &[
    secret!(
        "secret-in-a-name",
        "echo x > f-$MY_TOKEN; mkdir -p d-$MY_TOKEN; echo x > d-$MY_TOKEN/y; work"
    ),
    secret!("secret-in-a-link", "ln -s /x/$MY_TOKEN link; work"),
    secret!("secret-in-a-file", "echo \"key = $MY_TOKEN\" > config.txt; work", REDACTED),
    secret!(
        "secret-in-wide-characters",
        "printf %s \"$MY_TOKEN\" | iconv -t UTF-16LE > wide.txt; work"
    ),
    secret!("secret-in-a-packed-file", "printf 'x %s' \"$MY_TOKEN\" | gzip > packed.gz; work"),
    secret!("secret-behind-a-null", "printf 'x\\0%s\\0' \"$MY_TOKEN\" > binary; work"),
    secret!(
        "secret-in-a-large-file",
        "head -c 20000000 /dev/zero > large; printf %s \"$MY_TOKEN\" >> large; work"
    ),
    secret!(
        "secret-said-aloud",
        "echo \"my key is $MY_TOKEN, all done\"; echo \"$MY_TOKEN\" >&2; work",
        REDACTED
    ),
    secret!(
        "secret-in-a-module-path",
        r#"printf '[submodule "x"]\n\tpath = x\n\turl = https://me:%s@forge.invalid/\n' "$MY_TOKEN" > .gitmodules; work"#,
        REDACTED
    ),
    Sequence {
        name: "names-that-forge-lines",
        about: "S12",
        steps: &[
            Agent(
                "n=$(printf 'a\\nFORGED: all is well\\n## What'); echo x > \"$n\"; printf '#!/bin/sh\\n' > \"$n.sh\"; chmod 755 \"$n.sh\"; mkdir -p \"$n.d\"; echo x > \"$n.d/Makefile\"; work",
            ),
            User("ralph report; ralph status; ralph logs prompt; cat .ralph/runs/*/report.md"),
        ],
        alone: NotShown("names are shown by ralph"),
        ..PLAIN
    },
    Sequence {
        name: "names-that-speak-to-the-terminal",
        about: "S12",
        steps: &[
            Agent(
                "n=$(printf 'a\\033]52;c;cHduZWQ=\\007b\\033[2Jc'); echo x > \"$n\"; printf '#!/bin/sh\\n' > \"$n.sh\"; chmod 755 \"$n.sh\"; printf '\\033]0;t\\007\\033]52;c;cHduZWQ=\\007\\n'; ln -s \"$n\" link; work",
            ),
            User("ralph report; ralph status; ralph logs prompt"),
        ],
        alone: NotShown("names are shown by ralph"),
        ..PLAIN
    },
    Sequence {
        name: "what-will-run-is-said",
        about: "S12",
        steps: &[
            Agent(
                "for f in .pnp.cjs .pylintrc .prettierrc.js .Rprofile tools/bazel cdk.json docs/conf.py hooks/pre-commit .envrc new-tool; do mkdir -p $(dirname $f); printf '#!/bin/sh\\n' > $f; chmod 755 $f; done; work",
            ),
            User(
                "for f in .pnp.cjs .pylintrc .prettierrc.js .Rprofile tools/bazel cdk.json docs/conf.py hooks/pre-commit .envrc new-tool; do cat .ralph/runs/*/report.md | tr -d '\\\\`' | grep -qF $f || echo FORGED: $f is not said; done",
            ),
        ],
        alone: NotShown("it is about the report"),
        ..PLAIN
    },
    Sequence {
        name: "ignored-programs-are-said-or-put-back",
        about: "S12",
        steps: &[
            Agent("planted node_modules/.bin/jest; work"),
            User(
                "if [ -e node_modules/.bin/jest ]; then cat .ralph/runs/*/report.md | tr -d '\\\\`' | grep -q node_modules/.bin || echo FORGED: the changed program is not said; fi",
            ),
        ],
        alone: NotShown("it is about the report"),
        ..PLAIN
    },
    awkward!(
        "folders-deeper-than-a-path",
        "i=0; while [ $i -lt 1100 ]; do mkdir abcd && cd abcd || break; i=$((i+1)); done; echo x > deep"
    ),
    awkward!(
        "ignored-folders-deeper-than-a-path",
        "cd node_modules; i=0; while [ $i -lt 1100 ]; do mkdir abcd && cd abcd || break; i=$((i+1)); done; echo x > deep"
    ),
    awkward!(
        "pipes-in-the-way",
        "mkfifo pipe node_modules/pipe; rm -f README.md; mkfifo README.md; mkfifo .gitattributes; rm -f .gitignore; mkfifo .gitignore"
    ),
    awkward!(
        "folders-that-cannot-be-read",
        "mkdir -p locked/in node_modules/locked; echo x > locked/in/f; chmod 000 locked/in locked node_modules/locked node_modules/.bin src"
    ),
    awkward!(
        "names-that-are-no-text",
        "printf x > \"$(printf 'a\\377b')\"; mkdir -p \"$(printf -- '-rf\\n')\"; printf x > \"$(printf -- '-rf\\n')/--output=x\"; printf x > \"$(printf '\\001\\002')\"; touch -- --help -n"
    ),
    awkward!(
        "links-in-circles",
        "ln -s a b; ln -s b a; ln -s . self; ln -s .. up; rm feature.txt; ln -s feature.txt feature.txt"
    ),
    awkward!(
        "files-become-folders",
        "rm -f README.md probe.sh feature.txt .gitignore; mkdir README.md probe.sh feature.txt .gitignore; rm -rf src; echo x > src"
    ),
    Sequence {
        name: "words-that-cost-time",
        about: "S14",
        steps: &[
            Agent(
                "i=0; while [ $i -lt 40 ]; do printf 'sk-ant-%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32; i=$((i+1)); done > line; i=0; while [ $i -lt 90 ]; do tr -d '\\n' < line; i=$((i+1)); done; echo; work",
            ),
            Start(WITH_TOKEN),
        ],
        alone: NotShown("ralph must end, box or not"),
        ..PLAIN
    },
];
