//! A criterion in one string, for formats whose criteria are strings: ``it builds (check: `make`)``.
//!
//! Reading gives back exactly what was written, whatever the sentence and the command hold.

use crate::plan::Criterion;

const OPEN: &str = "(check: ";

/// Ends a sentence that would otherwise read as one with a check.
const NO_CHECK: &str = " (check: none)";

/// The criterion as one string.
pub(super) fn write(criterion: &Criterion) -> String {
    match criterion {
        Criterion::Sentence(text) if read(text) == *criterion => text.clone(),
        Criterion::Sentence(text) => format!("{text}{NO_CHECK}"),
        Criterion::Checked { text, check } => {
            let space = if text.is_empty() { "" } else { " " };
            format!("{text}{space}{OPEN}{})", code_span(check))
        }
    }
}

/// The criterion that a string holds.
pub(super) fn read(text: &str) -> Criterion {
    if let Some(sentence) = text.strip_suffix(NO_CHECK) {
        return Criterion::Sentence(sentence.to_owned());
    }
    match split(text) {
        Some((text, check)) => Criterion::Checked { text, check },
        None => Criterion::Sentence(text.to_owned()),
    }
}

fn split(text: &str) -> Option<(String, String)> {
    let body = text.strip_suffix(')')?;
    let inner = body.trim_end_matches('`');
    let fence = body.get(inner.len()..).filter(|fence| !fence.is_empty())?;
    let open = format!("{OPEN}{fence}");
    let (at, _) = inner.rmatch_indices(&open).next()?;
    let check = inner.get(at + open.len()..)?;
    if check.is_empty() || check.starts_with('`') {
        return None;
    }
    let sentence = inner.get(..at)?;
    let sentence = match sentence.strip_suffix(' ') {
        Some(sentence) => sentence,
        None if sentence.is_empty() => sentence,
        None => return None,
    };
    Some((sentence.to_owned(), unpad(check).to_owned()))
}

/// Text as a code span of Markdown.
pub(super) fn code_span(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let needs_space = code.is_empty() || code.starts_with([' ', '`']) || code.ends_with([' ', '`']);
    let pad = if needs_space { " " } else { "" };
    format!("{fence}{pad}{code}{pad}{fence}")
}

/// What a text that is one code span holds.
pub(super) fn read_code_span(text: &str) -> Option<&str> {
    let inner = text.trim_start_matches('`');
    let fence = text.get(..text.len() - inner.len()).filter(|fence| !fence.is_empty())?;
    let code = inner.strip_suffix(fence)?;
    let ends_there = !code.is_empty() && !code.ends_with('`') && !code.contains(fence);
    ends_there.then(|| unpad(code))
}

fn unpad(code: &str) -> &str {
    code.strip_prefix(' ').and_then(|code| code.strip_suffix(' ')).unwrap_or(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str, check: &str) -> Criterion {
        Criterion::Checked { text: text.into(), check: check.into() }
    }

    #[test]
    fn a_check_stands_behind_its_sentence() {
        let both = checked("it builds", "make all");
        assert_eq!(write(&both), "it builds (check: `make all`)");
        assert_eq!(read("it builds (check: `make all`)"), both);
        assert_eq!(read("(check: `make`)"), checked("", "make"));
        assert_eq!(
            read("it builds (check it)"),
            Criterion::Sentence("it builds (check it)".into())
        );
    }

    #[test]
    fn odd_texts_come_back() {
        let texts =
            ["", " ", "a", "`", "a`b", "``", "x (check: `y`)", "(check: none)", " (check: none)"];
        for text in texts {
            let sentence = Criterion::Sentence(text.into());
            assert_eq!(read(&write(&sentence)), sentence, "{text:?}");
            for check in texts {
                let both = checked(text, check);
                assert_eq!(read(&write(&both)), both, "{text:?} {check:?}");
            }
        }
    }
}
