//! What `ralph status` shows, from scripted runs.

use jiff::tz::TimeZone;
use ralph_agents::live_event::News;
use ralph_core::{
    event::Event,
    outcome::Outcome,
    plan::{Status, Task},
    timeline::Timeline,
};

use super::{render::LISTED, *};
use crate::reporters::{
    console::next_command,
    line::Look,
    tests::scripts::{self, Beat},
};

fn folded(beats: Vec<Beat>) -> Timeline {
    let mut timeline = Timeline::default();
    for beat in beats {
        if let Beat::News(News::Decided(decision)) = beat {
            timeline.apply(&decision);
        }
    }
    timeline
}

fn last(timeline: &Timeline, running: bool) -> LastRun<'_> {
    let state = timeline.state().unwrap_or_else(|| panic!("the script has no start"));
    let now = timeline.last();
    let since = Since { can_resume: true, ..Since::default() };
    LastRun { timeline, state, edited: None, others_open: 0, running, since, now }
}

fn shown(view: &StatusView) -> String {
    render::status(view, &TimeZone::UTC, false)
        .iter()
        .flat_map(|entry| entry.render(Look::default(), Some(100)))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_run_with_a_failure_says_what_is_blocked_and_what_to_type() {
    let timeline = folded(scripts::given_up());
    let view = StatusView::of_run(&last(&timeline, false));
    insta::assert_snapshot!("status_given_up", shown(&view));
}

#[test]
fn a_crashed_run_can_be_resumed_and_a_live_one_stopped() {
    let mut beats = scripts::happy();
    beats.truncate(beats.len() / 2);
    let timeline = folded(beats);
    let mut last = last(&timeline, false);
    assert_eq!(StatusView::of_run(&last).next, "ralph resume, or ralph stop");
    last.running = true;
    assert_eq!(StatusView::of_run(&last).next, "wait, or ralph stop");
}

#[test]
fn json_status_has_a_version_and_the_documented_keys() {
    let timeline = folded(scripts::rejection_then_success());
    let view = StatusView::of_run(&last(&timeline, false));
    let json = serde_json::to_value(&view).unwrap_or_default();
    assert_eq!(json["v"], 1);
    assert_eq!(json["counts"]["done"], 1);
    assert_eq!(json["run"]["exit_code"], 1);
    assert_eq!(json["tasks"][0]["labels"][0], "1 criterion unreviewed");
    assert_eq!(json["next"], "ralph resume");
}

#[test]
fn a_long_list_hides_finished_tasks_first_and_says_so() {
    let task =
        |nth: usize, status| Task { id: format!("T-{nth:03}").into(), status, ..Task::default() };
    let mut tasks: Vec<Task> = (0..100).map(|nth| task(nth, Status::Done)).collect();
    tasks.push(task(100, Status::Failed));
    let view = StatusView::of_plan(&Plan { tasks, ..Plan::default() }, Vec::new());
    let text = shown(&view);
    assert!(text.contains("T-100"), "{text}");
    assert!(text.contains("and 71 tasks more; -v shows all"), "{text}");
    assert_eq!(text.lines().count(), LISTED + 3);
}

#[test]
fn a_plan_that_was_changed_after_the_run_says_what_holds() {
    let timeline = folded(scripts::given_up());
    let mut last = last(&timeline, false);
    let mut plan = last.state.plan_view();
    for task in &mut plan.tasks {
        task.status = Status::Pending;
    }
    last.edited = Some(plan);
    let view = StatusView::of_run(&last);
    assert_eq!((view.counts.done, view.counts.failed), (0, 0));
    assert_eq!(view.next, "ralph run");
    let stale = view.tasks.iter().any(|task| task.commit.is_some() || !task.line.labels.is_empty());
    assert!(!stale, "what the run knew of a task that was reopened no longer holds");
}

#[test]
fn a_parked_task_shows_its_question_and_a_requested_change_its_reason() {
    let timeline = folded(scripts::given_up());
    let mut last = last(&timeline, false);
    let mut plan = last.state.plan_view();
    let tasks = [(Status::Parked, Some("Which database?")), (Status::NeedsReview, None)];
    plan.tasks.truncate(tasks.len());
    for (task, (status, question)) in plan.tasks.iter_mut().zip(tasks) {
        task.status = status;
        task.question = question.map(Into::into);
        task.review_count = Some(2);
    }
    last.edited = Some(plan);
    let text = shown(&StatusView::of_run(&last));
    assert!(text.contains("it asks: Which database?"), "{text}");
    assert!(text.contains("needs review  2 reviews"), "{text}");
}

#[test]
fn what_to_type_is_the_same_at_the_end_of_a_run_and_later() {
    let why = || String::from("it asks");
    let moved =
        |to| Event::TaskMoved { task: "T-001".into(), from: Status::InProgress, to, why: why() };
    let asked =
        Event::QuestionAsked { task: "T-001".into(), question: "Which?".into(), in_passing: false };
    for (events, next) in [
        (vec![asked, moved(Status::Parked)], "ralph task answer T-001 \"…\""),
        (
            vec![moved(Status::Parked)],
            "ralph task show T-001, then ralph task approve T-001, or ralph task answer T-001 \"…\", \
             or ralph task retry T-001",
        ),
        (vec![moved(Status::Failed)], "ralph task show T-001, then ralph task retry T-001"),
    ] {
        let mut script = scripts::Script::new();
        let outcome = Outcome::NeedsPerson { why: why() };
        script.iteration("T-001", 1, 0).decide(events).finished(outcome.clone(), &[]);
        let timeline = folded(script.beats());
        let last = last(&timeline, false);
        assert_eq!(StatusView::of_run(&last).next, next);
        assert_eq!(next_command(&outcome, last.timeline).as_deref(), Some(next));
        let mut elsewhere = last.timeline.clone();
        elsewhere.is_elsewhere = true;
        assert_eq!(next_command(&outcome, &elsewhere), None);
    }
}

#[test]
fn what_was_used_is_shown_against_its_limits() {
    let timeline = folded(scripts::interrupted());
    let mut last = last(&timeline, true);
    last.now = last.state.started_at.plus(ralph_core::time::Millis::secs(125));
    let text = shown(&StatusView::of_run(&last));
    assert!(text.contains("2m05s · $0.41 of $20"), "{text}");
    let json = serde_json::to_value(StatusView::of_run(&last)).unwrap_or_default();
    assert_eq!(json["run"]["limits"]["cost_usd"], 20.0);
    assert_eq!(json["run"]["limits"]["tokens"], serde_json::Value::Null);
    assert_eq!(json["run"]["took_ms"], 125_000);
}
