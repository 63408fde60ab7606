//! Histories judged attempt by attempt, as a run would do it.

use ralph_text::fingerprint::{FailurePart, fingerprint};

use super::{
    Escalated, MOST, Measures, Stuck, Trace, detect, escalate, gap,
    histories::{HEALTHY, History, STUCK, Setback},
};
use crate::ids::TreeId;

/// What a task's setbacks leave, kept as a run keeps it.
#[derive(Default)]
struct Past {
    traces: Vec<Trace>,
    reviews: Vec<String>,
    attempts: u32,
    done: Escalated,
}

impl Past {
    fn add(&mut self, setback: &Setback) {
        self.attempts += 1;
        let (failing, output, tree) = match *setback {
            Setback::Red { failing, output, tree } => (failing, output, Some(tree)),
            Setback::Idle { failing, output } => (failing, output, None),
            Setback::Unfinished { tree } => (&[][..], "", Some(tree)),
            Setback::Review { findings } => {
                return self.reviews.push(print("review", &[], findings));
            }
        };
        let compared = !matches!(setback, Setback::Unfinished { .. });
        let left = self.traces.last().and_then(|trace| trace.tree.clone());
        self.traces.push(Trace {
            attempt: self.attempts,
            fingerprint: if compared { print("tests", failing, output) } else { String::new() },
            failing: (!failing.is_empty()).then(|| u32::try_from(failing.len()).unwrap_or(0)),
            tree: tree.map(TreeId::from).or(left),
            changed: tree.is_some(),
            gap: gap(output),
            shifts: self.done.shifts,
            reviews: u32::try_from(self.reviews.len()).unwrap_or(0),
        });
        if self.traces.len() > MOST {
            self.traces.remove(0);
        }
    }

    fn stuck(&self) -> Option<Stuck> {
        detect(&self.traces, &self.reviews)
    }
}

fn print(gate: &str, failing: &[&str], output: &str) -> String {
    let failing: Vec<String> = failing.iter().map(|name| (*name).to_owned()).collect();
    fingerprint(&[FailurePart { gate, failing: &failing, output, gist: "" }])
}

/// The setback at which a history is first judged stuck, from 1.
fn first_stuck(history: &History) -> Option<usize> {
    let mut past = Past::default();
    history
        .setbacks
        .iter()
        .position(|setback| {
            past.add(setback);
            past.stuck().is_some()
        })
        .map(|at| at + 1)
}

#[test]
fn forty_histories_are_judged_and_no_healthy_one_is_stuck() {
    assert_eq!((STUCK.len(), HEALTHY.len()), (20, 20));
    let mut wrong = Vec::new();
    for history in STUCK.iter().chain(HEALTHY) {
        let judged = first_stuck(history);
        if judged != history.stuck_at {
            wrong.push(format!("{}: {judged:?}, not {:?}", history.name, history.stuck_at));
        }
    }
    println!("stuck detection: {} of 40 histories judged right", 40 - wrong.len());
    println!("{}", wrong.join("\n"));
    assert_eq!(wrong, ["guessing at a number: None, not Some(4)"], "the one known miss");
    for history in HEALTHY {
        assert_eq!(first_stuck(history), None, "{} is healthy: {}", history.name, history.why);
    }
}

#[test]
fn histories_differ_from_each_other_and_say_why() {
    for (at, one) in STUCK.iter().chain(HEALTHY).enumerate() {
        assert!(one.setbacks.len() > 1 && one.why.len() > 20, "{}", one.name);
        assert_eq!(one.stuck_at.is_some(), at < STUCK.len(), "{}", one.name);
        for other in STUCK.iter().chain(HEALTHY).skip(at + 1) {
            assert_ne!(one.name, other.name);
            assert_ne!(one.setbacks, other.setbacks, "{} / {}", one.name, other.name);
        }
    }
}

fn trace(fingerprint: &str, failing: Option<u32>, tree: &str) -> Trace {
    Trace {
        fingerprint: fingerprint.to_owned(),
        failing,
        tree: Some(tree.into()),
        changed: true,
        ..Trace::default()
    }
}

fn idle() -> Trace {
    Trace { changed: false, ..trace("a", None, "t") }
}

fn same(times: u32) -> Stuck {
    Stuck::SameFailure { times, fingerprint: "a".into() }
}

#[test]
fn nothing_yet_is_not_stuck() {
    assert_eq!(detect(&[], &[]), None);
    assert_eq!(detect(&[trace("a", None, "t")], &[]), None);
    assert_eq!(detect(&[], &["f".to_owned()]), None);
}

#[test]
fn the_same_failure_counts_from_the_third_time_on() {
    let all = ["t1", "t2", "t3", "t4"].map(|tree| trace("a", Some(2), tree));
    assert_eq!(detect(&all[..2], &[]), None);
    assert_eq!(detect(&all[..3], &[]), Some(same(3)));
    assert_eq!(detect(&all, &[]), Some(same(4)));
}

#[test]
fn a_falling_count_is_progress_unless_the_files_are_the_same() {
    let falling = |trees: [&str; 3]| {
        [
            trace("a", Some(9), trees[0]),
            trace("a", Some(8), trees[1]),
            trace("a", Some(7), trees[2]),
        ]
    };
    assert_eq!(detect(&falling(["t1", "t2", "t3"]), &[]), None);
    assert_eq!(detect(&falling(["t1", "t2", "t1"]), &[]), Some(same(3)));
    let rising = [trace("a", Some(7), "t1"), trace("a", Some(7), "t2"), trace("a", Some(8), "t3")];
    assert_eq!(detect(&rising, &[]), Some(same(3)));
}

#[test]
fn counts_that_are_not_known_are_no_progress() {
    let one = [trace("a", None, "t1"), trace("a", Some(4), "t2"), trace("a", None, "t3")];
    assert_eq!(detect(&one, &[]), Some(same(3)));
    let two = [trace("a", Some(4), "t1"), trace("a", None, "t2"), trace("a", Some(3), "t3")];
    assert_eq!(detect(&two, &[]), None);
}

#[test]
fn an_empty_fingerprint_is_like_no_other() {
    let all = ["t1", "t2", "t3", "t4", "t5"].map(|tree| trace("", None, tree));
    assert_eq!(detect(&all, &[]), None);
    assert_eq!(detect(&[], &[String::new(), String::new()]), None);
}

#[test]
fn two_attempts_in_a_row_that_change_nothing_are_enough() {
    assert_eq!(detect(&[idle(), idle()], &[]), Some(Stuck::NothingChanges { times: 2 }));
    assert_eq!(detect(&[idle(), trace("b", None, "u"), idle()], &[]), None);
}

#[test]
fn going_back_and_forth_is_stuck_only_when_the_files_come_back_too() {
    let back_and_forth = |trees: [&str; 5]| {
        let prints = ["a", "b", "a", "b", "a"];
        std::array::from_fn::<_, 5, _>(|at| trace(prints[at], Some(2), trees[at]))
    };
    assert_eq!(detect(&back_and_forth(["t", "u", "t", "u", "t"]), &[]), Some(same(3)));
    assert_eq!(detect(&back_and_forth(["t1", "u1", "t2", "u2", "t3"]), &[]), None);
    let mut better = back_and_forth(["t", "u", "t", "v", "t"]);
    better[3].failing = Some(1);
    assert_eq!(detect(&better, &[]), None, "the other branch gets better");
    let mut falling = back_and_forth(["t", "u", "t", "u", "t"]);
    falling[1].failing = Some(1);
    falling[4].failing = Some(1);
    assert_eq!(detect(&falling, &[]), None, "the failure that comes back gets smaller");
}

#[test]
fn four_of_six_need_no_equal_files() {
    let all: Vec<_> = ["a", "a", "flaky", "a", "a"]
        .into_iter()
        .zip(["t1", "t2", "t3", "t4", "t5"])
        .map(|(print, tree)| trace(print, Some(1), tree))
        .collect();
    assert_eq!(detect(&all[..4], &[]), None);
    assert_eq!(detect(&all, &[]), Some(same(4)));
}

#[test]
fn findings_count_when_they_come_twice_in_a_row_and_nothing_failed_since() {
    let reviews = ["f", "f"].map(str::to_owned);
    assert_eq!(detect(&[], &reviews), Some(Stuck::SameFindings { times: 2 }));
    assert_eq!(detect(&[], &["f", "g", "f"].map(str::to_owned)), None);
    let since = Trace { reviews: 2, ..trace("a", None, "t") };
    assert_eq!(detect(&[since], &reviews), None, "the newest setback is a failure");
}

#[test]
fn a_change_request_settles_the_failures_before_it() {
    let old = ["t1", "t2", "t3"].map(|tree| trace("a", None, tree));
    assert_eq!(detect(&old, &[]), Some(same(3)));
    assert_eq!(detect(&old, &["f".to_owned()]), None);
    let mut all = old.to_vec();
    all.push(Trace { reviews: 1, ..trace("a", None, "t4") });
    assert_eq!(detect(&all, &["f".to_owned()]), None);
}

#[test]
fn each_reason_has_its_words() {
    let words = [
        Stuck::SameFailure { times: 3, fingerprint: "a".into() },
        Stuck::NothingChanges { times: 2 },
        Stuck::SameFindings { times: 2 },
    ]
    .map(|stuck| stuck.describe());
    assert_eq!(
        words,
        [
            "same failure 3 times, no progress",
            "nothing changed 2 times in a row",
            "same review findings 2 times in a row",
        ]
    );
}

/// Plays a task that meets the same setback again and again: each attempt's step in words.
fn played(setback: &Setback, attempts: usize, ladder: usize) -> Vec<String> {
    let mut past = Past::default();
    let mut steps = Vec::new();
    for _ in 0..attempts {
        past.add(setback);
        let gap = past.traces.last().and_then(|trace| trace.gap.as_ref());
        let files = gap.map(|gap| gap.names.clone()).unwrap_or_default();
        match past.stuck().map(|stuck| escalate(&stuck, &files, &past.done, ladder)) {
            None => steps.push("on".to_owned()),
            Some(Some(measures)) => {
                past.done.take(&measures);
                steps.push(measures.describe());
            }
            Some(None) => {
                steps.push("stop".to_owned());
                break;
            }
        }
    }
    steps
}

#[test]
fn five_attempts_are_enough_to_use_every_tier() {
    let missing = Setback::Red {
        failing: &[],
        output: "ModuleNotFoundError: No module named 'app.db'",
        tree: "t",
    };
    assert_eq!(
        played(&missing, 5, 0),
        ["on", "on", "strategy shift, more context about app.db", "strategy shift", "stop"]
    );
    assert_eq!(
        played(&missing, 5, 1),
        [
            "on",
            "on",
            "strategy shift, more context about app.db",
            "strategy shift, the next agent of the ladder",
            "stop"
        ]
    );
}

#[test]
fn an_agent_that_does_nothing_is_stopped_after_three_attempts() {
    let idle = Setback::Idle { failing: &[], output: "boom" };
    assert_eq!(played(&idle, 5, 0), ["on", "strategy shift", "stop"]);
}

#[test]
fn endless_change_requests_end() {
    let review = Setback::Review { findings: "no reset flow" };
    assert_eq!(played(&review, 9, 0), ["on", "strategy shift", "strategy shift", "stop"]);
}

#[test]
fn a_trace_survives_being_stored() -> Result<(), serde_json::Error> {
    let full = Trace { gap: gap("No module named 'x'"), ..trace("a", Some(3), "t") };
    let text = serde_json::to_string(&full)?;
    assert_eq!(serde_json::from_str::<Trace>(&text)?, full);
    assert_eq!(Measures::default().describe(), "");
    Ok(())
}
