//! What people say to agents and how they pause a run: who hears it, what it costs, what it leaves.

use super::trial::{Trial, tested};
use crate::{
    effect::{Effect, Step},
    event::Event,
    input::{Request, What, Wish},
    plan::Criterion,
    run::{Hold, Phase, next},
    time::{Millis, Timestamp},
    vocabulary::ReviewMode,
};

const APPROVES: &str = r#"{"criteria":[{"number":1,"criterion":"is tidy","met":true,"evidence":"src/a.rs:9","comment":""}],"findings":[],"summary":"good"}"#;

fn reviewed() -> Trial {
    let mut settings = tested();
    settings.review.mode = ReviewMode::On;
    let mut plan = super::people::plan(crate::plan::Status::Pending);
    for task in &mut plan.tasks {
        task.acceptance_criteria.push(Criterion::Sentence("is tidy".into()));
    }
    let mut trial = Trial::of(plan, settings, &[]);
    trial.reviews = vec![APPROVES.into()];
    trial
}

fn ask(trial: &mut Trial, wish: Wish) {
    let id = format!("{}-{}", trial.decisions.len(), trial.state.taken.len());
    trial.feed(What::Asked(Request { id, wish }));
}

fn steer(trial: &mut Trial, task: Option<&str>, text: &str) {
    let wish = Wish::Steer { task: task.map(Into::into), text: text.into(), now: false };
    ask(trial, wish);
}

fn prompts(trial: &Trial) -> Vec<(String, String)> {
    let calls = trial.effects.iter().filter_map(|(_, effect)| match effect {
        Effect::RunAgent(call) => Some((call.task.0.clone(), call.prompt.clone())),
        _ => None,
    });
    calls.collect()
}

#[test]
fn reviewers_hear_what_the_user_says_too() {
    let mut trial = reviewed();
    steer(&mut trial, Some("a"), "call it Ada");
    trial.drive();
    let prompts = prompts(&trial);
    let told = |prompt: &str| prompt.contains("About this task: call it Ada");
    let heard: Vec<_> = prompts.iter().map(|(task, text)| (task.as_str(), told(text))).collect();
    assert_eq!(heard, [("a", true), ("a", true), ("b", false), ("b", false)]);
    let review = prompts.iter().find(|(_, text)| text.starts_with("# Review"));
    assert!(review.is_some_and(|(_, text)| text.contains("judge the work in its light")));
    assert_eq!(trial.state.steering.words[0].hold, Hold::TaskEnded);
    assert_eq!(trial.state.steering.words[0].seen, Some(1));
}

#[test]
fn the_newest_ten_words_hold_and_the_rest_is_counted() {
    let mut trial = Trial::of(super::people::plan(crate::plan::Status::Pending), tested(), &[]);
    for number in 0..13 {
        steer(&mut trial, None, &format!("word number {number:02}"));
    }
    steer(&mut trial, None, &"x".repeat(9_000));
    trial.drive();
    let (_, first) = prompts(&trial).remove(0);
    assert!(first.contains("(4 earlier messages are left out here.)"), "{first}");
    assert!(!first.contains("number 03") && first.contains("number 04"), "{first}");
    assert_eq!(first.matches('x').count() / 2_000, 1, "one word is cut");
}

#[test]
fn a_run_that_is_to_pause_starts_nothing_and_its_time_does_not_count() {
    let mut settings = tested();
    settings.limits.max_duration = crate::settings::Length::parse("1h").unwrap_or_default();
    let mut trial = Trial::of(super::people::plan(crate::plan::Status::Pending), settings, &[]);
    ask(&mut trial, Wish::Pause { now: false });
    trial.drive_until(|state| matches!(state.phase, Phase::Paused { .. }));
    assert_eq!(next(&trial.state), Step::Await { until: None });
    assert!(prompts(&trial).is_empty());
    trial.now = Timestamp(Millis::secs(7_200).0.cast_signed());
    ask(&mut trial, Wish::Pause { now: true });
    assert!(matches!(trial.state.phase, Phase::Paused { .. }), "twice is once");
    ask(&mut trial, Wish::Resume);
    trial.drive();
    assert_eq!(trial.state.outcome(), Some(&crate::outcome::Outcome::Done));
    ask(&mut trial, Wish::Pause { now: false });
    let asked = trial.events().filter(|event| matches!(event, Event::PauseRequested { .. }));
    assert_eq!(asked.count(), 1, "a run that is over does not pause");
}
