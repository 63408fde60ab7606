//! What will run on the user's machine: accepted changes by kind, the most dangerous first.
//!
//! Must never say that nothing changed unless the list is complete and empty.

use ralph_text::markdown::words;

use super::phrases::{LISTED, code, more};
use crate::{
    gates::protect::{Exposure, Touched},
    report::{Exposed, Report},
};

/// Most paths of one kind that a line names.
const PATHS: usize = 12;

pub(super) fn section(report: &Report) -> String {
    let title = "## What will run on your machine";
    if report.exposed.is_empty() {
        return format!("{title}\n\n{}", nothing(report));
    }
    let head = match report.exposed_files() {
        1 => "Look at this file before you build, test, merge or open the project: it runs by itself, checks the work, \
              or changes what runs."
            .into(),
        files => format!(
            "Look at these {files} files before you build, test, merge or open the project: they run by themselves, \
             check the work, or change what runs."
        ),
    };
    let head = format!("{head} Other changed code runs when you build, test or start the project.");
    let tasks: Vec<String> =
        report.exposed.iter().take(LISTED).map(|one| task(report, one)).collect();
    format!("{title}\n\n{head}\n\n{}{}", tasks.join("\n"), more(report.exposed.len()))
}

fn nothing(report: &Report) -> String {
    let has_work = report.tasks.iter().any(|task| !task.commits.is_empty());
    if !has_work {
        return "No work was accepted, so nothing new will run.".into();
    }
    "Accepted work changed no executable, no file that tools load by themselves, no hook, no automation, no package or \
     build script, no test, no agent configuration, no hidden file, no link out of the project and no protected path. \
     The code it did change runs when you build, test or start the project."
        .into()
}

fn task(report: &Report, exposed: &Exposed) -> String {
    let mut lines = Vec::new();
    for group in exposed.files.chunk_by(|a, b| a.exposure == b.exposure).take(LISTED) {
        lines.extend(group.first().map(|first| kind(&first.exposure, group)));
    }
    let hidden: usize =
        exposed.files.chunk_by(|a, b| a.exposure == b.exposure).skip(LISTED).map(<[_]>::len).sum();
    if hidden > 0 {
        lines.push(format!("  - and {hidden} more; `ralph report --json` lists them"));
    }
    if exposed.left_out > 0 {
        let range = match report.came_from.as_str() {
            "" => exposed.branch.clone(),
            from => format!("{from}...{}", exposed.branch),
        };
        lines.push(format!(
            "  - and {} more that are not listed: {}",
            exposed.left_out,
            code(&format!("git diff --stat --summary {range}"))
        ));
    }
    let name = words(exposed.task.as_str());
    format!("- {name}, on {}:\n{}", code(&exposed.branch), lines.join("\n"))
}

/// `run by builds (2): …`
fn kind(exposure: &Exposure, files: &[Touched]) -> String {
    let paths: Vec<String> = files.iter().take(PATHS).map(|file| code(&file.path)).collect();
    let rest = match files.len().saturating_sub(PATHS) {
        0 => String::new(),
        hidden => format!(" and {hidden} more (`ralph report --json` lists them)"),
    };
    let count = if files.len() > 1 { format!(" ({})", files.len()) } else { String::new() };
    format!("  - {}{count}: {}{rest}", words(&exposure.describe()), paths.join(", "))
}
