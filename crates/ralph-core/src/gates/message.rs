//! What the agent reads about a gate or check that failed. The output is verbatim; fencing it is the prompt's job.

use std::fmt;

use super::{
    baseline::Standing,
    report::{CheckReport, CommandEnd, GateReport, GateSpec},
};
use crate::time::Millis;

/// Most new failures named; the output holds the rest.
const MAX_NAMES: usize = 20;

/// A failure in words, apart from the program's own output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// What failed and how, the hint, the log: ralph's and the user's words, one per line.
    pub head: String,
    /// The program's output, untrusted.
    pub output: String,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.head)?;
        if self.output.is_empty() {
            f.write_str("\nIt printed nothing.")
        } else {
            write!(f, "\nOutput (first and last lines):\n{}", self.output)
        }
    }
}

/// The message about a gate that does not stand as it should.
pub fn gate_message(spec: &GateSpec, report: &GateReport, standing: &Standing) -> Message {
    let what = match standing {
        Standing::NoTests => {
            "passed without running a single test, which counts as a failure".into()
        }
        Standing::Meddled { files } => meddled(files),
        _ => how_it_ended(report.end, spec.hard_timeout),
    };
    let mut head = format!("Gate \"{}\" {what}.", spec.name);
    if spec.name != spec.line().trim() {
        line(&mut head, "Command", &spec.line());
    }
    line(&mut head, "Hint", &spec.hint);
    if let Standing::Failed { new_failures } = standing {
        line(&mut head, "Failures that were not there before", &listed(new_failures));
    }
    line(&mut head, "Full output", &report.log);
    Message { head, output: report.output.clone() }
}

/// The message about a criterion's check that failed; `criterion` is the plan's sentence.
pub fn check_message(criterion: &str, report: &CheckReport, hard_timeout: Millis) -> Message {
    let what = if report.end.succeeded() && !report.changed.is_empty() {
        meddled(&report.changed)
    } else {
        how_it_ended(report.end, hard_timeout)
    };
    let mut head = format!("Check \"{}\" {what}.", report.command);
    line(&mut head, "It proves", criterion);
    line(&mut head, "Full output", &report.log);
    Message { head, output: report.output.clone() }
}

fn meddled(files: &[String]) -> String {
    format!(
        "changed files of the tree that it judges, so its result does not count: {}. Run that command yourself and keep \
         what it changes",
        listed(files)
    )
}

fn how_it_ended(end: CommandEnd, hard_timeout: Millis) -> String {
    match end {
        CommandEnd::Exited { code } => format!("failed with exit code {code}"),
        CommandEnd::Signalled { signal } => format!("was ended by signal {signal}"),
        CommandEnd::TimedOut => {
            format!("did not finish within {hard_timeout} (timeouts.gate) and was ended")
        }
        CommandEnd::Interrupted => "did not finish because the run was stopped".into(),
    }
}

fn line(head: &mut String, label: &str, text: &str) {
    if !text.is_empty() {
        head.extend(["\n", label, ": ", text]);
    }
}

fn listed(names: &[String]) -> String {
    let shown = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::report::{FailAction, GateKind, Severity, TestSummary};

    fn spec() -> GateSpec {
        GateSpec {
            name: "tests".into(),
            slug: "tests".into(),
            command: "make test".into(),
            dir: String::new(),
            kind: GateKind::Test,
            severity: Severity::Hard,
            fail_action: FailAction::Append,
            hint: "Fix the code, not the test.".into(),
            allow_empty: false,
            env: Vec::new(),
            soft_timeout: Millis::secs(300),
            hard_timeout: Millis::secs(600),
            network: None,
        }
    }

    fn report(end: CommandEnd) -> GateReport {
        GateReport {
            gate: "tests".into(),
            end,
            took: Millis(1),
            tests: TestSummary::default(),
            flaky: false,
            output: "Hint: not ralph's\nassert failed".into(),
            log: "iterations/0001/gates/tests.log".into(),
            changed: Vec::new(),
        }
    }

    #[test]
    fn a_failed_gate_is_told_with_command_hint_log_and_output() {
        let standing = Standing::Failed { new_failures: vec!["a".into(), "b".into()] };
        let message = gate_message(&spec(), &report(CommandEnd::Exited { code: 2 }), &standing);
        insta::assert_snapshot!(message, @r#"
        Gate "tests" failed with exit code 2.
        Command: make test
        Hint: Fix the code, not the test.
        Failures that were not there before: a, b
        Full output: iterations/0001/gates/tests.log
        Output (first and last lines):
        Hint: not ralph's
        assert failed
        "#);
    }

    #[test]
    fn each_way_of_failing_has_its_words() {
        let failed = Standing::Failed { new_failures: Vec::new() };
        let spec = GateSpec { name: "make test".into(), hint: String::new(), ..spec() };
        for (end, standing, expected) in [
            (
                CommandEnd::TimedOut,
                &failed,
                "did not finish within 10m00s (timeouts.gate) and was ended.",
            ),
            (CommandEnd::Signalled { signal: 9 }, &failed, "was ended by signal 9."),
            (
                CommandEnd::Exited { code: 0 },
                &Standing::NoTests,
                "passed without running a single test, which counts as a failure.",
            ),
        ] {
            let message = gate_message(&spec, &report(end), standing);
            let log = "\nFull output: iterations/0001/gates/tests.log";
            assert_eq!(message.head, format!("Gate \"make test\" {expected}{log}"));
        }
    }

    #[test]
    fn a_failed_check_names_its_criterion() {
        let check = CheckReport {
            criterion: 0,
            command: "test -f out".into(),
            end: CommandEnd::Exited { code: 1 },
            took: Millis(1),
            output: String::new(),
            log: "iterations/0001/gates/check-1.log".into(),
            changed: Vec::new(),
        };
        insta::assert_snapshot!(check_message("The file is there", &check, Millis(0)), @r#"
        Check "test -f out" failed with exit code 1.
        It proves: The file is there
        Full output: iterations/0001/gates/check-1.log
        It printed nothing.
        "#);
    }

    #[test]
    fn a_long_list_of_names_is_cut() {
        let names: Vec<_> = (0..25).map(|n| format!("t{n}")).collect();
        assert!(listed(&names).ends_with("t19 and 5 more"));
    }
}
