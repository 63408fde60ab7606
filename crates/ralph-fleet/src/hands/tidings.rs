//! What a worker's log says of its stints: a line when one begins, a line when it is over. Whoever writes it takes out
//! what a terminal would obey.

use std::{sync::Arc, time::Instant};

use crate::{
    stint::Lost,
    wire::{StintEnd, StintInput, StintReport},
    words::{count, moment},
};

/// Where the lines go that a worker says about itself.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// The tidings of one stint.
pub(super) struct Tidings {
    say: Say,
    name: String,
    /// Of the run, when the loop last heard of it.
    iterations: u32,
    began: Instant,
}

impl Tidings {
    pub(super) fn begin(say: &Say, input: &StintInput) -> Self {
        let name = format!("stint {} of {}", input.stint, input.key);
        say(&format!("{name} starts"));
        Self { say: Say::clone(say), name, iterations: input.iterations, began: Instant::now() }
    }

    /// Says the end, and where the host keeps work of the loop for a person by now.
    pub(super) fn end(&self, ended: &Result<StintReport, Lost>, kept: &[String]) {
        let seconds = self.began.elapsed().as_secs();
        let kept = match kept {
            [] => String::new(),
            kept => format!("; work kept in {}", kept.join(", ")),
        };
        (self.say)(&match ended {
            Ok(report) => {
                format!("{} ended after {seconds} s{}{kept}", self.name, self.how(report))
            }
            Err(lost) => {
                format!("{} ended without a report after {seconds} s: {lost}{kept}", self.name)
            }
        });
    }

    /// How far it came, and how it ended.
    fn how(&self, report: &StintReport) -> String {
        let how = match &report.end {
            StintEnd::Boundary => "boundary".to_owned(),
            StintEnd::Wait { until_ms } => format!("waits until {}", moment(*until_ms)),
            StintEnd::NeedsPerson { why } => format!("needs a person: {why}"),
            StintEnd::Finished { outcome, exit } => format!("finished: {outcome} (exit {exit})"),
        };
        let iterations = count(report.iterations.saturating_sub(self.iterations), "iteration");
        let (done, tasks) = (report.done, report.tasks);
        let took_over = if report.took_over { ", took over" } else { "" };
        format!("{took_over}: {iterations}, {done} of {tasks} tasks done; {how}")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn report(end: StintEnd, took_over: bool) -> StintReport {
        let counts =
            StintReport { done: 4, tasks: 9, iterations: 5, ..StintReport::idle(end, "h") };
        StintReport { truth: "0a".into(), took_over, idle: false, ..counts }
    }

    #[test]
    fn one_line_tells_how_a_stint_went_and_how_far_it_came() {
        let spec = serde_json::json!({"repo": "r", "branch": "b", "tenant": "t", "account": "a"});
        let input = serde_json::json!({
            "spec": spec, "key": "loop/a@b", "stint": 3, "wishes": [], "iterations": 2
        });
        let input = serde_json::from_value(input).unwrap();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&lines);
        let say: Say = Arc::new(move |text: &str| heard.lock().unwrap().push(text.to_owned()));
        let tidings = Tidings::begin(&say, &input);
        let ends = [
            (StintEnd::Boundary, "boundary"),
            (StintEnd::Wait { until_ms: 7 }, "waits until 1970-01-01 00:00 UTC"),
            (StintEnd::NeedsPerson { why: "asks".into() }, "needs a person: asks"),
            (StintEnd::Finished { outcome: "done".into(), exit: 0 }, "finished: done (exit 0)"),
        ];
        let mut expected = vec!["starts".to_owned()];
        for (end, how) in ends {
            tidings.end(&Ok(report(end, false)), &[]);
            expected.push(format!("ended after 0 s: 3 iterations, 4 of 9 tasks done; {how}"));
        }
        let kept = vec!["/kept-3".to_owned(), "/kept-7".to_owned()];
        tidings.end(&Ok(report(StintEnd::Boundary, true)), &kept);
        tidings.end(&Err(Lost::Refused("too old".into())), &kept[..1]);
        expected
            .push("ended after 0 s, took over: 3 iterations, 4 of 9 tasks done; boundary; work kept in /kept-3, /kept-7".into());
        expected.push("ended without a report after 0 s: too old; work kept in /kept-3".into());
        let expected: Vec<String> =
            expected.into_iter().map(|text| format!("stint 3 of loop/a@b {text}")).collect();
        assert_eq!(*lines.lock().unwrap(), expected);
    }
}
