//! A run of the real machine through a whole story: one task per iteration, every one accepted at once.

use ralph_core::{
    effect::{AgentCall, Effect, RunGates, Step},
    ending::Ending,
    event::{Decision, Event, FORMAT, Source},
    gates::report::{CheckReport, CommandEnd, GateResults},
    handoff::Handoff,
    ids::{CommitId, TreeId},
    input::{AgentReport, Captured, CheckpointTaken, Done, Input, Looked, What, Workspace},
    memory::compaction::Compaction,
    plan::{Criterion, Plan, Task},
    run::{RunState, StartOptions, begin, decide, next},
    settings::{CompactBy, Settings},
    time::{Millis, Timestamp},
    usage::Usage,
    vocabulary::{Kind, ReviewMode},
};

/// What was seen on the way.
#[derive(Debug, Default)]
pub struct Seen {
    pub decisions: Vec<Decision>,
    /// Prompts of coding iterations.
    pub prompts: Vec<String>,
    pub compactions: Vec<Compaction>,
}

/// Runs a plan of as many tasks as there are handoffs, with ralph itself as the compactor.
pub fn walk(handoffs: &[String], budget: usize) -> (RunState, Seen) {
    let mut settings = Settings::default();
    settings.review.mode = ReviewMode::Off;
    settings.memory.compactor = CompactBy::BuiltIn;
    settings.memory.context_budget_tokens = budget;
    settings.limits.max_iterations = u32::try_from(handoffs.len()).unwrap_or(u32::MAX) + 5;
    let tasks = (1..=handoffs.len()).map(task).collect();
    let plan = Plan { project: "shop".into(), tasks, ..Plan::default() };
    let started = begin(Source::Plan, plan, settings, StartOptions::default());
    let first =
        decision(0, started.into_iter().map(|start| Event::RunStarted(Box::new(start))).collect());
    let mut state = RunState::fold([&first]).unwrap_or_else(|| panic!("the run may not start"));
    let mut seen = Seen { decisions: vec![first], ..Seen::default() };
    let mut called = 0;
    loop {
        let (id, effect) = match next(&state) {
            Step::Perform(id, effect) => (id, effect),
            Step::Finished => return (state, seen),
            step => panic!("nothing waits in this world: {step:?}"),
        };
        let done = answer(&effect, handoffs, &mut called, &mut seen);
        let input = Input { at: Timestamp(0), what: What::Done(id, done) };
        let events = decide(&state, &input);
        assert!(!events.is_empty(), "nothing follows from {input:?}");
        let decision = decision(state.seq, events);
        state.apply(&decision);
        seen.compactions.extend(decision.events.iter().filter_map(|event| match event {
            Event::MemoryCompacted(compaction) => Some((**compaction).clone()),
            _ => None,
        }));
        seen.decisions.push(decision);
    }
}

fn task(number: usize) -> Task {
    Task {
        id: format!("T-{number:03}").as_str().into(),
        title: format!("Piece of work number {number}"),
        description: "Change the shop as its owner wishes, and keep its rules.".into(),
        acceptance_criteria: vec![Criterion::Checked {
            text: "works".into(),
            check: "true".into(),
        }],
        ..Task::default()
    }
}

fn decision(seq: u64, events: Vec<Event>) -> Decision {
    Decision { v: FORMAT, run: "walk".into(), lane: 0, seq, at: Timestamp(0), events }
}

fn answer(effect: &Effect, handoffs: &[String], called: &mut usize, seen: &mut Seen) -> Done {
    match effect {
        Effect::OpenWorkspace(_) => Done::WorkspaceOpened(Workspace {
            head: "c0".into(),
            tree: "t0".into(),
            ..Workspace::default()
        }),
        Effect::RunBaseline(gates) => Done::BaselineRan(passed(gates)),
        Effect::Look(_) => Done::Looked(Looked::default()),
        Effect::Checkpoint(checkpoint) => Done::CheckpointTaken(CheckpointTaken {
            head: checkpoint.head.clone(),
            tree: "t0".into(),
            kept: None,
            notes: Vec::new(),
        }),
        Effect::RunAgent(call) => Done::AgentEnded(Box::new(agent(call, handoffs, called, seen))),
        Effect::CaptureTree(capture) => Done::TreeCaptured(Captured {
            tree: Some(TreeId(format!("t{called}"))),
            head: capture.head.clone(),
            changed: 3,
            sample: vec!["src/shop.rs".into()],
            touched: Vec::new(),
            touched_left_out: 0,
            violations: Vec::new(),
            notes: Vec::new(),
            plan_edit: None,
        }),
        Effect::RunGates(gates) => Done::GatesRan(passed(gates)),
        Effect::Commit(commit) => {
            Done::Committed { commit: CommitId(format!("c{}", commit.iteration)) }
        }
        Effect::CloseWorkspace(_) => Done::WorkspaceClosed { notes: Vec::new() },
        effect => panic!("nothing goes wrong in this world: {effect:?}"),
    }
}

fn agent(
    call: &AgentCall,
    handoffs: &[String],
    called: &mut usize,
    seen: &mut Seen,
) -> AgentReport {
    assert_eq!(call.kind, Kind::Implement);
    seen.prompts.push(call.prompt.clone());
    let handoff = handoffs.get(*called).and_then(|text| Handoff::from_json(text));
    *called += 1;
    AgentReport {
        ending: Ending::Ok,
        claimed: true,
        handoff,
        last_words: String::new(),
        stderr_tail: String::new(),
        usage: Usage::default(),
        took: Millis(1),
        session: None,
        tools: 0,
        tool_errors: 0,
        denials: 0,
        leftovers: 0,
        traffic: Vec::new(),
    }
}

fn passed(run: &RunGates) -> GateResults {
    let checks = run.checks.iter().map(|check| CheckReport {
        criterion: check.criterion,
        command: check.command.clone(),
        end: CommandEnd::Exited { code: 0 },
        took: Millis(1),
        output: String::new(),
        log: String::new(),
        changed: Vec::new(),
    });
    GateResults { gates: Vec::new(), checks: checks.collect(), ..GateResults::default() }
}
