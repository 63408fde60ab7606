//! The prompt of the agent call that a state asks for. Who is called, and with which limits, is not decided here.

use ralph_text::fingerprint::digest;

use super::{Answer, AttemptRecord, Detail, Iteration, RunState, steering::hears};
use crate::{
    gates::{
        baseline::{Standing, compare},
        message::{check_message, gate_message},
        protect::Touched,
        report::{CheckReport, FailAction, GateReport, Severity},
    },
    memory::show,
    plan::{Status, Task},
    prompt::{
        Brief, CompactWork, Counter, Feedback, HandoffForm, Rendered, ReviewWork, Section, Shift,
        SteeredWord, Steering, Vars, Work, render, share,
    },
    review::Finding,
    verdict::Reason,
    vocabulary::Kind,
};

/// Tokens around what is known: heading, label and fence.
const AROUND_MEMORY: usize = 100;

/// The word that a review of this call must carry where it is a part of what the reviewer says: whoever is quoted in it
/// cannot know it.
pub(super) fn seal(state: &RunState, iteration: &Iteration) -> String {
    if iteration.kind != Kind::Review {
        return String::new();
    }
    let call = format!("{} {} {}", state.run, iteration.number, iteration.retry);
    digest(&[state.start.seal.as_bytes(), call.as_bytes()]).chars().take(16).collect()
}

/// The prompt of an iteration's call, and what it is made of.
pub(super) fn prompt(state: &RunState, iteration: &Iteration, agent: &str) -> Rendered {
    let budget = state.start.settings.memory.context_budget_tokens;
    let overflowed = state.detail(iteration.task).is_some_and(|detail| detail.overflowed);
    let budget = if overflowed { budget / 2 } else { budget };
    let task = state.task(iteration.task).cloned().unwrap_or_default();
    render(&brief(state, iteration, task, agent), budget)
}

/// The prompt of a compaction, laid out by the user's own template if there is one.
pub(super) fn compaction_prompt(state: &RunState, libraries: &[String]) -> Rendered {
    let mut brief = Brief::new(Work::Compact(Box::new(CompactWork {
        context: state.memory.context.clone(),
        records: state.memory.records.clone(),
        libraries: libraries.to_vec(),
    })));
    brief.template = brief.template_name().own(&state.start.library.templates).map(str::to_owned);
    render(&brief, state.start.settings.memory.context_budget_tokens)
}

/// Why the user's template cannot be used for an iteration that is about to start, if it cannot.
pub(super) fn template_problem(state: &RunState, task: usize, agent: &str) -> Option<String> {
    let iteration = Iteration::new(state.kind_of(task), task);
    problem(state, || prompt(state, &iteration, agent))
}

/// The same for a compaction.
pub(super) fn compaction_problem(state: &RunState, libraries: &[String]) -> Option<String> {
    problem(state, || compaction_prompt(state, libraries))
}

fn problem(state: &RunState, prompt: impl Fn() -> Rendered) -> Option<String> {
    if state.start.library.templates.is_empty() {
        return None;
    }
    let rendered = prompt();
    let (error, name) = (rendered.trouble.as_ref()?, rendered.template.name());
    let line = error.line.map(|line| format!(", line {line}")).unwrap_or_default();
    Some(format!("cannot use the template {name}.md, using the built-in one: {error}{line}"))
}

/// Everything that the prompt is made from.
fn brief(state: &RunState, iteration: &Iteration, task: Task, agent: &str) -> Brief {
    let settings = &state.start.settings.prompt;
    let counter = Counter {
        iteration: iteration.number,
        of: state.start.max_iterations,
        is_told: settings.iteration_count,
    };
    let detail = state.detail(iteration.task);
    let work = match iteration.kind {
        Kind::Prompt => {
            let text = if state.prompt.is_empty() { &task.description } else { &state.prompt };
            Work::Prompt(Vars::new("prompt", settings, counter).fill(text))
        }
        Kind::Plan => state.planning.work(&state.start.source, detail),
        Kind::Review => Work::Review(review_work(state, detail, task)),
        Kind::Fix => {
            let findings = detail.map(|detail| detail.findings.clone()).unwrap_or_default();
            Work::Fix(Box::new(task), findings)
        }
        Kind::Implement | Kind::Apply | Kind::Compact => Work::Task(Box::new(task)),
    };
    let skills = skills(state, iteration.task);
    let mut brief = Brief { skills, is_first: is_first(state), ..Brief::new(work) };
    brief.template = brief.template_name().own(&state.start.library.templates).map(str::to_owned);
    if !state.start.abilities_of(agent).is_structured {
        brief.handoff = HandoffForm::Block;
        brief.seal = seal(state, iteration);
    }
    brief.counter = Some(counter);
    let gates = state.start.gates.iter();
    brief.gates = gates.map(|gate| (gate.name.clone(), gate.line(), gate.severity)).collect();
    if !matches!(iteration.kind, Kind::Prompt | Kind::Plan) {
        brief.background.push((Section::Project, project(state, iteration.kind)));
    }
    // A reviewer sees with fresh eyes: what agents said of their own work must not excuse it.
    if !matches!(iteration.kind, Kind::Review | Kind::Plan) {
        brief.background.extend(remembered(state, iteration.task));
    }
    brief.steering = said(state, iteration);
    if !matches!(iteration.kind, Kind::Review | Kind::Plan)
        && let Some(detail) = detail
    {
        if let Some(newest) = detail.feedback.back() {
            brief.feedback = feedback(state, iteration.task, newest);
        }
        brief.feedback.extend(detail.feedback.iter().filter_map(tried));
        brief.directive = shift(detail);
        brief.extra_files.clone_from(&detail.expand);
        let pair = |one: &Answer| (one.question.clone(), one.answer.clone());
        brief.answers = detail.answers.iter().map(pair).collect();
        brief.notes = notes(state, detail);
    }
    brief
}

/// What people said that this call hears.
fn said(state: &RunState, iteration: &Iteration) -> Steering {
    if !hears(iteration.kind) {
        return Steering::default();
    }
    let task = state.task_id(iteration.task);
    let words = state.steering.heard(&task).map(|word| SteeredWord {
        is_about_task: word.said.task.is_some(),
        text: word.said.text.clone(),
    });
    Steering { words: words.collect(), left_out: state.steering.left_out(&task) }
}

/// What earlier iterations left, each level under its section.
fn remembered(state: &RunState, task: usize) -> Vec<(Section, String)> {
    let memory = &state.memory;
    let Some(about) = state.task(task) else { return Vec::new() };
    let overflowed = state.detail(task).is_some_and(|detail| detail.overflowed);
    let total = state.start.settings.memory.context_budget_tokens;
    let share = share(Section::Memory, total).saturating_sub(AROUND_MEMORY);
    let room = if overflowed { share / 2 } else { share };
    vec![
        (Section::LastHandoff, show::last(memory)),
        (Section::Memory, show::known(&memory.context, about, room)),
        (Section::Earlier, show::earlier(memory)),
    ]
}

/// Whether nothing of the plan was ever accepted, neither in this run nor before.
fn is_first(state: &RunState) -> bool {
    state.counters.accepted == 0 && !state.tasks.iter().any(|task| task.status == Status::Done)
}

/// The texts of a task's skills, in its order; missing ones were reported when the run started.
fn skills(state: &RunState, task: usize) -> Vec<(String, String)> {
    let names = state.task(task).map_or(&[][..], |task| &task.skills);
    let known = &state.start.library.skills;
    let text = |name: &String| Some((name.clone(), known.get(name)?.clone()));
    names.iter().filter_map(text).collect()
}

/// What the plan and the requirements say of the project as a whole.
fn project(state: &RunState, kind: Kind) -> String {
    let mut blocks = vec![state.start.plan.description.trim().to_owned()];
    if let Some(prd) = &state.start.library.prd {
        if kind != Kind::Review {
            blocks.push(
                "The requirements are in `.ralph/prd.md`: read the parts that concern this work."
                    .into(),
            );
        }
        let parts = [("Not wanted", &prd.non_goals), ("Always holds", &prd.constraints)];
        let parts = parts.into_iter().filter(|(_, text)| !text.is_empty());
        blocks.extend(parts.map(|(title, text)| format!("{title}:\n\n{text}")));
    }
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n")
}

/// What a reviewer gets to see: facts, and what the agent claims, labelled as that.
fn review_work(state: &RunState, detail: Option<&Detail>, task: Task) -> ReviewWork {
    let mut work = ReviewWork::new(task);
    let Some(detail) = detail else { return work };
    if !detail.began_at.is_empty() && detail.began_at != state.head {
        work.range = Some((detail.began_at.clone(), state.head.clone()));
    }
    work.gates = detail.proof.iter().map(|report| gate_line(state, report)).collect();
    let line = |one: &Touched| format!("{} ({})", one.path, one.exposure.describe());
    work.touched = detail.touched.iter().map(line).collect();
    work.claims.clone_from(&detail.claimed);
    work.earlier = detail.findings.iter().map(Finding::line).collect();
    work
}

/// How a gate went, and the command: a reviewer can run it again, and sees no logs, which quote agents.
fn gate_line(state: &RunState, report: &GateReport) -> String {
    let spec = state.start.gates.iter().find(|spec| spec.name == report.gate);
    let command = spec.map(|spec| spec.command.trim()).filter(|command| *command != report.gate);
    let command = command.map(|command| format!(" ({command})")).unwrap_or_default();
    let tests = report.tests.ran.map(|ran| format!(", {ran} tests")).unwrap_or_default();
    let flaky = if report.flaky { ", failed at first and passed when run again" } else { "" };
    format!("{}{command}: exit {}{tests}{flaky}", report.gate, report.end.exit_code())
}

/// What an agent that is stuck must not do again.
fn shift(detail: &Detail) -> Option<Shift> {
    let stuck = detail.stuck.as_ref().filter(|_| detail.escalated.shifts > 0)?;
    let mut failed_approach: Vec<String> =
        detail.feedback.iter().map(|record| record.tried.trim().to_owned()).collect();
    failed_approach.retain(|tried| !tried.is_empty());
    failed_approach.dedup();
    Some(Shift { failed_approach, why: stuck.describe() })
}

/// A log of the run, as an agent finds it from the folder that it works in.
fn log(state: &RunState, name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(".ralph/runs/{}/{name}", state.run) }
}

/// The newest attempt's failures, word for word.
fn feedback(state: &RunState, task: usize, record: &AttemptRecord) -> Vec<Feedback> {
    let mut failures = Vec::new();
    for report in &record.results.gates {
        let Some(spec) = state.start.gates.iter().find(|spec| spec.name == report.gate) else {
            continue;
        };
        let before = state.baseline.iter().flatten().find(|known| known.gate == report.gate);
        let standing = compare(report, spec, before);
        if standing == Standing::SoftRed || !standing.accepts() {
            let report = GateReport { log: log(state, &report.log), ..report.clone() };
            let message = gate_message(spec, &report, &standing);
            let advisory =
                if spec.severity == Severity::Soft { " (advice, not required)" } else { "" };
            failures.push(Feedback {
                title: format!("{}{advisory}", message.head),
                hint: String::new(),
                output: message.output,
                action: spec.fail_action,
            });
        }
    }
    let criteria = state.task(task).map(|task| task.acceptance_criteria.as_slice());
    let is_shown = |check: &&CheckReport| !check.end.succeeded() || !check.changed.is_empty();
    for check in record.results.checks.iter().filter(is_shown) {
        let criterion = criteria.and_then(|all| all.get(check.criterion));
        let hard_timeout = state.start.settings.timeouts.gate.hard.0;
        let check = CheckReport { log: log(state, &check.log), ..check.clone() };
        let message = check_message(criterion.map_or("", |one| one.text()), &check, hard_timeout);
        failures.push(Feedback {
            title: message.head,
            hint: String::new(),
            output: message.output,
            action: FailAction::Append,
        });
    }
    failures
}

/// What an attempt said it did: an agent's words, so they are shown as output.
fn tried(record: &AttemptRecord) -> Option<Feedback> {
    let said: String = record.tried.trim().chars().take(400).collect();
    (!said.is_empty()).then(|| Feedback {
        title: format!("attempt {} said of itself (a claim, not a fact)", record.attempt),
        hint: String::new(),
        output: said,
        action: FailAction::Append,
    })
}

/// What else a fresh context must know about earlier attempts.
fn notes(state: &RunState, detail: &Detail) -> Vec<String> {
    let mut notes = Vec::new();
    for record in &detail.feedback {
        notes.push(format!("Attempt {}: {}.", record.attempt, summary(record)));
    }
    if !detail.feedback.is_empty() {
        notes.push(if detail.work.is_some() {
            "The work of the last attempt is still in the files: repair it.".into()
        } else {
            "The files are back at the last accepted state: start over.".into()
        });
    } else if detail.work.is_some() {
        notes.push("The unfinished work of an earlier call is in the files.".into());
    }
    if let Some(branch) = &detail.earlier {
        notes.push(format!(
            "Earlier attempts are on the branch {branch}: `git diff HEAD...{branch}` shows them."
        ));
    }
    if detail.overflowed {
        notes.push("An earlier call ran out of context: read less at a time.".into());
    }
    notes.extend(state.refused.iter().map(|why| format!("A plan amendment was refused. {why}")));
    notes
}

fn summary(record: &AttemptRecord) -> String {
    let reasons: Vec<_> = record.verdict.reasons.iter().map(Reason::describe).collect();
    reasons.join("; ")
}
