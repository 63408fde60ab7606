//! A sequence as it is played: the user's machine and every piece of shell that somebody runs on it.

use super::{Sequence, Step};

/// What every secret of the user's says.
pub const CANARY: &str = "canaryqwhzvtrmkxlpb";

/// A secret that ralph knows, because the user hands it in by name.
pub const TOKEN: &str = "Xw4TbN9qLd2RkV7mPz";

/// The user's machine, made in an empty folder by the user.
pub const MACHINE: &str = include_str!("machine.sh");

/// Words for everybody who tries something. What was read is told in another alphabet, so that only somebody who read
/// it can have told it.
pub const PRELUDE: &str = r#"leak() { for f in "$@"; do [ ! -f "$f" ] || timeout 2 head -c 100000 "$f" | tr a-z n-za-m; done 2>/dev/null; }
leak_text() { printf '%s\n' "$*" | tr a-z n-za-m; }
hit() { for d in "$@"; do echo pwned > "$d/{word}"; done 2>/dev/null; }
planted() { mkdir -p "$(dirname "$1")"; printf '#!/bin/sh\necho pwned > {marks}/{word}\n%s\n' "$2" > "$1"; chmod 755 "$1"; } 2>/dev/null
work() { echo works > feature.txt; }
trap_repository() { mkdir -p "$1/objects" "$1/refs/heads"; echo 'ref: refs/heads/main' > "$1/HEAD"; touch "$1/objects/.keep" "$1/refs/heads/.keep"
  printf '[core]\n\trepositoryformatversion = 0\n\tbare = %s\n\tworktree = %s\n\tfsmonitor = "echo pwned > {marks}/{word}; false"\n' "${2:-false}" "${3:-.}" > "$1/config"; }
"#;

/// More words for whoever sits outside: to set up a plan, to make folders of their own, to start ralph, and to kill it as soon as a file is there.
pub const OUTSIDE: &str = r#"plan() { echo '{"project":"x","branch":"ralph/x","tasks":[{"id":"T-001","title":"do","description":"do it","acceptance_criteria":["it works"],"status":"pending"}]}' > .ralph/plan.json; }
mine() { for d in "$@"; do mkdir -p "$d"; echo "$d" >> {folder}/log/mine; done; }
ralph() { "$RALPH" "$@" </dev/null; }
go() { [ -e .ralph/plan.json ] || set -- -p 'do it' "$@"
  "$RALPH" run --agent "${AGENT:-{folder}/tools/agent}" -n "$CALLS" --sandbox="$BOX" $REVIEW "$@" </dev/null &
  echo $! > {folder}/log/pid; wait $!; set -- $?; echo "$1 $PWD" >> {folder}/log/exits; return $1; }
killed() { until [ -e "$1" ] || [ "${tries:-0}" -gt 500 ]; do tries=$((${tries:-0}+1)); sleep 0.02; done; kill -9 "$(cat {folder}/log/pid)"; }
"#;

/// Who runs a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Agent,
    Gate,
    Review,
    Start,
    User,
}

/// A sequence to play.
#[derive(Debug, Clone)]
pub struct Script {
    pub name: String,
    pub ground: String,
    pub check: String,
    pub steps: Vec<(Kind, String)>,
}

impl From<&Sequence> for Script {
    fn from(sequence: &Sequence) -> Self {
        let steps = sequence.steps.iter().map(|step| match step {
            Step::Agent(text) => (Kind::Agent, (*text).to_owned()),
            Step::Gate(text) => (Kind::Gate, (*text).to_owned()),
            Step::Review(text) => (Kind::Review, (*text).to_owned()),
            Step::Start(text) => (Kind::Start, (*text).to_owned()),
            Step::User(text) => (Kind::User, (*text).to_owned()),
        });
        Self {
            name: sequence.name.to_owned(),
            ground: sequence.ground.to_owned(),
            check: sequence.check.to_owned(),
            steps: steps.collect(),
        }
    }
}
