//! What each ending leads to, built in and as settings ask for it; who is called meanwhile; and budgets.

use super::trial::{Call, Provider, Trial, tested};
use crate::{
    effect::{AgentCall, Effect},
    ending::Ending,
    event::{Event, StopHow, Uncharged},
    input::{Reloaded, Resumption, What},
    outcome::Outcome,
    plan::{Criterion, Plan, Status, Task},
    run::Phase,
    settings::{Length, Policy, Settings},
    time::{Millis, Timestamp},
    vocabulary::Stage,
};

/// The first call of an agent of this name ends like this, all others go well.
struct Once {
    agent: &'static str,
    ending: Option<Ending>,
}

impl Provider for Once {
    fn serve(&mut self, call: &AgentCall, _: Timestamp) -> (Call, Ending, Millis) {
        let took = Millis::secs(60);
        match self.ending.take_if(|_| call.agent == self.agent) {
            Some(ending) => (Call::Crash, ending, took),
            None => (Call::Good, Ending::Ok, took),
        }
    }
}

fn plan() -> Plan {
    let task = |id: &str| Task {
        id: id.into(),
        acceptance_criteria: vec![Criterion::Checked {
            text: "works".into(),
            check: "true".into(),
        }],
        ..Task::default()
    };
    Plan { tasks: vec![task("a"), task("b")], ..Plan::default() }
}

fn trial(settings: Settings, ending: Ending) -> Trial {
    let mut trial = Trial::of(plan(), settings, &[]);
    trial.night = Some(Box::new(Once { agent: "claude", ending: Some(ending) }));
    trial
}

fn run(settings: Settings, ending: Ending) -> Trial {
    let mut trial = trial(settings, ending);
    trial.drive();
    trial
}

fn agents(trial: &Trial) -> Vec<String> {
    let agent = |event: &Event| match event {
        Event::IterationStarted(start) => Some(start.agent.clone()),
        _ => None,
    };
    trial.events().filter_map(agent).collect()
}

fn aside(trial: &Trial) -> Option<Uncharged> {
    trial.events().find_map(|event| match event {
        Event::CallSetAside(aside) => Some(aside.counts_as),
        _ => None,
    })
}

fn limit(hours: i64) -> Ending {
    let resets_at = Some(Timestamp(hours * 3_600_000));
    Ending::UsageLimit { resets_at, detail: String::new() }
}

fn with_fallback() -> Settings {
    let mut settings = tested();
    settings.agent.fallback = vec!["codex:fast".into()];
    settings
}

#[test]
fn a_usage_limit_is_waited_for_and_the_same_iteration_runs_again() {
    let trial = run(tested(), limit(2));
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    assert_eq!(aside(&trial), Some(Uncharged::Limit));
    assert!(trial.now >= Timestamp(2 * 3_600_000));
    assert_eq!(trial.state.counters.iterations, 2);
}

#[test]
fn a_usage_limit_switches_where_another_agent_is_named_and_comes_back_after_the_reset() {
    let trial = run(with_fallback(), limit(2));
    assert_eq!(agents(&trial), ["claude", "codex", "codex"]);
    assert!(trial.now < Timestamp(3_600_000));
    let models: Vec<_> = trial
        .effects
        .iter()
        .filter_map(|(_, effect)| match effect {
            Effect::RunAgent(call) => Some(call.model.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(models, ["", "fast", "fast"]);
    let soon = Ending::UsageLimit { resets_at: Some(Timestamp(90_000)), detail: String::new() };
    assert_eq!(agents(&run(with_fallback(), soon)), ["claude", "codex", "claude"]);
}

#[test]
fn wait_holds_even_where_another_agent_is_named() {
    let mut settings = with_fallback();
    settings.endings.usage_limit = Some(Policy::Wait);
    let trial = run(settings, limit(2));
    assert_eq!(agents(&trial), ["claude", "claude", "claude"]);
    assert!(trial.now >= Timestamp(2 * 3_600_000));
}

#[test]
fn a_limit_beyond_the_longest_wait_ends_the_run_and_a_person_may_have_it_tried_again() {
    let mut trial = trial(tested(), limit(12));
    trial.drive();
    let outcome = trial.state.outcome().cloned();
    assert!(matches!(&outcome, Some(Outcome::AgentUnusable { why, .. }) if why.contains("limit")));
    assert_eq!(outcome.map(|outcome| outcome.exit_code()), Some(4));
    trial.feed(What::Resumed(Resumption::default()));
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    assert_eq!(trial.state.counters.rejected, 0);
}

#[test]
fn a_stop_during_a_wait_is_obeyed_and_the_wait_goes_on_afterwards() {
    let mut trial = trial(tested(), limit(2));
    trial.drive_until(|state| matches!(state.phase, Phase::Waiting { .. }));
    trial.feed(What::Signal { signal: 2, count: 1 });
    assert!(matches!(trial.state.stop, Some(StopHow::Signal { .. })));
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Interrupted { signal: 2 }));
    trial.feed(What::Resumed(Resumption::default()));
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    assert!(trial.now >= Timestamp(2 * 3_600_000));
}

#[test]
fn each_policy_does_what_it_says() {
    let detail = String::new;
    let set = |policy: Policy| {
        let mut settings = with_fallback();
        let endings = &mut settings.endings;
        for one in [&mut endings.overloaded, &mut endings.stalled, &mut endings.auth_failed] {
            *one = Some(policy);
        }
        settings
    };
    for ending in [
        Ending::Overloaded { detail: detail() },
        Ending::Stalled,
        Ending::AuthFailed { detail: detail() },
    ] {
        let retried = run(set(Policy::Retry), ending.clone());
        assert_eq!(agents(&retried), ["claude", "claude", "claude"], "{ending:?}");
        assert_eq!(aside(&retried), Some(Uncharged::Failure));

        let waited = run(set(Policy::Wait), ending.clone());
        assert_eq!(agents(&waited), ["claude", "claude", "claude"], "{ending:?}");
        assert!(waited.now >= Timestamp(15_000) && aside(&waited) == Some(Uncharged::Limit));

        let switched = run(set(Policy::Fallback), ending.clone());
        assert_eq!(agents(&switched).get(1).map(String::as_str), Some("codex"), "{ending:?}");

        let parked = run(set(Policy::Park), ending.clone());
        let statuses: Vec<_> = parked.state.tasks.iter().map(|task| task.status).collect();
        assert_eq!(statuses, [Status::Parked, Status::Done], "{ending:?}");
        let why = parked.events().find_map(|event| match event {
            Event::TaskMoved { to: Status::Parked, why, .. } => Some(why.clone()),
            _ => None,
        });
        assert!(why.is_some_and(|why| why.starts_with("the agent ")), "{ending:?}");

        let stopped = run(set(Policy::Stop), ending.clone());
        assert!(matches!(stopped.state.outcome(), Some(Outcome::AgentUnusable { .. })));
        assert_eq!(agents(&stopped).len(), 1, "{ending:?}");
    }
}

#[test]
fn what_is_left_of_every_budget_goes_into_the_call() {
    let mut settings = tested();
    settings.limits.max_cost_usd = 1.0;
    settings.limits.max_task_cost_usd = 0.5;
    settings.limits.max_tokens = 900;
    settings.limits.max_duration = Length(Millis::secs(600));
    let trial = run(settings, Ending::Crashed { detail: String::new() });
    let calls: Vec<&AgentCall> = trial
        .effects
        .iter()
        .filter_map(|(_, effect)| match effect {
            Effect::RunAgent(call) => Some(&**call),
            _ => None,
        })
        .collect();
    // Each call costs 0.3 and takes a minute: first on the task a, again, then on b.
    let money: Vec<_> = calls.iter().filter_map(|call| call.budget).map(|left| left.0).collect();
    assert_eq!(money, [500_000, 200_000, 400_000]);
    assert!(calls.iter().all(|call| call.tokens == Some(900)));
    let times: Vec<u64> = calls.iter().map(|call| call.hard_timeout.0 / 1000).collect();
    assert!(times[0] <= 600 && times[1] < 545 && times[2] < 485, "{times:?}");
}

#[test]
fn a_call_that_the_runs_own_limit_cut_short_is_not_charged_and_its_task_is_not_given_up() {
    for ending in [Ending::Budget, Ending::TimedOut] {
        let mut settings = tested();
        settings.limits.max_duration = Length(Millis::secs(30));
        let trial = run(settings, ending);
        assert!(matches!(trial.state.outcome(), Some(Outcome::Limit { .. })));
        assert_eq!(aside(&trial), Some(Uncharged::Cut));
        assert_eq!(trial.state.tasks[0].status, Status::InProgress);
        assert_eq!(trial.state.counters.rejected, 0);
    }
}

#[test]
fn most_of_the_runs_time_is_said_once() {
    let mut settings = tested();
    settings.limits.max_duration = Length(Millis::secs(200));
    let trial = run(settings, Ending::Crashed { detail: String::new() });
    let said = |event: &&Event| matches!(event, Event::Warned { text } if text.starts_with("75%"));
    assert_eq!(trial.events().filter(said).count(), 1);
}

#[test]
fn a_night_in_which_nobody_works_on_a_run_does_not_count_to_its_time() {
    let mut settings = tested();
    settings.limits.max_duration = Length(Millis::secs(4 * 3_600));
    let mut trial = trial(settings, Ending::Ok);
    for is_killed in [true, false] {
        trial.drive_until(|state| matches!(state.phase, Phase::Iterating(_)));
        if !is_killed {
            trial.feed(What::Signal { signal: 2, count: 1 });
            trial.drive();
            assert_eq!(trial.state.outcome(), Some(&Outcome::Interrupted { signal: 2 }));
        }
        trial.now = trial.now.plus(Millis::secs(14 * 3_600));
        trial.feed(What::Resumed(Resumption::default()));
        assert!(trial.state.outcome().is_none(), "{:?}", trial.state.outcome());
    }
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
    assert!(trial.state.idle >= Millis::secs(28 * 3_600), "{:?}", trial.state.idle);
}

#[test]
fn a_fallback_without_a_model_is_that_agent_as_it_is_usually_called() {
    let mut settings = tested();
    settings.agent.flags = vec!["--strict".into()];
    settings.agent.model = "sonnet".into();
    settings.agent.fallback = vec!["claude".into()];
    let meant = [("claude", Some("opus")), ("codex", None)];
    for (agent, model) in meant {
        let mut plan = plan();
        plan.tasks.truncate(1);
        plan.tasks[0].agent = Some(agent.into());
        plan.tasks[0].model = model.map(Into::into);
        let mut trial = Trial::of(plan, settings.clone(), &[]);
        trial.night = Some(Box::new(Once { agent, ending: Some(limit(2)) }));
        trial.drive();
        assert_eq!(trial.state.outcome(), Some(&Outcome::Done));
        assert!(trial.now < Timestamp(3_600_000), "nobody waits for {agent}");
        let calls: Vec<_> = trial
            .effects
            .iter()
            .filter_map(|(_, effect)| match effect {
                Effect::RunAgent(call) => Some((&*call.agent, &*call.model, call.flags.len())),
                _ => None,
            })
            .collect();
        let flags = usize::from(agent == "claude");
        assert_eq!(calls, [(agent, model.unwrap_or(""), flags), ("claude", "sonnet", 1)]);
        let resting: Vec<&String> = trial.state.resting.keys().collect();
        assert_eq!(resting, [if agent == "claude" { "claude:opus" } else { "codex" }]);
    }
}

#[test]
fn who_stands_in_goes_on_when_a_run_is_taken_up_unless_somebody_else_is_meant() {
    for (said, called) in [("claude", "codex"), ("gemini", "gemini")] {
        let mut trial = trial(with_fallback(), limit(2));
        trial.drive_until(|state| {
            let stood_in = |phase: &Phase| match phase {
                Phase::Iterating(it) => it.agent == "codex" && it.stage == Stage::Agent,
                _ => false,
            };
            stood_in(&state.phase)
        });
        let mut settings = trial.state.start.settings.clone();
        settings.agent.command = said.into();
        settings.agent.max_turns = 7;
        let reloaded = Some(Box::new(Reloaded { settings, ..Reloaded::default() }));
        trial.feed(What::Resumed(Resumption { reloaded, ..Resumption::default() }));
        trial.drive();
        let last = trial.effects.iter().rev().find_map(|(_, effect)| match effect {
            Effect::RunAgent(call) => Some((&*call.agent, call.max_turns)),
            _ => None,
        });
        assert_eq!(last, Some((called, 7)), "{said} is meant");
    }
}
