//! Gate lines and the block of a rejected attempt: why, what is kept, what comes next, where the log is.

use ralph_core::{
    event::{Decision, Event, Rejection},
    gates::report::{CheckReport, CommandEnd, GateReport, GateResults},
    timeline::{Current, Timeline},
    verdict::{Reason, Verdict},
    vocabulary::Stage,
};

use super::options::Options;
use crate::{
    reporters::{
        block::{Block, Entry, dots},
        line::{Line, Sign, Tone},
        plain,
    },
    words,
};

/// One line per gate that did not simply pass: what passed is said with the task.
pub(crate) fn gates(results: &GateResults, timeline: &Timeline, options: &Options) -> Block {
    let is_told = |gate: &&GateReport| options.verbose || !timeline.passed(gate) || gate.flaky;
    let told = results.gates.iter().filter(is_told);
    let mut block: Block = told.map(|one| gate(one, timeline)).collect();
    // A check that failed is a reason of the verdict.
    block.extend(results.checks.iter().filter(|_| options.verbose).map(check));
    if !results.meddled.is_empty() {
        let files = words::count_of(&results.meddled, "file");
        let text = format!("gates changed {files}, restored: {}", words::few(&results.meddled, 3));
        block.push(Entry::marked(Sign::Warning, text));
    }
    block
}

fn gate(gate: &GateReport, timeline: &Timeline) -> Entry {
    let (passed, is_empty) = (timeline.passed(gate), timeline.ran_no_test(gate));
    let mut line = Line::new()
        .plain("    ")
        .sign(sign(passed))
        .plain(format!(" gate {}", gate.gate))
        .dim(format!("  {}", gate.took));
    if is_empty {
        line = line.add(Tone::Bad, "  ran no test");
    } else if !passed {
        line = line.add(Tone::Bad, format!("  {}", end(gate.end)));
    }
    if let Some(ran) = gate.tests.ran.filter(|_| !is_empty) {
        line = line.dim(format!("  {}", words::count(ran, "test")));
    }
    match gate.tests.failing.as_deref() {
        Some(failing) if !failing.is_empty() && !passed => {
            line = line.dim(format!(", {} failing", failing.len()));
        }
        _ => {}
    }
    if gate.flaky {
        line = line.add(Tone::Warn, "  failed once, passed when run again");
    }
    Entry::Cut(line)
}

fn check(check: &CheckReport) -> Entry {
    let passed = check.end.succeeded();
    let mut line = Line::new()
        .plain("    ")
        .sign(sign(passed))
        .plain(format!(" check {}", check.command))
        .dim(format!("  {}", check.took));
    if !passed {
        line = line.add(Tone::Bad, format!("  {}", end(check.end)));
    }
    Entry::Cut(line)
}

fn sign(passed: bool) -> Sign {
    if passed { Sign::Ok } else { Sign::Bad }
}

/// How a command ended, in words.
pub(crate) fn end(end: CommandEnd) -> String {
    match end {
        CommandEnd::Exited { code } => format!("exit {code}"),
        CommandEnd::Signalled { signal } => format!("ended by signal {signal}"),
        CommandEnd::TimedOut => "timed out at timeouts.gate".into(),
        CommandEnd::Interrupted => "interrupted".into(),
    }
}

/// The block of a rejected attempt.
pub(crate) fn rejected(
    rejection: &Rejection,
    decision: &Decision,
    (timeline, options): (&Timeline, &Options),
) -> Block {
    let current = timeline.current.as_ref();
    let verdict = current.and_then(|current| current.verdict.as_ref());
    let name = if timeline.is_prompt() { "prompt" } else { rejection.task.as_str() };
    let lead = Line::signed(Sign::Bad)
        .add(Tone::Bold, name)
        .plain(format!(" attempt {}/{} · ", rejection.attempt, rejection.max_attempts));
    let same = timeline.tasks.get(&rejection.task).map_or(1, |task| task.same_failure);
    let again = if same > 1 { format!(", the same failure {same} times") } else { String::new() };
    let mut block = vec![Entry::led(lead, headline(verdict, current) + &again)];
    if let (Some(verdict), Some(current)) = (verdict, current) {
        block.extend(reasons(verdict, current, options));
    }
    if options.verbose {
        block.push(Entry::text(4, Tone::Dim, what_next(rejection, decision)));
    }
    block.extend(
        current
            .filter(|_| !timeline.is_elsewhere)
            .map(|current| Entry::text(4, Tone::Dim, log(current.start.iteration, verdict))),
    );
    block
}

fn headline(verdict: Option<&Verdict>, current: Option<&Current>) -> String {
    let Some(first) = verdict.and_then(|verdict| verdict.reasons.first()) else {
        return current.and_then(|current| current.ending.as_ref()).map_or_else(
            || "not accepted".into(),
            |ending| format!("agent {}", ending.describe()),
        );
    };
    match first {
        // Its own line above says how it ended and how long it took.
        Reason::GateFailed { gate, .. } => format!("{gate} failed"),
        _ => first.describe(),
    }
}

fn reasons(verdict: &Verdict, current: &Current, options: &Options) -> Block {
    let mut block = Vec::new();
    for (nth, reason) in verdict.reasons.iter().enumerate() {
        if nth > 0 {
            block.push(Entry::text(4, Tone::Plain, format!("also: {}", reason.describe())));
        }
        if let Reason::GateFailed { gate, new_failures, .. } = reason {
            let report = current.gates.gates.iter().find(|g| &g.gate == gate);
            block.extend(failure(new_failures, report, options));
        }
        if let Reason::CheckFailed { command, .. } = reason {
            let report = current.gates.checks.iter().find(|c| &c.command == command);
            block.extend(tail(report.map_or("", |report| &report.output), options));
        }
    }
    block
}

/// Names of failing tests where they are known, else the end of the output.
fn failure(names: &[String], report: Option<&GateReport>, options: &Options) -> Block {
    if names.is_empty() {
        return tail(report.map_or("", |report| &report.output), options);
    }
    let most = options.display.max_output_lines.max(1);
    let mut block: Block = names
        .iter()
        .take(most)
        .map(|name| Entry::Cut(Line::new().plain("    ").plain(name)))
        .collect();
    if names.len() > most {
        block.push(Entry::text(4, Tone::Dim, format!("and {} more", names.len() - most)));
    }
    block
}

fn tail(output: &str, options: &Options) -> Block {
    let output = plain::clean(output);
    let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
    let skip = lines.len().saturating_sub(options.display.max_output_lines);
    lines.into_iter().skip(skip).map(|line| Entry::quoted(4, line)).collect()
}

/// Where the work is and what the next attempt begins with.
fn what_next(rejection: &Rejection, decision: &Decision) -> String {
    let gives_up = |event: &Event| matches!(event, Event::Proceeded { to: Stage::GiveUp });
    let shifts =
        |event: &Event| matches!(event, Event::Escalated { measures, .. } if measures.shift);
    let any = |is: &dyn Fn(&Event) -> bool| decision.events.iter().any(is);
    let mut parts = Vec::new();
    match &rejection.kept {
        Some(kept) => parts.push(format!("kept as {kept}")),
        None => parts.push("nothing to keep".into()),
    }
    if rejection.attempt >= rejection.max_attempts || any(&gives_up) {
        parts.push("that was the last attempt".into());
    } else if rejection.work.is_some() && !any(&shifts) {
        parts
            .push("the next attempt continues from this work and sees this output verbatim".into());
    } else {
        parts.push("the next attempt starts afresh and sees this output verbatim".into());
    }
    dots(&parts)
}

fn log(iteration: u32, verdict: Option<&Verdict>) -> String {
    let gate = verdict.and_then(|verdict| {
        verdict.reasons.iter().find_map(|reason| match reason {
            Reason::GateFailed { gate: by, .. }
            | Reason::NoTests { gate: by }
            | Reason::ChangedFiles { by, .. } => Some(by),
            _ => None,
        })
    });
    let base = format!("log: ralph logs --iteration {iteration}");
    match gate {
        Some(gate) if gate.contains(' ') => format!("{base} --gate '{gate}'"),
        Some(gate) => format!("{base} --gate {gate}"),
        None => base,
    }
}
