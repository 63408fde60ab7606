//! Which pairs of place and input were exercised, and which of them led to a decision.

use std::collections::BTreeMap;

use ralph_core::{
    effect::EffectId,
    ending::Ending,
    gates::report::GateResults,
    ids::{CommitId, TreeId},
    input::{
        AgentReport, Captured, CheckpointTaken, Done, Failure, FailureClass, Input, Looked,
        Reapplied, Request, Resumption, What, Wish, Workspace,
    },
    plan::person::TaskWish,
    run::{Phase, RunState},
    time::{Millis, Timestamp},
    usage::Usage,
    vocabulary::Stage,
};

use super::rng::Rng;

/// Every place a run can be in.
pub const PLACES: [&str; 17] = [
    "opening",
    "baselining",
    "boundary",
    "waiting",
    "paused",
    "closing",
    "finished",
    "checkpoint",
    "agent",
    "capture",
    "gates",
    "commit",
    "scm",
    "quarantine",
    "give up",
    "park",
    "reapply",
];

/// Every kind of input.
pub const INPUTS: [&str; 24] = [
    "workspace opened",
    "baseline ran",
    "looked",
    "checkpoint taken",
    "agent ended",
    "tree captured",
    "gates ran",
    "committed",
    "scm tasks ran",
    "quarantined",
    "gave up",
    "reapplied",
    "workspace closed",
    "not begun",
    "failed",
    "late result",
    "signal",
    "asked",
    "asked about a task",
    "told",
    "pause",
    "unpause",
    "woke",
    "resumed",
];

/// How often a pair led to a decision, and how often to none.
#[derive(Debug, Clone, Default)]
pub struct Coverage(pub BTreeMap<(&'static str, &'static str), (u64, u64)>);

impl Coverage {
    pub fn saw(&mut self, state: &RunState, input: &Input, decided: bool) {
        let entry = self.0.entry((place(state), kind(state, input))).or_default();
        if decided {
            entry.0 += 1;
        } else {
            entry.1 += 1;
        }
    }

    pub fn merge(&mut self, other: &Self) {
        for (pair, (decided, ignored)) in &other.0 {
            let entry = self.0.entry(*pair).or_default();
            entry.0 += decided;
            entry.1 += ignored;
        }
    }
}

/// Where a run is.
pub fn place(state: &RunState) -> &'static str {
    match &state.phase {
        Phase::Opening { .. } => "opening",
        Phase::Baselining => "baselining",
        Phase::Boundary => "boundary",
        Phase::Compacting(_) => "compacting",
        Phase::Waiting { .. } => "waiting",
        Phase::Paused { .. } => "paused",
        Phase::Closing { .. } => "closing",
        Phase::Finished { .. } => "finished",
        Phase::Iterating(iteration) => match iteration.stage {
            Stage::Checkpoint => "checkpoint",
            Stage::Agent => "agent",
            Stage::Capture => "capture",
            Stage::Gates => "gates",
            Stage::Commit => "commit",
            Stage::Scm => "scm",
            Stage::Quarantine => "quarantine",
            Stage::GiveUp => "give up",
            Stage::Park => "park",
            Stage::Reapply => "reapply",
        },
    }
}

fn kind(state: &RunState, input: &Input) -> &'static str {
    match &input.what {
        What::Done(id, _) if *id != EffectId(state.effects) => "late result",
        What::Done(_, done) => match done {
            Done::WorkspaceOpened(_) => "workspace opened",
            Done::BaselineRan(_) => "baseline ran",
            Done::Looked(_) => "looked",
            Done::CheckpointTaken(_) => "checkpoint taken",
            Done::AgentEnded(_) => "agent ended",
            Done::TreeCaptured(_) => "tree captured",
            Done::GatesRan(_) => "gates ran",
            Done::Committed { .. } => "committed",
            Done::ScmTasksRan(_) => "scm tasks ran",
            Done::Quarantined { .. } => "quarantined",
            Done::GaveUp { .. } => "gave up",
            Done::Reapplied(_) => "reapplied",
            Done::WorkspaceClosed { .. } => "workspace closed",
            Done::NotBegun => "not begun",
            Done::Failed(_) => "failed",
        },
        What::Signal { .. } => "signal",
        What::Asked(Request { wish: Wish::Task { .. }, .. }) => "asked about a task",
        What::Asked(Request { wish: Wish::Steer { .. }, .. }) => "told",
        What::Asked(Request { wish: Wish::Pause { .. }, .. }) => "pause",
        What::Asked(Request { wish: Wish::Resume, .. }) => "unpause",
        What::Asked(_) => "asked",
        What::Woke => "woke",
        What::Resumed(_) => "resumed",
    }
}

/// Some input, fitting or not.
pub fn any_input(state: &RunState, at: Timestamp, rng: &mut Rng) -> Input {
    let late = rng.chance(60);
    let id = EffectId(state.effects.wrapping_sub(u64::from(late)));
    let what = match rng.below(22) {
        0 => What::Signal { signal: 15, count: u32::try_from(rng.below(4)).unwrap_or(0) },
        1 => What::Asked(Request {
            id: rng.below(9).to_string(),
            wish: if rng.chance(500) { Wish::Stop } else { Wish::StopNow },
        }),
        18 => What::Asked(any_wish(state, rng)),
        20 | 21 => What::Asked(any_word(rng)),
        2 => What::Woke,
        3 => What::Resumed(Resumption {
            max_iterations: rng.pick(&[None, Some(3)]).flatten(),
            requests_wait: rng.chance(500),
            ..Resumption::default()
        }),
        other => What::Done(id, any_done(other, state, rng)),
    };
    Input { at, what }
}

/// Something to agents, or about a pause.
fn any_word(rng: &mut Rng) -> Request {
    let now = rng.chance(500);
    let wish = match rng.below(3) {
        0 => Wish::Steer { task: None, text: "so".into(), now },
        1 => Wish::Pause { now },
        _ => Wish::Resume,
    };
    Request { id: format!("word-{}", rng.draw()), wish }
}

/// Each wish of a person has a name of its own.
fn any_wish(state: &RunState, rng: &mut Rng) -> Request {
    let id = state.task_id(0);
    let change = match rng.below(5) {
        0 => TaskWish::Skip { id, why: String::new() },
        1 => TaskWish::Retry { id },
        2 => TaskWish::Approve { id },
        3 => TaskWish::Answer { id, text: "yes".into() },
        _ => TaskWish::Accept { proposal: 1 },
    };
    Request { id: format!("wish-{}", rng.draw()), wish: Wish::Task { change } }
}

fn any_done(which: u64, state: &RunState, rng: &mut Rng) -> Done {
    let head = CommitId::from("c0");
    let tree = if rng.chance(500) { TreeId::from("00") } else { state.head_tree.clone() };
    match which {
        4 => Done::WorkspaceOpened(Workspace::default()),
        5 => Done::BaselineRan(GateResults::default()),
        6 => Done::Looked(Looked::default()),
        7 => Done::CheckpointTaken(CheckpointTaken { head, tree, kept: None, notes: Vec::new() }),
        8 => Done::AgentEnded(Box::new(any_report(rng))),
        9 => Done::TreeCaptured(Captured {
            tree: rng.chance(700).then_some(tree),
            head,
            changed: rng.below(2),
            sample: Vec::new(),
            touched: Vec::new(),
            touched_left_out: 0,
            violations: Vec::new(),
            notes: vec!["note".into()],
            plan_edit: None,
        }),
        10 => Done::GatesRan(GateResults::default()),
        11 => Done::Committed { commit: head },
        12 => Done::ScmTasksRan(Vec::new()),
        13 => Done::Quarantined { reference: "r".into(), files: Vec::new() },
        14 => Done::GaveUp { branch: "wip".into(), head, tree, pushed: None },
        15 => Done::WorkspaceClosed { notes: Vec::new() },
        16 => Done::NotBegun,
        19 => {
            Done::Reapplied(Reapplied { tree: rng.chance(500).then_some(tree), notes: Vec::new() })
        }
        _ => Done::Failed(Failure {
            class: rng
                .pick(&[
                    FailureClass::Workspace,
                    FailureClass::Agent,
                    FailureClass::Preflight,
                    FailureClass::Policy,
                    FailureClass::Bug,
                ])
                .unwrap_or(FailureClass::Bug),
            what: "simulated".into(),
            help: String::new(),
        }),
    }
}

fn any_report(rng: &mut Rng) -> AgentReport {
    let ending = match rng.below(5) {
        0 => Ending::Ok,
        1 => Ending::Empty,
        2 => Ending::Budget,
        3 => Ending::Interrupted,
        _ => Ending::UsageLimit { resets_at: Some(Timestamp(i64::MAX)), detail: String::new() },
    };
    AgentReport {
        ending,
        claimed: rng.chance(500),
        handoff: None,
        last_words: String::new(),
        stderr_tail: String::new(),
        usage: Usage { input: u64::MAX, ..Usage::default() },
        took: Millis(u64::MAX),
        session: None,
        tools: u32::MAX,
        tool_errors: 0,
        denials: 0,
        leftovers: 0,
        traffic: Vec::new(),
    }
}
