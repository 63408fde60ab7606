//! Compactions in a whole run: between iterations, in a copy, and never a reason to stop.

use super::trial::{Call, Trial, report, tested};
use crate::{
    effect::{AgentCall, Effect, Step},
    ending::Ending,
    event::Event,
    handoff::Handoff,
    input::{AgentReport, Done, Failure, FailureClass, What},
    memory::compaction::Compactor,
    outcome::Outcome,
    plan::{Criterion, Plan, Task},
    run::{Phase, next},
    settings::{CompactBy, Settings},
    vocabulary::Kind,
};

const TOLD: &str = r#"{"task_completed": {"summary": "Done.", "fully_complete": true},
    "constraints_discovered": [{"constraint": "the ledger is append only"}]}"#;

/// A plan of two tasks whose agents tell of a constraint, compacted after each iteration.
fn trial(settings: Settings) -> Trial {
    let checked = Criterion::Checked { text: "works".into(), check: "true".into() };
    let task = |id: &str| Task {
        id: id.into(),
        acceptance_criteria: vec![checked.clone()],
        ..Task::default()
    };
    let plan = Plan { tasks: vec![task("a"), task("b")], ..Plan::default() };
    let mut trial = Trial::of(plan, settings, &[Call::Good]);
    trial.handoff = Some(TOLD.into());
    trial
}

fn by(compactor: CompactBy) -> Settings {
    let mut settings = tested();
    settings.memory.interval = 1;
    settings.memory.compactor = compactor;
    settings
}

/// The run up to the call of an agent that compacts.
fn at_compactor() -> (Trial, AgentCall) {
    let mut trial = trial(by(CompactBy::Agent));
    trial.drive_until(|state| matches!(state.phase, Phase::Compacting(_)));
    let Step::Perform(_, Effect::RunAgent(call)) = next(&trial.state) else {
        panic!("nobody is asked: {:?}", trial.state.phase);
    };
    (trial, *call)
}

fn end(trial: &mut Trial, done: Done) {
    let Step::Perform(id, _) = next(&trial.state) else { panic!("{:?}", trial.state.phase) };
    trial.feed(What::Done(id, done));
}

fn answered(ending: Ending, answer: &str) -> Done {
    let handoff = Handoff::from_json(answer);
    Done::AgentEnded(Box::new(AgentReport { ending, handoff, ..report(Call::Good) }))
}

#[test]
fn an_agent_compacts_in_a_copy_and_counts_for_the_run_alone() {
    let (mut trial, call) = at_compactor();
    assert_eq!((call.kind, call.copy_of.as_ref()), (Kind::Compact, Some(&trial.state.head)));
    assert!(call.prompt.contains("the ledger is append only") && call.mcp.contains("context7"));
    let (cost, counts) = (trial.state.usage.cost, trial.state.counters.clone());
    let tasks = trial.state.tasks.clone();
    let answer =
        r#"{"project_summary": "A ledger.", "architectural_decisions": ["keep it simple"]}"#;
    end(&mut trial, answered(Ending::Ok, answer));
    let memory = &trial.state.memory;
    assert_eq!((memory.compactions, memory.records.len(), memory.bytes), (1, 0, 0));
    assert_eq!(memory.context.constraints[0].text, "the ledger is append only");
    assert_eq!(memory.context.summary, "A ledger.");
    assert_eq!(
        (trial.state.counters.iterations, &trial.state.counters.kinds),
        (counts.iterations, &counts.kinds)
    );
    assert!(
        trial.state.usage.cost > cost && trial.state.counters.by_kind[&Kind::Compact].calls == 1
    );
    assert_eq!(trial.state.tasks, tasks);
    trial.drive_until(|state| matches!(state.phase, Phase::Iterating(_)));
    let prompt =
        super::super::first_call(&trial.state).map(|(call, _)| call.prompt).unwrap_or_default();
    assert!(
        prompt.contains("the ledger is append only") && prompt.contains("A ledger."),
        "{prompt}"
    );
}

#[test]
fn the_users_template_lays_out_what_the_compactor_is_told_and_cannot_leave_the_records_out() {
    let (mut trial, call) = at_compactor();
    assert!(call.prompt.starts_with("# Compact what is known\n\n## What iterations left"));
    assert!(call.prompt.contains("\n## How to compact\n"), "{}", call.prompt);
    let templates = &mut trial.state.start.library.templates;
    templates.insert("compact".into(), "Say {{ kind }} in Latin.".into());
    let Step::Perform(_, Effect::RunAgent(call)) = next(&trial.state) else { panic!("no call") };
    assert!(call.prompt.contains("\nSay compact in Latin.\n\n## What iterations left"));
    assert!(!call.prompt.contains("## How to compact"), "{}", call.prompt);
    assert!(call.prompt.contains("the ledger is append only"), "{}", call.prompt);
}

#[test]
fn a_template_that_fails_when_memory_is_compacted_gives_way_to_the_embedded_one_and_is_told() {
    let mut trial = trial(by(CompactBy::Agent));
    let library = &mut trial.state.start.library;
    library.templates.insert("compact".into(), "{{ gone }}".into());
    trial.drive_until(|state| matches!(state.phase, Phase::Compacting(_)));
    let warned =
        |event: &Event| matches!(event, Event::Warned { text } if text.contains("compact.md"));
    assert!(trial.events().any(warned));
    let Step::Perform(_, Effect::RunAgent(call)) = next(&trial.state) else { panic!("no call") };
    assert!(call.prompt.contains("## How to compact"), "{}", call.prompt);
}

#[test]
fn whatever_becomes_of_the_agent_ralph_compacts_and_the_run_goes_on() {
    let failure =
        Failure { class: FailureClass::Workspace, what: "no room".into(), help: String::new() };
    for done in [
        answered(Ending::Crashed { detail: "x".into() }, "{}"),
        answered(Ending::AuthFailed { detail: "x".into() }, "{}"),
        answered(Ending::TimedOut, "{}"),
        answered(Ending::Ok, r#"{"project_summary": ""}"#),
        Done::NotBegun,
        Done::Failed(failure),
    ] {
        let (mut trial, _) = at_compactor();
        end(&mut trial, done.clone());
        let compacted = trial.events().find_map(|event| match event {
            Event::MemoryCompacted(compaction) => Some(compaction.clone()),
            _ => None,
        });
        let compacted = compacted.unwrap_or_else(|| panic!("{done:?}"));
        assert!(
            matches!(&compacted.by, Compactor::BuiltIn { why } if !why.is_empty()),
            "{:?}",
            compacted.by
        );
        assert_eq!(compacted.context.constraints.len(), 1);
        let is_told =
            |one: &crate::run::Warning| one.text.starts_with("memory: ralph compacted it in place");
        assert!(trial.state.warnings.all.iter().any(is_told), "{done:?}");
        trial.drive();
        assert_eq!(trial.state.outcome(), Some(&Outcome::Done), "{done:?}");
    }
}

#[test]
fn a_usage_limit_of_the_compactor_is_known_to_whoever_works_next() {
    let (mut trial, _) = at_compactor();
    let resets_at = Some(trial.now.plus(crate::time::Millis::secs(600)));
    end(&mut trial, answered(Ending::UsageLimit { resets_at, detail: String::new() }, "{}"));
    assert!(trial.state.resting.contains_key("claude") && trial.state.memory.compactions == 1);
}

#[test]
fn without_an_agent_memory_is_compacted_in_the_decision_that_starts_the_next_iteration() {
    let mut trial = trial(by(CompactBy::BuiltIn));
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    let decision = trial.decisions.iter().find(|decision| {
        decision.events.iter().any(|event| matches!(event, Event::MemoryCompacted(_)))
    });
    let started = decision.map(|decision| {
        decision.events.iter().any(|event| matches!(event, Event::IterationStarted(_)))
    });
    assert_eq!(started, Some(true));
    assert_eq!(trial.state.counters.iterations, 2);
}

#[test]
fn an_agent_that_takes_no_servers_is_not_asked() {
    let mut settings = by(CompactBy::Agent);
    settings.agent.compact.command = Some("my-agent".into());
    let mut trial = trial(settings);
    trial.drive();
    assert!(!trial.events().any(|event| matches!(event, Event::CompactionBegan(_))));
    assert_eq!(trial.state.memory.compactions, 1);
}

#[test]
fn what_an_agent_can_do_is_what_was_pinned_and_not_what_is_known_of_its_name_today() {
    let prompt = |agent: &str, described: bool| {
        let mut settings = tested();
        settings.agent.command = agent.into();
        if described {
            settings.agents.insert(agent.into(), crate::settings::CustomAgent::default());
        }
        let trial = Trial::idle(settings, &[]);
        super::super::first_call(&trial.state).map(|(call, _)| call.prompt).unwrap_or_default()
    };
    let asks_for_a_block = |text: String| text.contains("End with a handoff");
    assert!(!asks_for_a_block(prompt("claude", false)));
    assert!(!asks_for_a_block(prompt("/opt/bin/claude --x", false)), "by the program's name");
    assert!(asks_for_a_block(prompt("codex", false)), "nothing of it was pinned");
    assert!(asks_for_a_block(prompt("claude", true)), "the user's own of that name");
}
