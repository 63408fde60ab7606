//! `ralph task show`: everything known about one task, as a person reads it.

use ralph_core::{
    ids::{CommitId, TaskId},
    next_command::{Need, Situation, Work, next_command},
    plan::{Status, person::NotPossible},
    review::Finding,
};

use super::{
    ask,
    facts::{CriterionFacts, TaskFacts},
    list,
};
use crate::{
    args::task::OneTask,
    context::{Context, answer_json},
    diagnostics::CommandError,
    exit,
    reporters::{
        block::{Block, Entry, dots},
        budget::{self, Caps},
        line::{Line, Sign, Tone},
        plain, record, task_entry,
    },
    session::plan_status::{PlanStatus, Taker},
    words,
};

/// Characters of a tree that are shown.
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
    let facts = TaskFacts::of(&standing, task)?;
    if context.json {
        answer_json(&facts.json())?;
        return Ok(exit::DONE);
    }
    let mut block = render(&facts);
    if standing.waiting.is_empty() {
        block.extend(next(&facts, &standing.taker));
    }
    let about = standing.waiting.iter().filter(|wish| wish.task() == Some(&task.id));
    let requests: Vec<String> = about.map(ask::words).collect();
    block.extend(list::waiting(&requests, &standing.taker));
    context.answer(&block)?;
    Ok(exit::DONE)
}

fn render(facts: &TaskFacts) -> Block {
    let TaskFacts { listed, task, detail, .. } = facts;
    let line = &listed.line;
    let status = Line::new().add(Tone::Bold, task_entry::word_now(task.status, listed.is_dead));
    let mut block = vec![task_entry::titled(line, listed.is_dead, status)];
    let waits = task.status == Status::Parked && line.question.is_some();
    if !line.why.is_empty() && !waits {
        block.push(Entry::text(2, Tone::Plain, &line.why));
    }
    if let (Some(was), Some(run)) = (facts.left_as, &facts.run) {
        let was = task_entry::word(was);
        let text = format!("run {run} left it {was}; the plan was changed since");
        block.push(Entry::text(2, Tone::Warn, text));
    }
    block.extend(paragraphs(&task.description));
    block.extend(settings(facts));
    if !facts.criteria.is_empty() {
        block.push(heading("criteria"));
        block.extend(facts.criteria.iter().flat_map(criterion));
    }
    if !line.labels.is_empty() {
        let text = format!("weaker than proof: {}", line.labels.join(" · "));
        block.push(Entry::text(2, Tone::Warn, text));
    }
    block.extend(tried(facts));
    block.extend(list_of("the last review wants changed", Sign::Bad, &detail.findings));
    block.extend(list_of("noticed in review, blocks nothing", Sign::Warning, &detail.warnings));
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
    let task = &facts.task;
    let mut parts = Vec::new();
    if !task.depends_on.is_empty() {
        let on: Vec<&str> = task.depends_on.iter().map(TaskId::as_str).collect();
        parts.push(format!("depends on {}", words::list(&on)));
    }
    parts.extend(facts.listed.waits_for.as_ref().map(|on| format!("waits for {on}")));
    parts.extend(task.priority.map(|n| format!("priority {n}")));
    parts.extend(task.agent.as_ref().map(|agent| format!("agent {agent}")));
    parts.extend(task.model.as_ref().map(|model| format!("model {model}")));
    parts.extend(task.own_max_attempts().map(|n| format!("at most {n} attempts")));
    parts.extend(task.notes.as_ref().map(|notes| format!("notes: {notes}")));
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
    let (Some(run), detail) = (&facts.run, &facts.detail) else { return Vec::new() };
    if facts.history.is_empty() {
        return Vec::new();
    }
    let mut figures = vec![
        words::count(detail.attempts.into(), "attempt"),
        words::count(detail.reviews.into(), "review"),
        format!("time {}", detail.time),
    ];
    figures.push(budget::spent(&detail.usage, &Caps::default()));
    let mut block =
        vec![heading(&format!("tried in run {run}")), Entry::text(2, Tone::Dim, dots(&figures))];
    for step in &facts.history {
        let who = record::who(&step.agent, &step.model);
        let result = if step.result.is_empty() { "no result" } else { &step.result };
        let lead = Line::new().dim(format!("  iteration {} ", step.iteration));
        block.push(Entry::led(lead, format!("{} by {who}: {result}", step.kind)));
    }
    if let Some(stuck) = &detail.stuck {
        block.push(Entry::text(2, Tone::Warn, format!("stuck: {}", stuck.describe())));
    }
    block
}

fn list_of(title: &str, sign: Sign, findings: &[Finding]) -> Block {
    if findings.is_empty() {
        return Vec::new();
    }
    let each = findings
        .iter()
        .map(|finding| Entry::led(Line::new().plain("  ").sign(sign).plain(" "), finding.line()));
    std::iter::once(heading(title)).chain(each).collect()
}

fn talk(facts: &TaskFacts) -> Block {
    let mut block = Vec::new();
    for one in &facts.detail.answers {
        let lead = Line::new().dim("  ? ");
        block.push(Entry::led(lead, &one.question));
        block.push(Entry::led(Line::new().dim("    answer: "), &one.answer));
    }
    let is_answered = facts.listed.requests.contains(&"answer");
    if let Some(question) = &facts.task.question {
        block.push(Entry::led(Line::new().add(Tone::Warn, "  ? "), question));
        if facts.task.status != Status::Parked && !is_answered {
            block.push(Entry::text(4, Tone::Dim, "nothing waits for an answer"));
        }
    }
    if !block.is_empty() {
        block.insert(0, heading("questions"));
    }
    block
}

fn places(facts: &TaskFacts) -> Block {
    let detail = &facts.detail;
    let mut block = Vec::new();
    if !detail.commits.is_empty() {
        let commits: Vec<&str> = detail.commits.iter().map(CommitId::short).collect();
        block.push(Entry::text(0, Tone::Plain, format!("commits {}", words::list(&commits))));
    }
    if let Some(branch) = &facts.task.branch {
        block.push(Entry::text(0, Tone::Plain, format!("its work is on branch {branch}")));
    }
    if let Some(branch) = &detail.earlier {
        block.push(Entry::text(0, Tone::Plain, format!("earlier attempts are on branch {branch}")));
    }
    let exposed = facts.exposed();
    if !exposed.is_empty() {
        let more = match detail.touched_left_out {
            0 => String::new(),
            more => format!(", and {more} that are not listed"),
        };
        let text = format!(
            "changed files that check the work or run on your machine: {}{more}",
            words::few(&exposed, 10)
        );
        block.push(Entry::signed(Sign::Warning, text));
    }
    block
}

/// What a person can do about it. Only a run can take an answer or an approval.
fn next(facts: &TaskFacts, taker: &Taker) -> Option<Entry> {
    let TaskFacts { task, detail, .. } = facts;
    let need =
        Need::of(&task.id, task.status, task.question.is_some(), detail.agent_failed.is_some())?;
    let need = if *taker == Taker::File { Need::GivenUp(task.id.clone()) } else { need };
    let next = next_command(&Situation { obstacles: Vec::new(), work: Work::Shown(need) });
    Some(Entry::next(0, next.words()?))
}

fn short(hash: &str) -> &str {
    hash.get(..SHORT).unwrap_or(hash)
}
