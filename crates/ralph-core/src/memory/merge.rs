//! Merges what iterations left into the context: the same is kept once, in its newest words, and what a handoff
//! names as superseded goes.
//!
//! Two statements are the same only if they differ in nothing but case, spacing, quotes, a list mark or a final full
//! stop: no guess is made about what words mean. Made from handoffs only, never from a summary. Takes no account of
//! room: that is `bound`'s.

use std::collections::BTreeMap;

use super::{
    context::{Context, FileNote, Statement},
    levels::{Record, first_sentence},
};

/// The note of an issue that is a loose end of its task.
const UNFINISHED: &str = "unfinished";
/// What agents write into a list that they have nothing for.
const NOTHING: [&str; 4] = ["", "-", "none", "n/a"];

/// Merges records, oldest first.
pub fn merge(context: &mut Context, records: &[Record]) {
    for record in records {
        statements(context, record);
        issues(&mut context.issues, record);
        files(context, record);
        completed_work(context, record);
    }
}

fn statements(context: &mut Context, record: &Record) {
    // What rejected work decided holds nowhere; what it found out about the world still does.
    if record.accepted {
        let overruled =
            |context: &mut Context, text: &str| !record.refused && supersede(context, text);
        for text in &record.supersedes {
            overruled(context, text);
        }
        for one in &record.deviations {
            let was_constraint = overruled(context, &one.planned);
            let list =
                if was_constraint { &mut context.constraints } else { &mut context.decisions };
            state(list, [made(record, &one.actual, &one.reason)]);
        }
        let decisions = record.decisions.iter().map(|text| made(record, text, ""));
        state(&mut context.decisions, decisions);
    }
    let constraints = record.constraints.iter().map(|one| made(record, &one.text, &one.note));
    state(&mut context.constraints, constraints);
    state(&mut context.patterns, record.patterns.iter().map(|text| made(record, text, "")));
}

fn issues(issues: &mut Vec<Statement>, record: &Record) {
    if record.accepted && record.complete {
        issues.retain(|one| one.task != record.task || one.note != UNFINISHED);
    }
    for bug in &record.bugs {
        // What rejected work repaired is not repaired.
        if bug.resolved && record.accepted && !record.refused {
            issues.retain(|one| !is_named(one, &bug.text));
        } else if !bug.resolved {
            state(issues, [made(record, &bug.text, "")]);
        }
    }
    state(issues, record.unfinished.iter().map(|one| made(record, &one.text, UNFINISHED)));
}

fn files(context: &mut Context, record: &Record) {
    let purpose = format!("{}: {}", record.task, first_sentence(&record.summary));
    for path in &record.files {
        let files = &mut context.files;
        let known = files.iter().position(|one| one.path == *path).map(|at| files.remove(at));
        files.push(FileNote {
            path: path.clone(),
            purpose: purpose.clone(),
            last: record.iteration,
            times: known.map_or(0, |known| known.times) + 1,
        });
    }
}

fn completed_work(context: &mut Context, record: &Record) {
    if record.accepted {
        let text = format!("{}: {}", record.task, first_sentence(&record.summary));
        context.completed.retain(|one| one.task.is_empty() || one.task != record.task);
        context.completed.push(made(record, &text, ""));
    }
}

fn made(record: &Record, text: &str, note: &str) -> Statement {
    Statement {
        note: note.to_owned(),
        task: record.task.clone(),
        ..Statement::new(text, record.iteration)
    }
}

/// Remembers statements: each once, in its newest words.
pub(super) fn state(list: &mut Vec<Statement>, new: impl IntoIterator<Item = Statement>) {
    let mut all: Vec<Option<Statement>> = list.drain(..).map(Some).collect();
    let known = all.iter().flatten().enumerate();
    let mut places: BTreeMap<String, usize> = known.map(|(at, one)| (key(&one.text), at)).collect();
    for mut statement in new {
        let key = key(&statement.text);
        if NOTHING.contains(&key.as_str()) {
            continue;
        }
        if let Some(known) = places.insert(key, all.len()).and_then(|at| all[at].take()) {
            statement.since = statement.since.min(known.since);
            statement.last = statement.last.max(known.last);
            statement.times = statement.times.saturating_add(known.times);
            if statement.note.is_empty() {
                statement.note = known.note;
            }
        }
        statement.times = statement.times.max(1);
        all.push(Some(statement));
    }
    list.extend(all.into_iter().flatten());
}

/// Removes what these words name, wherever it is; says whether it was a constraint.
pub(super) fn supersede(context: &mut Context, words: &str) -> bool {
    let constraints = context.constraints.len();
    for list in context.statements_mut() {
        list.retain(|one| !is_named(one, words));
    }
    context.constraints.len() < constraints
}

/// Whether these are a statement's own words, with its note or any part of that: a prompt shows both on one line, cut.
fn is_named(statement: &Statement, words: &str) -> bool {
    let named = key(words.trim_end_matches('…'));
    named.starts_with(&key(&statement.text)) && key(&statement.line()).starts_with(&named)
}

/// A text without what differs between two ways of writing the same words.
fn key(text: &str) -> String {
    let text = text.trim();
    // As a prompt shows it, in a list.
    let text = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).unwrap_or(text);
    let text = text.replace(['`', '"', '“', '”'], "").to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', '!', ',', ';', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{levels::Bug, store::Memory};

    #[test]
    fn a_bug_is_resolved_only_by_work_that_was_accepted() {
        let says = |accepted, resolved| Record {
            accepted,
            bugs: vec![Bug { text: "login crashes".into(), resolved, ..Bug::default() }],
            ..Record::default()
        };
        let mut context = Context::default();
        for (record, left) in
            [(says(false, false), 1), (says(false, true), 1), (says(true, true), 0)]
        {
            merge(&mut context, &[record]);
            assert_eq!(context.issues.len(), left);
        }
    }

    #[test]
    fn work_that_a_reviewer_refused_overrules_nothing() {
        let known = |refused| {
            let mut memory = Memory::default();
            memory.context.constraints.push(Statement::new("ids are never reused", 1));
            let supersedes = vec!["ids are never reused".into()];
            let accepted = true;
            memory.remember(Record {
                task: "T-1".into(),
                accepted,
                supersedes,
                ..Record::default()
            });
            memory.refuse(if refused { "T-1" } else { "T-2" });
            merge(&mut memory.context, &memory.records);
            memory.context.constraints.len()
        };
        assert_eq!((known(true), known(false)), (1, 0));
    }

    #[test]
    fn only_case_spacing_quotes_a_list_mark_and_a_full_stop_make_no_difference() {
        assert_eq!(key("Use  `bun`, \"always\"."), key("use bun, always"));
        assert_eq!(key("- use bun"), key("Use bun."));
        for (one, other) in [
            ("at most 10", "at most 25"),
            ("a imports b", "b imports a"),
            ("x < y", "x > y"),
            ("Use C++", "Use C"),
            ("may import http", "may not import http"),
            ("--force is refused", "force is refused"),
        ] {
            assert_ne!(key(one), key(other));
        }
    }

    #[test]
    fn a_statement_is_named_by_its_words_with_or_without_its_note() {
        let one =
            Statement { note: "exclude it".into(), ..Statement::new("clean removes state.", 1) };
        for words in
            ["Clean removes state", "clean removes state: exclude it", "clean removes state: excl…"]
        {
            assert!(is_named(&one, words), "{words}");
        }
        for words in
            ["", "clean", "clean removes state: something else", "clean removes state and more"]
        {
            assert!(!is_named(&one, words), "{words}");
        }
    }
}
