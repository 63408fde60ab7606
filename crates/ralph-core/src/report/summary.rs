//! A plan's results over all its runs: the page that goes into the archive with it.

use ralph_text::markdown::{cell_code, list, words};

use super::{Report, TaskReport};
use crate::{
    evidence::Label,
    plan::{Plan, Status, Task, formats::source::is_imported_as_done},
    time::Timestamp,
    usage::Usage,
};

/// A plan that is put away.
pub struct Archived<'a> {
    pub plan: &'a Plan,
    /// Its runs, oldest first.
    pub runs: &'a [Report],
    /// The day, as people write it.
    pub date: &'a str,
}

/// The summary as Markdown.
pub fn summary(archived: &Archived<'_>) -> String {
    let Archived { plan, runs, date } = archived;
    let name = if plan.project.is_empty() { "a plan" } else { &plan.project };
    let mut facts = vec![format!("archived on {date}"), counts(plan)];
    facts.extend(runs.last().map(|run| format!("branch {}", cell_code(&run.branch))));
    facts.extend(range(runs));
    facts.push(match runs.len() {
        0 => "no run worked on it".into(),
        count => format!("{}, {}, {}", number(count, "run"), iterations(runs), cost(runs)),
    });
    let mut text = format!("# {}\n\n{}\n", words(name), list(facts.into_iter()));
    if !plan.tasks.is_empty() {
        text.push_str("\n## Tasks\n\n| task | status | evidence | reviews | commits |\n");
        text.push_str("|---|---|---|--:|---|\n");
        for task in &plan.tasks {
            text.push_str(&row(task, runs));
        }
    }
    text
}

fn counts(plan: &Plan) -> String {
    let count = |status: Status| plan.tasks.iter().filter(|task| task.status == status).count();
    let named = [Status::Done, Status::Failed, Status::Parked, Status::Skipped];
    let open = plan.tasks.iter().filter(|task| !named.contains(&task.status)).count();
    let total = plan.tasks.len();
    let mut parts = vec![format!("{} of {total} tasks done", count(Status::Done))];
    let imported = plan.tasks.iter().filter(|task| is_imported(task)).count();
    if imported > 0 {
        parts.push(format!("{imported} of them {}", Label::ImportedAsDone.describe()));
    }
    for status in [Status::Failed, Status::Parked, Status::Skipped] {
        if count(status) > 0 {
            parts.push(format!("{} {}", count(status), status.word()));
        }
    }
    if open > 0 {
        parts.push(format!("{open} open"));
    }
    parts.join(", ")
}

fn is_imported(task: &Task) -> bool {
    task.status == Status::Done && is_imported_as_done(task)
}

fn range(runs: &[Report]) -> Option<String> {
    let (first, last) = (runs.first()?, runs.last()?);
    let day = |time: Timestamp| time.to_string().chars().take(16).collect::<String>();
    let day = |time: Timestamp| day(time).replace('T', " ");
    Some(format!("from {} to {} UTC", day(first.began), day(last.last)))
}

fn iterations(runs: &[Report]) -> String {
    number(runs.iter().map(|run| run.iterations as usize).sum(), "iteration")
}

/// An agent that reports nothing is not said to be free.
fn cost(runs: &[Report]) -> String {
    let mut all = Usage::default();
    for run in runs {
        all.add(run.usage);
    }
    all.known_cost().map_or_else(|| "cost not reported".into(), |cost| format!("cost {cost}"))
}

fn row(task: &Task, runs: &[Report]) -> String {
    let told: Vec<&TaskReport> =
        runs.iter().flat_map(|run| &run.tasks).filter(|one| one.id == task.id).collect();
    let reviews: u32 = told.iter().map(|one| one.reviews).sum();
    let commits = told.iter().flat_map(|one| &one.commits);
    let commits: Vec<String> = commits.map(|commit| cell_code(commit.short())).collect();
    format!(
        "| {}: {} | {} | {} | {reviews} | {} |\n",
        words(task.id.as_str()),
        words(&task.title),
        task.status.word().replace('_', " "),
        evidence(task, &told),
        commits.join(" ")
    )
}

/// What the last run that worked on it could say for it.
fn evidence(task: &Task, told: &[&TaskReport]) -> String {
    // A run that found it done already has nothing to say.
    let speaks = |one: &&&TaskReport| {
        one.verified || one.labels.iter().any(|label| *label != Label::DoneBefore)
    };
    let told = told.iter().rev().find(speaks);
    match told {
        _ if task.status != Status::Done => String::new(),
        None if is_imported(task) => Label::ImportedAsDone.describe(),
        None => "not by a run of ralph".into(),
        Some(one) if one.verified => "verified".into(),
        Some(one) => {
            let labels: Vec<String> =
                one.labels.iter().map(|label| words(&label.describe())).collect();
            labels.join(", ")
        }
    }
}

fn number(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
