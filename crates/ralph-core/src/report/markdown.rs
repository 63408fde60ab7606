//! A report as Markdown, for people. What came from agents, gates and reviewers is escaped or fenced.

mod evidence;
mod exposed;
mod figures;
mod isolation;
mod phrases;
mod steering;
mod trouble;
mod warnings;

use phrases::{LISTED, code, listed, said};
use ralph_text::markdown::{list, words};

use super::Report;
use crate::{evidence::Label, time::Timestamp};

/// The whole report, with times in UTC.
pub fn markdown(report: &Report) -> String {
    markdown_with(report, &|at| at.to_string())
}

/// The whole report, with times as they are to be shown.
pub fn markdown_with(report: &Report, show: &dyn Fn(Timestamp) -> String) -> String {
    let mut parts = vec![head(report, show), exposed::section(report), weaker(report)];
    parts.extend(trouble::sections(report));
    parts.push(warnings::section(report));
    parts.push(steering::answered(report));
    parts.push(steering::section(report, show));
    parts.push(figures::tasks(report));
    parts.push(evidence::section(report));
    parts.extend(figures::sections(report));
    parts.push(isolation::network(report));
    parts.extend(report.rules.as_ref().map(rules));
    parts.retain(|part| !part.is_empty());
    format!("{}\n", parts.join("\n\n"))
}

fn rules(rules: &super::Rules) -> String {
    let lines = list(rules.lines.iter().map(|line| said(line)));
    let file = words(&rules.file);
    format!(
        "## Lasting rules for {file}\n\nProposed from what agents reported; nothing is written. `ralph report --rules` \
         shows them again and adds them to {file} if you agree.\n\n{lines}"
    )
}

fn head(report: &Report, show: &dyn Fn(Timestamp) -> String) -> String {
    let outcome = match &report.ended {
        Some(ended) => format!("**{}** (exit {})", said(&ended.words), ended.exit_code),
        None => "**not ended**: still running, or interrupted".into(),
    };
    let counts = &report.counts;
    let labels = [(counts.imported, Label::ImportedAsDone), (counts.before, Label::DoneBefore)];
    let labels = labels.iter().filter(|(n, _)| *n > 0);
    let labels: Vec<String> =
        labels.map(|(n, label)| format!("{n} {}", label.describe())).collect();
    let of_them =
        if labels.is_empty() { String::new() } else { format!(" ({})", labels.join("; ")) };
    let mut standing = vec![format!("{} of {} done{of_them}", counts.done, counts.total)];
    for (n, word) in [
        (counts.skipped, "skipped"),
        (counts.failed, "failed"),
        (counts.parked, "waiting for a person"),
        (counts.blocked, "blocked"),
        (counts.open, "open"),
    ] {
        if n > 0 {
            standing.push(format!("{n} {word}"));
        }
    }
    let mut lines = vec![
        format!("tasks: {}", standing.join(", ")),
        format!("verified: {} of {} done", counts.verified, counts.done),
    ];
    if !report.branch.is_empty() {
        let from = match report.came_from.as_str() {
            "" => String::new(),
            from if from == report.branch => String::new(),
            from => format!(", from {}", code(from)),
        };
        lines.push(format!("branch: {}{from}", code(&report.branch)));
    }
    lines.extend(isolation::lines(report));
    lines.push(format!("began: {}, last decision: {}", show(report.began), show(report.last)));
    let title = format!("# Run {}", words(report.run.as_str()));
    let notes = report.notes.iter().map(|note| format!("note: {}", phrases::note(note)));
    format!("{title}\n\n{outcome}\n\n{}", list(lines.into_iter().chain(notes)))
}

fn weaker(report: &Report) -> String {
    listed("## Weaker than full proof", &report.weaker, |one| {
        let tasks: Vec<String> =
            one.tasks.iter().take(LISTED).map(|task| words(task.as_str())).collect();
        let hidden = one.tasks.len().saturating_sub(LISTED);
        let rest = if hidden > 0 { format!(" and {hidden} more") } else { String::new() };
        format!("{}: {}{rest}", words(&one.words), tasks.join(", "))
    })
}
