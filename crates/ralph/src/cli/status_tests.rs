//! What `ralph status` shows, from scripted runs.

use jiff::tz::TimeZone;
use ralph_core::news::News;

use super::*;
use crate::reporters::{
    line::Look,
    tests::scripts::{self, Beat},
};

fn tally(beats: Vec<Beat>) -> Tally {
    let mut tally = Tally::default();
    for beat in beats {
        if let Beat::News(News::Decided(decision)) = beat {
            tally.apply(&decision);
        }
    }
    tally
}

fn shown(view: &StatusView) -> String {
    view.render(&TimeZone::UTC, false)
        .iter()
        .flat_map(|entry| entry.render(Look::default(), Some(100)))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_run_with_a_failure_says_what_is_blocked_and_what_to_type() {
    let view = StatusView::of_run(&tally(scripts::given_up()), false);
    insta::assert_snapshot!("status_given_up", shown(&view));
}

#[test]
fn a_crashed_run_can_be_resumed_and_a_live_one_stopped() {
    let mut beats = scripts::happy();
    beats.truncate(beats.len() / 2);
    let tally = tally(beats);
    assert_eq!(StatusView::of_run(&tally, false).next, "ralph resume");
    assert_eq!(StatusView::of_run(&tally, true).next, "ralph stop, or wait");
}

#[test]
fn json_status_has_a_version_and_the_documented_keys() {
    let view = StatusView::of_run(&tally(scripts::rejection_then_success()), false);
    let json = serde_json::to_value(&view).unwrap_or_default();
    assert_eq!(json["v"], 1);
    assert_eq!(json["counts"]["done"], 1);
    assert_eq!(json["run"]["exit_code"], 1);
    assert_eq!(json["tasks"][0]["labels"][0], "1 criterion unreviewed");
    assert_eq!(json["next"], "ralph resume -n 30");
}

#[test]
fn a_long_list_hides_finished_tasks_first_and_says_so() {
    let task =
        |nth: usize, status| Task { id: format!("T-{nth:03}").into(), status, ..Task::default() };
    let mut tasks: Vec<Task> = (0..100).map(|nth| task(nth, Status::Done)).collect();
    tasks.push(task(100, Status::Failed));
    let view = StatusView::of_plan(&Plan { tasks, ..Plan::default() });
    let text = shown(&view);
    assert!(text.contains("T-100"), "{text}");
    assert!(text.contains("and 71 tasks more; -V shows all"), "{text}");
    assert_eq!(text.lines().count(), LISTED + 3);
}
