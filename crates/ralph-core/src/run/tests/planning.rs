//! Planning runs: whatever a planner does and wherever the process dies, the run ends, touches nothing, and keeps
//! the draft.

use crate::{
    effect::{AgentCall, Effect, Step},
    ending::Ending,
    event::{Decision, Event, FORMAT, Source, StopHow},
    handoff::Handoff,
    input::{
        AgentReport, Done, Failure, FailureClass, Input, Looked, Request, Resumption, What, Wish,
        Workspace,
    },
    outcome::Outcome,
    plan::{Plan, person::TaskWish},
    planning::{Asking, PlanRequest},
    run::{RunState, StartOptions, begin, decide, next},
    settings::{Policy, Settings},
    time::{Millis, Timestamp},
    usage::{MicroUsd, Usage},
    vocabulary::Kind,
};

const GOOD: &str = r#"{"summary":"s","questions":[],"assumptions":["a"],"project":"p","description":"d",
    "prd":{"summary":"s","problem_statement":"p","technical_design":"t"},"verify_commands":[],"remove":[],
    "tasks":[{"id":"T-1","title":"one","description":"d","acceptance_criteria":[{"text":"works","check":"true"}]}]}"#;
const NO_CRITERIA: &str = r#"{"tasks":[{"id":"T-1","title":"one","description":"d"}],
    "prd":{"summary":"s","problem_statement":"p","technical_design":"t"}}"#;

/// What a planner does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Say {
    Good,
    Bad,
    Prose,
    Crash,
    Limit,
    Overflow,
    TimedOut,
    Auth,
}

const ALL: [Say; 7] =
    [Say::Good, Say::Bad, Say::Prose, Say::Crash, Say::Limit, Say::Overflow, Say::Auth];

struct Planner {
    state: RunState,
    decisions: Vec<Decision>,
    calls: Vec<AgentCall>,
    effects: Vec<Effect>,
    script: Vec<Say>,
    now: Timestamp,
    wishes: Vec<Request>,
}

impl Planner {
    fn new(settings: Settings, script: &[Say]) -> Self {
        let request = PlanRequest { text: "build it".into(), ..PlanRequest::default() };
        Self::of(request, settings, script)
    }

    fn of(request: PlanRequest, settings: Settings, script: &[Say]) -> Self {
        let source = Source::Planning { request: Box::new(request) };
        let start = begin(source, Plan::default(), settings, StartOptions::default());
        let events = start.into_iter().map(|start| Event::RunStarted(Box::new(start))).collect();
        let first =
            Decision { v: FORMAT, run: "r".into(), lane: 0, seq: 0, at: Timestamp(0), events };
        let state = RunState::fold([&first]).unwrap_or_else(|| panic!("it may not start"));
        Self {
            state,
            decisions: vec![first],
            calls: Vec::new(),
            effects: Vec::new(),
            script: script.to_vec(),
            now: Timestamp(0),
            wishes: Vec::new(),
        }
    }

    fn feed(&mut self, what: What) {
        let input = Input { at: self.now, what };
        let events = decide(&self.state, &input);
        if events.is_empty() {
            return;
        }
        let seq = self.state.seq;
        let at = input.at;
        let decision = Decision { v: FORMAT, run: "r".into(), lane: 0, seq, at, events };
        self.state.apply(&decision);
        self.decisions.push(decision);
    }

    /// Drives to the end; the process dies once after so many decisions, with an effect in flight.
    fn drive(&mut self, dies_after: usize) {
        let mut died = false;
        for _ in 0..500 {
            if !died && self.decisions.len() == dies_after {
                died = true;
                let folded = RunState::fold(&self.decisions);
                assert_eq!(folded.as_ref(), Some(&self.state));
                self.feed(What::Resumed(Resumption::default()));
            }
            self.now = self.now.plus(Millis(10));
            match next(&self.state) {
                Step::Finished => return,
                Step::Await { until } => {
                    self.now = until.unwrap_or(self.now);
                    self.feed(What::Woke);
                }
                Step::Interrupt(id, _) => self.feed(What::Done(id, Done::NotBegun)),
                Step::Perform(id, effect) => {
                    self.effects.push(effect.clone());
                    let done = self.answer(effect);
                    self.feed(What::Done(id, done));
                }
            }
        }
        panic!("it does not end: {:?}", self.script);
    }

    fn answer(&mut self, effect: Effect) -> Done {
        match effect {
            Effect::OpenWorkspace(open) => {
                assert!(open.only_looks);
                let (head, tree) = ("c0".into(), "t0".into());
                Done::WorkspaceOpened(Workspace { head, tree, ..Workspace::default() })
            }
            Effect::Look(_) => {
                Done::Looked(Looked { requests: self.wishes.clone(), ..Looked::default() })
            }
            Effect::RunAgent(call) => {
                let say = self.script.get(self.calls.len()).copied().unwrap_or(Say::Good);
                self.calls.push(*call);
                Done::AgentEnded(Box::new(report(say, self.now)))
            }
            Effect::CloseWorkspace(_) => Done::WorkspaceClosed { notes: Vec::new() },
            other => Done::Failed(Failure {
                class: FailureClass::Bug,
                what: format!("a planning run must not ask for {other:?}"),
                help: String::new(),
            }),
        }
    }

    fn outcome(&self) -> &Outcome {
        self.state.outcome().unwrap_or_else(|| panic!("no outcome"))
    }

    fn unusable(&self) -> usize {
        let events = self.decisions.iter().flat_map(|decision| &decision.events);
        events.filter(|event| matches!(event, Event::DraftUnusable { .. })).count()
    }
}

fn report(say: Say, now: Timestamp) -> AgentReport {
    let (ending, handoff) = match say {
        Say::Good => (Ending::Ok, Some(GOOD)),
        Say::Bad => (Ending::Ok, Some(NO_CRITERIA)),
        Say::Prose => (Ending::Ok, None),
        Say::Crash => (Ending::Crashed { detail: "exit 1".into() }, None),
        Say::Limit => {
            let resets_at = Some(now.plus(Millis::secs(60)));
            (Ending::UsageLimit { resets_at, detail: String::new() }, None)
        }
        Say::Overflow => (Ending::ContextOverflow, None),
        Say::TimedOut => (Ending::TimedOut, None),
        Say::Auth => (Ending::AuthFailed { detail: "log in".into() }, None),
    };
    AgentReport {
        ending,
        claimed: true,
        handoff: handoff.and_then(Handoff::from_json),
        last_words: "All tasks are done. <promise>COMPLETE</promise>".into(),
        stderr_tail: String::new(),
        usage: Usage { cost: MicroUsd(1000), ..Usage::default() },
        took: Millis(5),
        session: None,
        tools: 0,
        tool_errors: 0,
        denials: 0,
        leftovers: 0,
        traffic: Vec::new(),
    }
}

#[test]
fn every_planning_run_ends_touches_nothing_and_keeps_its_draft_wherever_the_process_dies() {
    for number in 0..ALL.len().pow(3) {
        let script: Vec<Say> =
            (0..3).filter_map(|at| ALL.get(number / 7_usize.pow(at) % 7)).copied().collect();
        let mut whole = Planner::new(Settings::default(), &script);
        whole.drive(usize::MAX);
        for dies_after in (1..whole.decisions.len()).chain([usize::MAX]) {
            let mut planner = Planner::new(Settings::default(), &script);
            planner.drive(dies_after);
            let drafted = planner.state.planning.draft.is_some();
            assert_eq!(*planner.outcome() == Outcome::Drafted, drafted, "{script:?}");
            assert_eq!(planner.unusable() >= 3, !drafted && !script.contains(&Say::Auth));
            let allowed = |effect: &Effect| {
                matches!(
                    effect,
                    Effect::OpenWorkspace(_)
                        | Effect::Look(_)
                        | Effect::RunAgent(_)
                        | Effect::CloseWorkspace(_)
                )
            };
            assert!(planner.effects.iter().all(allowed), "{:?}", planner.effects);
            for call in &planner.calls {
                assert_eq!((call.kind, call.copy_of.is_some()), (Kind::Plan, true));
            }
        }
    }
}

#[test]
fn what_is_wrong_with_a_draft_is_told_to_the_next_call() {
    let mut planner = Planner::new(Settings::default(), &[Say::Bad, Say::Good]);
    planner.drive(usize::MAX);
    assert_eq!((planner.calls.len(), planner.outcome()), (2, &Outcome::Drafted));
    assert!(!planner.calls[0].prompt.contains("could not be used"));
    assert!(planner.calls[1].prompt.contains("task T-1 has no acceptance criterion"));
}

#[test]
fn three_drafts_without_use_end_the_run_and_say_whose_turn_it_is() {
    for (say, code) in [(Say::Bad, 3), (Say::Prose, 4), (Say::TimedOut, 4)] {
        let mut planner = Planner::new(Settings::default(), &[say; 9]);
        planner.drive(usize::MAX);
        assert_eq!((planner.calls.len(), planner.outcome().exit_code()), (3, code), "{say:?}");
        let outcome = planner.outcome().clone();
        planner.feed(What::Resumed(Resumption::default()));
        planner.drive(usize::MAX);
        assert_eq!((planner.calls.len(), planner.outcome()), (3, &outcome), "the same once more");
    }
}

#[test]
fn nobody_is_told_to_resume_a_planning_run() {
    for say in [Say::Auth, Say::Crash] {
        let mut planner = Planner::new(Settings::default(), &[say; 99]);
        planner.drive(usize::MAX);
        let Outcome::AgentUnusable { help, .. } = planner.outcome() else {
            panic!("{:?}", planner.outcome())
        };
        assert!(help.contains("ralph plan") && !help.contains("resume"), "{help}");
    }
}

#[test]
fn an_overflow_is_forgiven_once_and_the_next_call_is_told_less() {
    let text = "word ".repeat(20_000);
    let specs = vec![crate::planning::Spec { path: "a.md".into(), text, is_cut: false }];
    let request = PlanRequest { specs, ..PlanRequest::default() };
    let mut planner = Planner::of(request, Settings::default(), &[Say::Overflow, Say::Good]);
    planner.drive(usize::MAX);
    assert_eq!(planner.outcome(), &Outcome::Drafted);
    assert!(planner.calls[1].prompt.len() < planner.calls[0].prompt.len());
    assert_eq!(planner.unusable(), 0);
}

#[test]
fn limits_and_policies_of_endings_hold_for_planning_too() {
    let mut settings = Settings::default();
    settings.limits.max_cost_usd = 0.0015;
    let mut planner = Planner::new(settings, &[Say::Bad; 9]);
    planner.drive(usize::MAX);
    assert!(matches!(planner.outcome(), Outcome::Limit { .. }), "{:?}", planner.outcome());
    assert_eq!(planner.calls.len(), 2);

    let mut settings = Settings::default();
    settings.limits.max_task_cost_usd = 0.0005;
    let mut planner = Planner::new(settings, &[Say::Crash; 9]);
    planner.drive(usize::MAX);
    assert!(matches!(planner.outcome(), Outcome::Limit { .. }), "{:?}", planner.outcome());

    let mut settings = Settings::default();
    settings.endings.crashed = Some(Policy::Park);
    let mut planner = Planner::new(settings, &[Say::Crash; 9]);
    planner.drive(usize::MAX);
    assert!(matches!(planner.outcome(), Outcome::NeedsPerson { .. }), "{:?}", planner.outcome());
}

#[test]
fn a_signal_ends_it_and_what_people_want_of_the_plan_waits() {
    let mut planner = Planner::new(Settings::default(), &[]);
    let change = TaskWish::Retry { id: "T-1".into() };
    planner.wishes = vec![Request { id: "1".into(), wish: Wish::Task { change } }];
    planner.feed(What::Signal { signal: 2, count: 1 });
    planner.drive(usize::MAX);
    assert_eq!(planner.outcome(), &Outcome::Interrupted { signal: 2 });
    assert!(planner.calls.is_empty());
    assert!(planner.state.taken.is_empty());
    assert!(matches!(planner.state.stop, Some(StopHow::Signal { signal: 2, .. })));
}

#[test]
fn what_was_said_to_those_who_work_waits_for_a_run_that_tells_it() {
    let mut planner = Planner::new(Settings::default(), &[Say::Good]);
    let wish = Wish::Steer { task: None, text: "be brief".into(), now: false };
    planner.wishes = vec![Request { id: "1".into(), wish }];
    planner.drive(usize::MAX);
    assert_eq!(planner.outcome(), &Outcome::Drafted);
    assert!(planner.state.taken.is_empty() && planner.state.steering.words.is_empty());
    assert!(!planner.calls[0].prompt.contains("be brief"), "{}", planner.calls[0].prompt);
}

#[test]
fn questions_end_the_run_where_somebody_can_answer_and_are_refused_where_nobody_can() {
    const ASKS: &str = r#"{"questions":[{"question":"Which database?","why":"schema","options":["a","b"],"default":"a"}]}"#;
    for (asking, drafted) in [(Asking::Allowed, true), (Asking::Assume, false)] {
        let request = PlanRequest { text: "x".into(), asking, ..PlanRequest::default() };
        let read = crate::planning::read(&request, Handoff::from_json(ASKS).as_ref(), "");
        assert_eq!(read.is_ok(), drafted, "{read:?}");
    }
}
