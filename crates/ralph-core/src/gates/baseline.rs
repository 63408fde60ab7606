//! Judges one gate against what it gave before the run: old failures are tolerated, new ones never.

use std::collections::BTreeSet;

use super::report::{
    CommandEnd, GateKind, GateReport, GateResults, GateSpec, Severity, TestSummary,
};

/// How a gate did on the tree that was judged, compared with before.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Standing {
    Green,
    /// Failed once and passed when run again.
    GreenFlaky,
    /// Red, with no failure that was not there before.
    RedAsBefore,
    /// Red; the names are those that are new, and empty where names are not known.
    Failed {
        new_failures: Vec<String>,
    },
    /// A test gate that succeeded without running a test.
    NoTests,
    /// It would do, but it changed these files of the tree that it judged, and did not before: it judged another tree.
    Meddled {
        files: Vec<String>,
    },
    /// A soft gate that is not green: reported, never a reason to reject.
    SoftRed,
    /// It did not run to its end because the run was stopped.
    Interrupted,
}

impl Standing {
    /// Whether an attempt may be accepted over this gate.
    pub fn accepts(&self) -> bool {
        matches!(self, Self::Green | Self::GreenFlaky | Self::RedAsBefore | Self::SoftRed)
    }

    /// Whether the gate passed.
    pub fn is_green(&self) -> bool {
        matches!(self, Self::Green | Self::GreenFlaky)
    }
}

/// How the gate did; `baseline` is its report on the tree that work began from, tightened since.
pub fn compare(now: &GateReport, spec: &GateSpec, baseline: Option<&GateReport>) -> Standing {
    if now.end == CommandEnd::Interrupted {
        return Standing::Interrupted;
    }
    let standing = if now.end.succeeded() {
        passed(now, spec)
    } else {
        failed((now.end, &now.tests), baseline)
    };
    if spec.severity == Severity::Soft {
        return if standing.is_green() { standing } else { Standing::SoftRed };
    }
    let files = changed_anew(now, baseline);
    if standing.accepts() && !files.is_empty() { Standing::Meddled { files } } else { standing }
}

/// Files of the tree that it changed now and not before.
fn changed_anew(now: &GateReport, baseline: Option<&GateReport>) -> Vec<String> {
    let before = baseline.map_or(&[][..], |baseline| &baseline.changed);
    now.changed.iter().filter(|file| !before.contains(file)).cloned().collect()
}

/// Whether a test gate ran no test, where it must.
pub fn ran_no_test(now: &GateReport, spec: &GateSpec) -> bool {
    spec.kind == GateKind::Test && now.tests.ran == Some(0) && !spec.allow_empty
}

fn passed(now: &GateReport, spec: &GateSpec) -> Standing {
    if ran_no_test(now, spec) {
        Standing::NoTests
    } else if now.flaky {
        Standing::GreenFlaky
    } else {
        Standing::Green
    }
}

fn failed((end, tests): (CommandEnd, &TestSummary), baseline: Option<&GateReport>) -> Standing {
    let before: BTreeSet<&String> = baseline.and_then(tolerated).into_iter().flatten().collect();
    let names = tests.failing.as_deref().unwrap_or_default();
    let new_failures: Vec<String> =
        names.iter().filter(|name| !before.contains(name)).cloned().collect();
    // A gate that is red although no test failed is red for a reason that nobody can compare.
    let is_comparable = matches!(end, CommandEnd::Exited { .. }) && !names.is_empty();
    if is_comparable && new_failures.is_empty() {
        Standing::RedAsBefore
    } else {
        Standing::Failed { new_failures }
    }
}

/// Whether running a gate that failed once more could tell anything: not after its time limit, and not where all that
/// fails was failing before.
pub fn may_be_flaky(
    spec: &GateSpec,
    (end, tests): (CommandEnd, &TestSummary),
    baseline: Option<&GateReport>,
) -> bool {
    let has_ended = matches!(end, CommandEnd::Exited { .. } | CommandEnd::Signalled { .. });
    spec.severity == Severity::Hard
        && has_ended
        && !end.succeeded()
        && failed((end, tests), baseline) != Standing::RedAsBefore
}

/// Failures that were there before; `None` if the gate was green or they are not known.
fn tolerated(baseline: &GateReport) -> Option<&[String]> {
    let was_red = !baseline.end.succeeded() && baseline.end != CommandEnd::Interrupted;
    if was_red { baseline.tests.failing.as_deref() } else { None }
}

/// Takes over what got better: a gate that is green now must stay green, a test that passes now must keep passing.
///
/// For the results of an accepted attempt.
pub fn tighten(baseline: &mut [GateReport], results: &GateResults) {
    for now in &results.gates {
        let Some(before) = baseline.iter_mut().find(|before| before.gate == now.gate) else {
            continue;
        };
        if before.end.succeeded() {
            continue;
        }
        if now.end.succeeded() {
            *before = now.clone();
        } else if failed((now.end, &now.tests), Some(before)) == Standing::RedAsBefore {
            before.tests.failing.clone_from(&now.tests.failing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{gates::report::FailAction, time::Millis};

    fn spec(severity: Severity) -> GateSpec {
        GateSpec {
            name: "test".into(),
            slug: "test".into(),
            command: "cargo test".into(),
            dir: String::new(),
            kind: GateKind::Test,
            severity,
            fail_action: FailAction::Append,
            hint: String::new(),
            allow_empty: false,
            env: Vec::new(),
            soft_timeout: Millis(0),
            hard_timeout: Millis(0),
            network: None,
        }
    }

    type Names = Option<&'static [&'static str]>;

    fn report(code: i32, failing: Names) -> GateReport {
        let failing = failing.map(|names| names.iter().copied().map(String::from).collect());
        GateReport {
            gate: "test".into(),
            end: CommandEnd::Exited { code },
            took: Millis(1),
            tests: TestSummary { ran: Some(5), failing, ..TestSummary::default() },
            flaky: false,
            output: String::new(),
            log: "gates/test.log".into(),
            changed: Vec::new(),
        }
    }

    fn new(names: &[&str]) -> Standing {
        Standing::Failed { new_failures: names.iter().copied().map(String::from).collect() }
    }

    #[test]
    fn a_red_gate_accepts_only_known_old_failures() {
        let cases: [(Names, Option<GateReport>, Standing); 10] = [
            (Some(&["a"]), None, new(&["a"])),
            (Some(&["a"]), Some(report(0, Some(&[]))), new(&["a"])),
            (Some(&["a"]), Some(report(1, Some(&["a", "b"]))), Standing::RedAsBefore),
            (Some(&["a", "b"]), Some(report(1, Some(&["a", "b"]))), Standing::RedAsBefore),
            (Some(&["a", "c"]), Some(report(1, Some(&["a", "b"]))), new(&["c"])),
            (None, Some(report(1, Some(&["a"]))), new(&[])),
            (Some(&["a"]), Some(report(1, None)), new(&["a"])),
            (None, Some(report(1, None)), new(&[])),
            (Some(&[]), Some(report(1, Some(&["a"]))), new(&[])),
            (Some(&[]), Some(report(1, Some(&[]))), new(&[])),
        ];
        for (now, baseline, expected) in cases {
            let standing = compare(&report(1, now), &spec(Severity::Hard), baseline.as_ref());
            assert_eq!(standing, expected, "{now:?} over {baseline:?}");
        }
    }

    #[test]
    fn a_gate_that_did_not_end_by_itself_never_stands_as_before() {
        let baseline = report(1, Some(&["a"]));
        for end in [CommandEnd::TimedOut, CommandEnd::Signalled { signal: 11 }] {
            let now = GateReport { end, ..report(1, Some(&["a"])) };
            let standing = compare(&now, &spec(Severity::Hard), Some(&baseline));
            assert_eq!(standing, new(&[]), "{end:?}");
        }
        let now = GateReport { end: CommandEnd::Interrupted, ..report(1, Some(&["a"])) };
        assert_eq!(compare(&now, &spec(Severity::Hard), Some(&baseline)), Standing::Interrupted);
        let interrupted = GateReport { end: CommandEnd::Interrupted, ..baseline };
        let standing = compare(&report(1, Some(&["a"])), &spec(Severity::Hard), Some(&interrupted));
        assert_eq!(standing, new(&["a"]));
    }

    #[test]
    fn a_test_gate_that_ran_nothing_is_not_green() {
        let mut now = report(0, Some(&[]));
        assert_eq!(compare(&now, &spec(Severity::Hard), None), Standing::Green);
        now.tests.ran = Some(0);
        assert_eq!(compare(&now, &spec(Severity::Hard), None), Standing::NoTests);
        assert_eq!(compare(&now, &spec(Severity::Soft), None), Standing::SoftRed);
        let allowed = GateSpec { allow_empty: true, ..spec(Severity::Hard) };
        assert_eq!(compare(&now, &allowed, None), Standing::Green);
        let lint = GateSpec { kind: GateKind::Lint, ..spec(Severity::Hard) };
        assert_eq!(compare(&now, &lint, None), Standing::Green);
        now.tests.ran = None;
        assert_eq!(compare(&now, &spec(Severity::Hard), None), Standing::Green);
    }

    #[test]
    fn soft_gates_never_reject() {
        let standing = compare(&report(1, None), &spec(Severity::Soft), None);
        assert_eq!(standing, Standing::SoftRed);
        assert!(standing.accepts() && !standing.is_green());
    }

    #[test]
    fn a_pass_on_the_second_run_is_green_and_labelled() {
        let now = GateReport { flaky: true, ..report(0, Some(&[])) };
        assert_eq!(compare(&now, &spec(Severity::Hard), None), Standing::GreenFlaky);
    }

    #[test]
    fn only_a_failure_that_may_be_chance_is_worth_another_run() {
        let red = report(1, Some(&["a"]));
        let hard = spec(Severity::Hard);
        let again = |now: &GateReport, spec: &GateSpec, before: Option<&GateReport>| {
            may_be_flaky(spec, (now.end, &now.tests), before)
        };
        assert!(again(&red, &hard, None) && again(&report(1, None), &hard, Some(&red)));
        assert!(again(&report(1, Some(&["a", "b"])), &hard, Some(&red)));
        assert!(!again(&red, &hard, Some(&red)), "all of it failed before");
        assert!(!again(&report(0, Some(&[])), &hard, None));
        assert!(!again(&red, &spec(Severity::Soft), None));
        for end in [CommandEnd::TimedOut, CommandEnd::Interrupted] {
            assert!(!again(&GateReport { end, ..red.clone() }, &hard, None), "{end:?}");
        }
    }

    #[test]
    fn once_green_a_gate_must_stay_green() {
        let mut baseline = vec![report(1, Some(&["a", "b"]))];
        let steps: [(GateReport, &[&str]); 4] = [
            (report(1, Some(&["a", "c"])), &["a", "b"]),
            (report(1, None), &["a", "b"]),
            (report(1, Some(&["a"])), &["a"]),
            (report(0, Some(&[])), &[]),
        ];
        for (now, left) in steps {
            tighten(&mut baseline, &GateResults { gates: vec![now], ..GateResults::default() });
            let failing = baseline[0].tests.failing.clone().unwrap_or_default();
            assert_eq!(failing, left);
        }
        let again = report(1, Some(&["a"]));
        assert_eq!(compare(&again, &spec(Severity::Hard), baseline.first()), new(&["a"]));
        tighten(&mut baseline, &GateResults { gates: vec![again], ..GateResults::default() });
        assert!(baseline[0].end.succeeded());
    }

    #[test]
    fn a_gate_that_changes_the_tree_it_judges_does_not_count_unless_it_always_did() {
        let changed = |files: &[&str]| GateReport {
            changed: files.iter().map(ToString::to_string).collect(),
            ..report(0, None)
        };
        let now = changed(&["Cargo.lock", "a.rs"]);
        let meddled = |files: &[&str]| Standing::Meddled {
            files: files.iter().map(ToString::to_string).collect(),
        };
        let hard = spec(Severity::Hard);
        assert_eq!(compare(&now, &hard, None), meddled(&["Cargo.lock", "a.rs"]));
        let before = changed(&["Cargo.lock"]);
        assert_eq!(compare(&now, &hard, Some(&before)), meddled(&["a.rs"]));
        assert!(!compare(&now, &hard, Some(&before)).accepts());
        assert_eq!(compare(&before, &hard, Some(&before)), Standing::Green);
        assert_eq!(compare(&now, &spec(Severity::Soft), None), Standing::Green);
        let red = GateReport { changed: now.changed.clone(), ..report(1, Some(&["t"])) };
        assert!(matches!(compare(&red, &hard, None), Standing::Failed { .. }));
        let old = r#"{"gate":"g","end":{"ended":"timed_out"},"took":1,"tests":{},"flaky":false,"output":"","log":""}"#;
        let old: Result<GateReport, _> = serde_json::from_str(old);
        assert!(old.is_ok_and(|old| old.changed.is_empty()), "older journals are read");
    }
}
