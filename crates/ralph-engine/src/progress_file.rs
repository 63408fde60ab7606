//! The text of `progress.md`: what people noted, what agents found, and the log of iterations.
//!
//! Above the log every line that ralph did not write is a person's and is kept as it is, wherever it stands. A pattern
//! of agents is known by the mark at its end. Reads and writes no file.

use std::{collections::BTreeSet, fmt::Display};

const TITLE: &str = "# Progress";
const STARTED: &str = "Started: ";
const PROJECT: &str = "Project: ";
const ABOUT: &str = "What you write above the log stays as it is, and every run that starts after it shows it to its agents. Lines with \
                     a mark at the end are what agents found; change or delete them between two runs. ralph writes the rest.";
const NOTES: &str = "## Your notes";
const PATTERNS: &str = "## Codebase patterns";
const LOG: &str = "## Log";
/// Ends a line that agents brought.
const MARK: &str = " <!-- agents -->";

/// Lines of ralph's own above the log, each there once; of some only the beginning is known.
const OWN: [&str; 6] = [TITLE, STARTED, PROJECT, ABOUT, NOTES, PATTERNS];

/// The parts of the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Progress {
    /// What people wrote, as they wrote it.
    pub(crate) notes: String,
    /// What agents found, without list marks.
    pub(crate) patterns: Vec<String>,
    /// One entry per iteration, of all runs.
    pub(crate) log: String,
}

impl Progress {
    /// Takes a file apart, whoever wrote it.
    pub(crate) fn read(text: &str) -> Self {
        let (head, log) = text.split_once(&format!("\n{LOG}\n")).unwrap_or((text, ""));
        let mut patterns = Vec::new();
        let mut own = if head.contains(ABOUT) { OWN.to_vec() } else { Vec::new() };
        let mut notes: Vec<&str> = Vec::new();
        for line in head.lines() {
            if let Some(found) = line.trim_end().strip_suffix(MARK.trim_start()) {
                patterns.push(unmarked(found).to_owned());
            } else if let Some(at) = own.iter().position(|known| is_line_of(line, known)) {
                own.remove(at);
            } else if !line.trim().is_empty()
                || notes.last().is_some_and(|last| !last.trim().is_empty())
            {
                // What surrounds lines of ralph's own leaves no gap behind.
                notes.push(line);
            }
        }
        let notes = notes.join("\n").trim_end().to_owned();
        Self { notes, patterns, log: log.trim().to_owned() }
    }

    /// The lines of the notes that say something, for agents.
    pub(crate) fn noted(&self) -> impl Iterator<Item = &str> {
        self.notes.lines().map(unmarked).filter(|line| !line.is_empty())
    }

    /// Makes notes of what somebody wrote into the log, which held this before.
    pub(crate) fn note_what_is_not_in(&mut self, before: &str) {
        let known: BTreeSet<&str> = before.lines().collect();
        let new = self.log.lines().filter(|line| !line.trim().is_empty() && !known.contains(line));
        for line in new {
            self.notes.push_str(if self.notes.is_empty() { "" } else { "\n" });
            self.notes.push_str(line);
        }
    }

    /// The file.
    pub(crate) fn render(&self, started: &dyn Display, project: &str) -> String {
        let patterns: Vec<String> =
            self.patterns.iter().map(|text| format!("- {text}{MARK}")).collect();
        let parts = [
            format!("{TITLE}\n\n{STARTED}{started}\n{PROJECT}{project}\n\n{ABOUT}\n\n{NOTES}\n"),
            self.notes.clone(),
            format!("\n{PATTERNS}\n\n{}\n\n{LOG}\n\n{}\n", patterns.join("\n"), self.log.trim()),
        ];
        parts.join("\n")
    }
}

fn is_line_of(line: &str, known: &str) -> bool {
    if known.ends_with(' ') { line.starts_with(known) } else { line.trim_end() == known }
}

fn unmarked(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_wrote_stays_word_for_word_wherever_it_stands() {
        let file = Progress {
            notes: "* use bun\n\n```\n  make test\n```".into(),
            patterns: vec!["tests are in t/".into()],
            log: "# Run one\n\n## Iteration 1\n- Pattern: tests are in t/".into(),
        };
        let text = file.render(&"now", "shop");
        assert_eq!(Progress::read(&text), file);
        let text = text.replace("\n## Log", "- ask before you add a crate\n\n## Log");
        let read = Progress::read(&text);
        assert_eq!(read.notes, format!("{}\n\n- ask before you add a crate", file.notes));
        assert_eq!(Progress::read(&read.render(&"later", "shop")), read);
        assert_eq!(
            read.noted().collect::<Vec<_>>(),
            ["use bun", "```", "make test", "```", "ask before you add a crate"]
        );
    }

    #[test]
    fn what_was_added_to_the_log_becomes_a_note() {
        let mut file =
            Progress::read("## Your notes\n\nuse bun\n\n## Log\n\n# Run one\n- a\n\nmine\n");
        file.notes = "use bun".into();
        file.note_what_is_not_in("# Run one\n- a");
        assert_eq!(file.notes, "use bun\nmine");
    }

    #[test]
    fn a_file_that_ralph_never_wrote_is_all_notes() {
        let text = "# Progress\n\nProject: mine\n\n---\n\n- one\n";
        let read = Progress::read(text);
        assert_eq!((read.notes.as_str(), read.log.as_str()), (text.trim_end(), ""));
    }
}
