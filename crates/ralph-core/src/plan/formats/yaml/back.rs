//! Statuses written back into a YAML text: the words themselves in their places, or a line more. Comments, order and
//! layout stay, and what would read otherwise than meant is not written.

use std::ops::Range;

use granit_parser::ScalarStyle;

use super::{
    super::{FormatError, WrittenBack, back::Stands, loose, names},
    places::{self, Field, Place},
    read,
};
use crate::plan::{Plan, Status};

/// What stands in the place of some bytes.
type Edit = (Range<usize>, String);

/// What to write for one task, by its position.
struct Change {
    task: usize,
    status: Status,
    edits: Vec<Edit>,
}

/// Says in a text where the tasks of a plan stand.
pub(super) fn write_back(text: &str, plan: &Plan) -> Result<WrittenBack, FormatError> {
    let before = read::plan(text)?;
    let places = places::tasks(text);
    let mut stands = Stands::of(plan, &before);
    let mut changes = Vec::new();
    for (at, task) in before.tasks.iter().enumerate() {
        let Some(status) = stands.status(task).filter(|status| *status != task.status) else {
            continue;
        };
        let place = places.get(at).filter(|_| places.len() == before.tasks.len());
        let edits = place.and_then(|place| edits(text, place, status, &places));
        match edits {
            Some(edits) => changes.push(Change { task: at, status, edits }),
            None => stands.missing(task),
        }
    }
    // All at once; where that does not read as it is meant, those that do one by one.
    let (text, written) = match applied(text, &before, changes.iter()) {
        Some(all) => (all, changes.iter().map(|change| change.task).collect()),
        None => singly(text, &before, &changes),
    };
    for change in &changes {
        let Some(task) = before.tasks.get(change.task) else { continue };
        if written.contains(&change.task) { stands.changed(task) } else { stands.missing(task) }
    }
    Ok(stands.finish(text))
}

/// The changes that can be made together, each tried beside those that could.
fn singly(text: &str, before: &Plan, changes: &[Change]) -> (String, Vec<usize>) {
    let mut good: Vec<&Change> = Vec::new();
    let mut best = text.to_owned();
    for change in changes {
        let tried = applied(text, before, good.iter().copied().chain([change]));
        if let Some(tried) = tried {
            good.push(change);
            best = tried;
        }
    }
    (best, good.iter().map(|change| change.task).collect())
}

/// The text with these changes, if it says exactly what was said before but for the statuses.
fn applied<'a>(
    text: &str,
    before: &Plan,
    changes: impl Iterator<Item = &'a Change>,
) -> Option<String> {
    let mut meant = before.clone();
    let mut edits: Vec<&Edit> = Vec::new();
    for change in changes {
        meant.tasks.get_mut(change.task)?.status = change.status;
        edits.extend(&change.edits);
    }
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_owned();
    for (range, with) in edits {
        text.get(range.clone())?;
        text.replace_range(range.clone(), with);
    }
    (read::plan(&text).ok()? == meant).then_some(text)
}

/// What says the status of a task: what is there already, and a field more if that cannot tell it.
fn edits(text: &str, place: &Place, status: Status, all: &[Place]) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let (mut has_flag, mut has_word) = (false, false);
    for field in &place.fields {
        let name = field.name.as_str();
        if loose::FLAGS.contains(&name) {
            has_flag = true;
            edits.push(edit(field, &(status == Status::Done).to_string(), ScalarStyle::Plain)?);
        } else if loose::STATUSES.contains(&name) {
            has_word = true;
            edits.push(edit(field, word(status, all), field.style)?);
        } else if name == loose::REVIEW {
            edits.push(match status {
                Status::Done => edit(field, "approved", field.style)?,
                Status::NeedsReview | Status::ChangesRequested => {
                    edit(field, status.word(), field.style)?
                }
                _ => edit(field, "null", ScalarStyle::Plain)?,
            });
        }
    }
    let is_told = has_word || (has_flag && matches!(status, Status::Done | Status::Pending));
    if !is_told {
        edits.push(added(text, place, word(status, all))?);
    }
    Some(edits)
}

/// The status in the word that the text uses for it elsewhere, else in ralph's.
fn word(status: Status, all: &[Place]) -> &str {
    let said = all.iter().flat_map(|place| &place.fields);
    let mut said = said.filter(|field| loose::STATUSES.contains(&field.name.as_str()));
    said.find(|field| !field.text.is_empty() && names::status(&field.text) == Some(status))
        .map_or(status.word(), |field| &field.text)
}

/// Another value in the place of a field's, quoted as it was.
fn edit(field: &Field, value: &str, style: ScalarStyle) -> Option<Edit> {
    let value = match style {
        ScalarStyle::Plain => value.to_owned(),
        ScalarStyle::SingleQuoted => format!("'{value}'"),
        ScalarStyle::DoubleQuoted => format!("\"{value}\""),
        _ => return None,
    };
    let is_empty = field.value.is_empty();
    Some((field.value.clone(), if is_empty { format!(" {value}") } else { value }))
}

/// A field more, behind one that ends on its own line.
fn added(text: &str, place: &Place, word: &str) -> Option<Edit> {
    let after = place.fields.iter().find(|field| field.is_one_line && !field.value.is_empty())?;
    let end = after.value.end;
    if place.is_flow {
        return Some((end..end, format!(", status: {word}")));
    }
    let rest = text.get(end..)?;
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = format!("{:column$}status: {word}", "", column = after.column);
    Some(match rest.find('\n') {
        Some(at) => (end + at + 1..end + at + 1, format!("{line}{line_end}")),
        None => (text.len()..text.len(), format!("{line_end}{line}{line_end}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with every task moved, and what found no place.
    fn written(text: &str, statuses: &[Status]) -> (String, Vec<String>) {
        let mut plan = read::plan(text).unwrap_or_default();
        assert_eq!(plan.tasks.len(), statuses.len(), "{text}");
        for (task, status) in plan.tasks.iter_mut().zip(statuses) {
            task.status = *status;
        }
        let Ok(written) = write_back(text, &plan) else { panic!("not written: {text}") };
        (written.text, written.missing.into_iter().map(|id| id.0).collect())
    }

    #[test]
    fn only_the_words_change_and_comments_and_layout_stay() {
        let text = "# my plan\nproject: demo   # really\ntasks:\n    -   id: T-1 # first\n        title: \"one: two\"\n        \
                    status:   'todo'   # mine\n\n    # between\n    - {id: T-2, title: x, done: false, tags: [a, b]}\n    \
                    - id: T-3\n      description: |\n        status: pending\n      status: completed\n    - id: T-4 # new\n      \
                    title: y\n";
        let (now, missing) =
            written(text, &[Status::Done, Status::Done, Status::Pending, Status::Failed]);
        let meant = text
            .replace("'todo'", "'completed'")
            .replace("done: false", "done: true")
            .replace("      status: completed\n", "      status: todo\n")
            .replace("T-4 # new\n", "T-4 # new\n      status: failed\n");
        assert_eq!((now, missing), (meant, Vec::new()));
    }

    #[test]
    fn what_has_no_place_of_its_own_is_told_and_left_alone() {
        let text = "tasks:\n- only words\n- id: T-2\n  title: t\n  status: &s open\n- id: T-3\n  title: u\n  status: *s\n\
                    - id: T-4\n  title: v\n  status: open\n";
        let (now, missing) = written(text, &[Status::Done; 4]);
        assert_eq!(now, text.replace("v\n  status: open", "v\n  status: done"));
        assert_eq!(missing, ["only-words", "T-2", "T-3"]);
    }

    #[test]
    fn a_bare_list_windows_line_ends_and_a_missing_last_one_are_kept() {
        let text = "- id: a\r\n  title: ä — ü\r\n  passes: no\r\n".replace("no", "false");
        assert_eq!(written(&text, &[Status::Done]).0, text.replace("false", "true"));
        let (now, _) = written("- title: b", &[Status::Skipped]);
        assert_eq!(now, "- title: b\n  status: skipped\n");
        let (now, _) = written("- title: b\n  status:\n", &[Status::Done]);
        assert_eq!(now, "- title: b\n  status: done\n");
        let text = "- title: b\n  completed: false\n  review_status: needs_review\n";
        let (now, missing) = written(text, &[Status::Parked]);
        assert_eq!(missing, Vec::<String>::new());
        assert_eq!(
            now,
            "- title: b\n  status: parked\n  completed: false\n  review_status: null\n"
        );
    }
}
