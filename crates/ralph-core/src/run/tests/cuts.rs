//! Calls that somebody or something cuts short: what ends, what it counts as, and what is remembered of it.

use super::trial::{Call, Trial, report, tested};
use crate::{
    effect::{AgentCall, Effect, Step},
    ending::Ending,
    event::{Event, SetAside, Source, Uncharged},
    handoff::Handoff,
    input::{AgentReport, Done, Failure, FailureClass, Request, Resumption, What, Wish},
    outcome::Outcome,
    plan::{Criterion, Plan, Status, Task},
    run::{Phase, RunState, next},
    settings::{CompactBy, Length, Settings},
    time::Millis,
    vocabulary::{Kind, Stage},
};

const TOLD: &str = r#"{"task_completed": {"summary": "Done.", "fully_complete": true},
    "constraints_discovered": [{"constraint": "the ledger is append only"}]}"#;

/// Two tasks whose agents tell of a constraint; an agent compacts memory after each iteration.
fn trial(mut settings: Settings) -> Trial {
    settings.memory.interval = 1;
    settings.memory.compactor = CompactBy::Agent;
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

fn ask(trial: &mut Trial, wish: Wish) {
    let id = format!("{}-{}", trial.decisions.len(), trial.state.taken.len());
    trial.feed(What::Asked(Request { id, wish }));
}

fn is_at(stage: Stage) -> impl Fn(&RunState) -> bool {
    move |state| matches!(&state.phase, Phase::Iterating(iteration) if iteration.stage == stage)
}

fn call_ends(trial: &mut Trial, ending: Ending) {
    let (Step::Perform(id, _) | Step::Interrupt(id, _)) = next(&trial.state) else {
        panic!("{:?}", trial.state.phase);
    };
    trial.called += 1;
    trial.now = trial.now.plus(Millis::secs(60));
    let handoff = Handoff::from_json(TOLD);
    let report = AgentReport { ending, handoff, ..report(Call::Good) };
    trial.feed(What::Done(id, Done::AgentEnded(Box::new(report))));
}

fn asides(trial: &Trial) -> Vec<&SetAside> {
    let asides = trial.events().filter_map(|event| match event {
        Event::CallSetAside(aside) => Some(aside),
        _ => None,
    });
    asides.collect()
}

fn is_known(trial: &Trial) -> bool {
    let memory = &trial.state.memory;
    let records = memory.records.iter().flat_map(|record| &record.constraints);
    let known = memory.context.constraints.iter().map(|one| &one.text);
    known.chain(records.map(|one| &one.text)).any(|text| text == "the ledger is append only")
}

#[test]
fn a_word_that_comes_too_late_for_its_call_cuts_no_other() {
    let now = true;
    for wish in [Wish::Steer { task: None, text: "be brief".into(), now }, Wish::Pause { now }] {
        let mut trial = trial(tested());
        trial.drive_until(is_at(Stage::Agent));
        ask(&mut trial, wish.clone());
        assert!(matches!(next(&trial.state), Step::Interrupt(..)), "{wish:?}");
        call_ends(&mut trial, Ending::Ok);
        trial.drive_until(|state| {
            matches!(state.phase, Phase::Paused { .. } | Phase::Compacting(_))
        });
        ask(&mut trial, Wish::Resume);
        trial.drive_until(|state| matches!(state.phase, Phase::Compacting(_)));
        let Step::Perform(_, Effect::RunAgent(call)) = next(&trial.state) else {
            panic!("{wish:?}: {:?}", next(&trial.state));
        };
        assert_eq!(call.kind, Kind::Compact);
    }
}

#[test]
fn a_pause_that_is_to_begin_at_once_ends_a_compaction_too() {
    let mut trial = trial(tested());
    trial.drive_until(|state| matches!(state.phase, Phase::Compacting(_)));
    let word = Wish::Steer { task: None, text: "be brief".into(), now: true };
    ask(&mut trial, word);
    assert!(matches!(next(&trial.state), Step::Perform(..)), "the next call hears it anyway");
    ask(&mut trial, Wish::Pause { now: true });
    assert!(matches!(next(&trial.state), Step::Interrupt(..)));
    call_ends(&mut trial, Ending::Interrupted);
    trial.drive_until(|state| matches!(state.phase, Phase::Paused { .. }));
    assert!(is_known(&trial) && trial.state.memory.compactions == 1);
    ask(&mut trial, Wish::Resume);
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    assert!(asides(&trial).is_empty());
}

#[test]
fn a_call_that_a_pause_cut_is_not_charged_though_the_pause_is_over_before_its_work_is_kept() {
    for (stage, ending) in [
        (Stage::Capture, Ending::Interrupted),
        (Stage::Quarantine, Ending::Interrupted),
        (Stage::Quarantine, Ending::TimedOut),
    ] {
        let mut trial = trial(tested());
        trial.drive_until(is_at(Stage::Agent));
        ask(&mut trial, Wish::Pause { now: true });
        call_ends(&mut trial, ending);
        trial.drive_until(is_at(stage));
        ask(&mut trial, Wish::Resume);
        trial.drive();
        let counted: Vec<_> =
            asides(&trial).iter().map(|aside| (aside.counts_as, aside.work.is_some())).collect();
        assert_eq!(counted, [(Uncharged::Interrupt, true)], "{stage:?}");
        assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
        assert_eq!((trial.state.counters.rejected, trial.state.counters.uncharged), (0, 0));
    }
}

#[test]
fn what_a_finished_call_told_is_known_though_a_stop_cut_its_gates_and_no_other_call_follows() {
    let mut settings = tested();
    settings.limits.max_task_cost_usd = 0.1;
    let mut trial = trial(settings);
    trial.drive_until(is_at(Stage::Gates));
    trial.feed(What::Signal { signal: 2, count: 1 });
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Interrupted { signal: 2 }));
    assert!(is_known(&trial));
    trial.handoff = None;
    trial.feed(What::Resumed(Resumption::default()));
    trial.drive_until(|state| matches!(state.phase, Phase::Compacting(_)));
    assert_eq!(trial.state.tasks[0].status, Status::Failed, "it may not be called again");
    assert_eq!(trial.state.memory.iterations, 1);
    let Step::Perform(_, Effect::RunAgent(call)) = next(&trial.state) else { panic!("no call") };
    assert!(call.prompt.contains("the ledger is append only"), "{}", call.prompt);
}

#[test]
fn what_a_finished_call_told_is_known_though_its_work_could_not_be_captured() {
    let mut trial = trial(tested());
    trial.drive_until(is_at(Stage::Capture));
    let Step::Perform(id, _) = next(&trial.state) else { panic!("{:?}", trial.state.phase) };
    let class = FailureClass::Workspace;
    let failure = Failure { class, what: "the disk is full".into(), help: String::new() };
    trial.feed(What::Done(id, Done::Failed(failure)));
    trial.drive();
    assert!(matches!(trial.state.outcome(), Some(Outcome::Workspace { .. })));
    assert!(is_known(&trial));
    trial.handoff = None;
    trial.feed(What::Resumed(Resumption::default()));
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    let told: Vec<bool> = trial.effects.iter().filter_map(|(_, effect)| tells(effect)).collect();
    assert_eq!(told, [false, true, true], "an iteration that runs again is told as well");
}

fn tells(effect: &Effect) -> Option<bool> {
    let works = |call: &AgentCall| call.kind == Kind::Implement;
    match effect {
        Effect::RunAgent(call) if works(call) => {
            Some(call.prompt.contains("the ledger is append only"))
        }
        _ => None,
    }
}

#[test]
fn a_call_that_a_limit_of_the_run_cut_never_makes_its_agent_unusable() {
    let mut settings = tested();
    settings.limits.max_uncharged = 0;
    settings.limits.max_retries = 0;
    settings.limits.max_duration = Length(Millis::secs(30));
    for ending in [Ending::TimedOut, Ending::Budget] {
        let mut trial = trial(settings.clone());
        trial.drive_until(is_at(Stage::Agent));
        call_ends(&mut trial, ending.clone());
        trial.drive();
        assert!(
            matches!(trial.state.outcome(), Some(Outcome::Limit { .. })),
            "{ending:?}: {:?}",
            trial.state.outcome()
        );
        assert_eq!(asides(&trial).first().map(|aside| aside.counts_as), Some(Uncharged::Cut));
    }
}

#[test]
fn what_was_given_up_is_kept_once_whatever_limit_the_run_is_taken_up_with() {
    let mut trial = Trial::idle(tested(), &[Call::Red; 9]);
    trial.state.start.source = Source::Prompt { file: None, text: "make it".into() };
    trial.drive_until(|state| {
        matches!(&state.phase, Phase::Iterating(iteration) if iteration.stage == Stage::GiveUp)
    });
    let before = next(&trial.state);
    assert!(matches!(before, Step::Perform(_, Effect::GiveUp(_))), "{before:?}");
    trial.state.start.max_iterations = 40;
    trial.state.start.is_limit_given = true;
    assert_eq!(next(&trial.state), before);
}
