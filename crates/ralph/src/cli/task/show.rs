//! `ralph task show`: everything known about one task, as a person reads it.

use ralph_core::{plan::person::NotPossible, time::Millis, usage::MicroUsd};

use super::{
    ask,
    facts::{self, CriterionFacts, FindingFacts, TaskFacts},
    list,
};
use crate::{
    args::task::OneTask,
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::{
        block::{Block, Entry, dots},
        line::{Line, Sign, Tone},
        plain,
    },
    session::plan_status::PlanStatus,
    words,
};

/// Characters of a tree or commit that are shown.
const SHORT: usize = 7;

/// Runs `ralph task show`.
pub(crate) fn exec(args: &OneTask, context: &Context) -> Result<u8, CommandError> {
    let standing = PlanStatus::about(&context.project_dir, &args.task)?;
    let foreseen = standing.foreseen();
    let id = args.task.as_str().into();
    let all = standing.plan.tasks.iter().chain(&foreseen.tasks);
    let Some(task) = all.into_iter().find(|task| task.id == id) else {
        return Err(ask::refused(&NotPossible::NoSuchTask { id }));
    };
    let facts = facts::of(&standing, task)?;
    if context.json {
        answer_json(&facts)?;
        return Ok(exit::DONE);
    }
    let mut block = render(&facts);
    if standing.waiting.is_empty() {
        block.extend(next(&facts));
    }
    let about = standing.waiting.iter().filter(|wish| wish.task() == Some(&task.id));
    let requests: Vec<String> = about.map(ask::words).collect();
    block.extend(list::waiting(&requests, &standing.taker));
    context.answer(&block)?;
    Ok(exit::DONE)
}

fn render(facts: &TaskFacts) -> Block {
    let line = &facts.line;
    let mut block = vec![Entry::Titled {
        before: Line::signed(list::sign(line.status)).add(Tone::Bold, format!("{} ", line.id)),
        title: line.title.clone(),
        after: Line::new().add(Tone::Bold, line.status.replace('_', " ")),
    }];
    let waits = line.status == "parked" && line.question.is_some();
    if !line.why.is_empty() && !waits {
        block.push(Entry::text(2, Tone::Plain, &line.why));
    }
    if let Some(was) = facts.left_as {
        let run = facts.run.as_deref().unwrap_or_default();
        let was = was.replace('_', " ");
        let text = format!("run {run} left it {was}; the plan was changed since");
        block.push(Entry::text(2, Tone::Warn, text));
    }
    block.extend(paragraphs(&facts.description));
    block.extend(settings(facts));
    if !facts.criteria.is_empty() {
        block.push(heading("criteria"));
        block.extend(facts.criteria.iter().flat_map(criterion));
    }
    if !line.labels.is_empty() {
        block.push(Entry::text(
            2,
            Tone::Warn,
            format!("weaker than proof: {}", line.labels.join(" · ")),
        ));
    }
    block.extend(tried(facts));
    block.extend(list_of("the last review wants changed", Sign::Bad, &facts.findings));
    block.extend(list_of("noticed in review, blocks nothing", Sign::Warning, &facts.warnings));
    block.extend(talk(facts));
    block.extend(places(facts));
    block
}

fn heading(text: &str) -> Entry {
    Entry::Cut(Line::new().add(Tone::Accent, text))
}

fn paragraphs(text: &str) -> Block {
    let text = plain::clean(text);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| Entry::text(2, Tone::Plain, line)).collect()
}

/// What the task itself asks for.
fn settings(facts: &TaskFacts) -> Option<Entry> {
    let mut parts = Vec::new();
    if !facts.depends_on.is_empty() {
        parts.push(format!("depends on {}", words::list(&facts.depends_on)));
    }
    if let Some(on) = &facts.line.waits_for {
        parts.push(format!("waits for {on}"));
    }
    parts.extend(facts.priority.map(|n| format!("priority {n}")));
    parts.extend(facts.agent.as_ref().map(|agent| format!("agent {agent}")));
    parts.extend(facts.model.as_ref().map(|model| format!("model {model}")));
    parts.extend(facts.max_attempts.map(|n| format!("at most {n} attempts")));
    parts.extend(facts.notes.as_ref().map(|notes| format!("notes: {notes}")));
    (!parts.is_empty()).then(|| Entry::text(2, Tone::Dim, dots(&parts)))
}

fn criterion(facts: &CriterionFacts) -> Block {
    let sign = match facts.met {
        Some(true) => Sign::Ok,
        Some(false) => Sign::Bad,
        None if facts.judge.is_some() => Sign::Warning,
        None => Sign::Neutral,
    };
    let lead = Line::new().plain("  ").sign(sign).plain(" ");
    let mut proof = match (&facts.check, facts.judge) {
        (Some(command), _) => format!("check {command}: {}", facts.proof),
        (None, Some("reviewer")) => format!("reviewer {}", facts.proof),
        (None, _) => facts.proof.clone(),
    };
    if let Some(tree) = &facts.tree {
        proof = format!("{proof} · tree {}", short(tree));
    }
    vec![Entry::led(lead, &facts.criterion), Entry::text(6, Tone::Dim, proof)]
}

fn tried(facts: &TaskFacts) -> Block {
    if facts.history.is_empty() {
        return Vec::new();
    }
    let mut figures = vec![
        words::count(facts.line.attempts.into(), "attempt"),
        words::count(facts.line.reviews.into(), "review"),
        format!("time {}", Millis(facts.spent_ms)),
    ];
    if facts.tokens > 0 {
        figures.push(format!("cost {}", MicroUsd(facts.cost_usd_micros)));
    }
    let run = facts.run.as_deref().unwrap_or_default();
    let mut block =
        vec![heading(&format!("tried in run {run}")), Entry::text(2, Tone::Dim, dots(&figures))];
    for step in &facts.history {
        let who = if step.model.is_empty() {
            step.agent.clone()
        } else {
            format!("{}/{}", step.agent, step.model)
        };
        let result = if step.result.is_empty() { "no result" } else { &step.result };
        let lead = Line::new().dim(format!("  iteration {} ", step.iteration));
        block.push(Entry::led(lead, format!("{} by {who}: {result}", step.kind)));
    }
    if let Some(stuck) = &facts.stuck {
        block.push(Entry::text(2, Tone::Warn, format!("stuck: {stuck}")));
    }
    block
}

fn list_of(title: &str, sign: Sign, findings: &[FindingFacts]) -> Block {
    if findings.is_empty() {
        return Vec::new();
    }
    let each = findings
        .iter()
        .map(|finding| Entry::led(Line::new().plain("  ").sign(sign).plain(" "), &finding.line));
    std::iter::once(heading(title)).chain(each).collect()
}

fn talk(facts: &TaskFacts) -> Block {
    let mut block = Vec::new();
    for one in &facts.answers {
        let lead = Line::new().dim("  ? ");
        block.push(Entry::led(lead, &one.question));
        block.push(Entry::led(Line::new().dim("    answer: "), &one.answer));
    }
    if let Some(question) = &facts.line.question {
        block.push(Entry::led(Line::new().add(Tone::Warn, "  ? "), question));
        if facts.line.status != "parked" {
            block.push(Entry::text(4, Tone::Dim, "nothing waits for an answer"));
        }
    }
    if !block.is_empty() {
        block.insert(0, heading("questions"));
    }
    block
}

fn places(facts: &TaskFacts) -> Block {
    let mut block = Vec::new();
    if !facts.commits.is_empty() {
        let commits: Vec<&str> = facts.commits.iter().map(|commit| short(commit)).collect();
        block.push(Entry::text(0, Tone::Plain, format!("commits {}", words::list(&commits))));
    }
    if let Some(branch) = &facts.line.branch {
        block.push(Entry::text(0, Tone::Plain, format!("its work is on branch {branch}")));
    }
    if let Some(branch) = &facts.earlier_branch {
        block.push(Entry::text(0, Tone::Plain, format!("an earlier try is on branch {branch}")));
    }
    if !facts.exposed.is_empty() {
        let text = format!(
            "changed files that check the work or run on your machine: {}",
            words::few(&facts.exposed, 10)
        );
        block.push(Entry::led(Line::signed(Sign::Warning), text));
    }
    block
}

/// What a person can do about it.
fn next(facts: &TaskFacts) -> Option<Entry> {
    let id = &facts.line.id;
    let text = match facts.line.status {
        "parked" if facts.line.question.is_some() => format!("ralph task answer {id} \"…\""),
        "parked" if facts.agent_failed => format!("ralph logs {id}, then ralph task retry {id}"),
        "parked" => format!(
            "ralph task approve {id}, or ralph task answer {id} \"…\" to have it go on, or ralph task retry {id}"
        ),
        "failed" => {
            format!("ralph logs {id}; then ralph task edit {id} … and ralph task retry {id}")
        }
        _ => return None,
    };
    Some(Entry::Wrapped {
        lead: Line::new().add(Tone::Accent, "next: "),
        indent: 6,
        tone: Tone::Bold,
        text,
    })
}

fn short(hash: &str) -> &str {
    hash.get(..SHORT).unwrap_or(hash)
}
