//! Sequences: what an agent leaves in one box for the next box, for ralph itself, or for the user's own next command.
//! Each is a few lines of shell. What comes of them is judged from outside by one general oracle, never by what a
//! sequence expects.

mod descriptors;
mod fraud;
mod git_settings;
mod links;
mod logins;
mod mounts;
mod names;
mod poison;
mod programs;
mod reads;
mod repositories;
mod runs;
mod script;

pub use script::{CANARY, Kind, MACHINE, OUTSIDE, PRELUDE, Script, TOKEN};

use super::Alone;

/// One hand-written sequence. `{home}`, `{work}`, `{folder}`, `{marks}` and `{word}` stand for places of its machine.
#[derive(Clone, Copy)]
pub struct Sequence {
    pub name: &'static str,
    /// The findings it was written for: rows of the measured escapes.
    pub about: &'static str,
    /// What the user's machine holds besides the usual; run outside, before anything else, and committed.
    pub ground: &'static str,
    /// The honest gate. It is red until `feature.txt` says that it works.
    pub check: &'static str,
    /// Programs without which it cannot be played.
    pub needs: &'static [&'static str],
    /// Whether it gets through a loop without any defence.
    pub alone: Alone,
    pub steps: &'static [Step],
}

/// One step. Calls of the agent, and what their gates and reviewers run, make up one run of ralph until somebody else
/// has a turn.
#[derive(Clone, Copy)]
pub enum Step {
    /// The agent's next call.
    Agent(&'static str),
    /// What the tree of the call before brings into the box of a gate.
    Gate(&'static str),
    /// The reviewer's next call.
    Review(&'static str),
    /// How ralph is started, if not by plain `go`.
    Start(&'static str),
    /// The user's own next commands, outside.
    User(&'static str),
}

/// A sequence with nothing special.
const PLAIN: Sequence = Sequence {
    name: "",
    about: "",
    ground: "",
    check: "node_modules/.bin/check",
    needs: &[],
    alone: Alone::Works,
    steps: &[],
};

/// Every hand-written sequence.
pub fn sequences() -> Vec<&'static Sequence> {
    [
        mounts::SEQUENCES,
        git_settings::SEQUENCES,
        repositories::SEQUENCES,
        fraud::SEQUENCES,
        poison::SEQUENCES,
        reads::SEQUENCES,
        descriptors::SEQUENCES,
        links::SEQUENCES,
        logins::SEQUENCES,
        names::SEQUENCES,
        runs::SEQUENCES,
        programs::SEQUENCES,
    ]
    .into_iter()
    .flatten()
    .collect()
}
