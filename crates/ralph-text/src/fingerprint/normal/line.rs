//! One line: what stands before the message, and words whose meaning hangs on their neighbours.

use super::{
    path, time,
    token::{self, Around},
};

/// Characters that end a token inside a word.
const EDGES: [char; 16] =
    ['(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '`', ',', ';', '=', '?', '|'];

/// What begins a line that shows a value of a test.
const VALUES: [&str; 12] = [
    "left:",
    "right:",
    "expected",
    "actual",
    "received",
    "got",
    "want",
    "+ ",
    "- ",
    "# got",
    "# expected",
    "e assert",
];

/// The line without what changes between two runs.
pub(super) fn normalise(line: &str) -> String {
    let line = without_long_runs(line.trim());
    let compares = is_comparison(&line);
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut rest = without_counter(&words);
    let mut normal: Vec<String> = Vec::new();
    let mut before = String::new();
    while let Some((word, after)) = rest.split_first() {
        let dated = if compares { 0 } else { time::calendar_words(rest) };
        if dated > 0 {
            push(&mut normal, "<time>".to_owned());
            rest = rest.get(dated..).unwrap_or_default();
            continue;
        }
        rest = after;
        if is_share(word) || (*word == "[" && after.first().is_some_and(|next| is_share_end(next)))
        {
            rest = if *word == "[" { after.get(1..).unwrap_or_default() } else { after };
            continue;
        }
        let unit = word.trim_end_matches([',', '.', ';', ')', ']', ':']);
        if !compares
            && time::is_unit(unit)
            && let Some(number) = normal.pop_if(|last| is_number(last.trim_start_matches(EDGES)))
        {
            let start = number.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            push(&mut normal, format!("{start}<time>{}", &word[unit.len()..]));
            continue;
        }
        let text = if is_thread(&normal, word) {
            "<pid>".to_owned()
        } else {
            normalise_word(word, &mut before, compares)
        };
        push(&mut normal, text);
    }
    without_shown_time(normal).join(" ")
}

/// One word; the punctuation in it stays, and `before` is its last token afterwards.
fn normalise_word(word: &str, before: &mut String, compares: bool) -> String {
    if let Some((file, rest)) = place_in_parentheses(word) {
        return format!("{}(<line>){rest}", path::normalise(file).unwrap_or(file.to_owned()));
    }
    let mut normal = String::new();
    for piece in word.split_inclusive(EDGES) {
        let core = piece.trim_end_matches(EDGES);
        let edge = piece.get(core.len()..).unwrap_or_default();
        normal += &token::normalise(core, Around { before, compares });
        normal += edge;
        if edge.starts_with('>') {
            before.clear();
        } else if !core.is_empty() {
            core.clone_into(before);
        }
    }
    normal
}

/// Adds a word; a time after a time, and a time in parentheses, say nothing.
fn push(words: &mut Vec<String>, word: String) {
    let repeats = word.starts_with("<time>") && words.last().is_some_and(|last| last == "<time>");
    let is_counter = is_count_of(&word) && words.last().is_some_and(|last| last == "<time>]");
    if repeats {
        words.pop();
    }
    let is_shown = ["(<time>)", "[<time>]", "(<time>):"].contains(&word.as_str());
    if !is_shown && !is_counter {
        words.push(word);
    }
}

/// Runners show how long a failing test took only if it took long.
fn without_shown_time(mut words: Vec<String>) -> Vec<String> {
    let is_mark =
        |word: &String| ["✕", "×", "✖", "✗", "✘", "❯", "FAIL", "FAILED"].contains(&word.as_str());
    if words.first().is_some_and(is_mark) && words.last().is_some_and(|last| last == "<time>") {
        words.pop();
    }
    words
}

/// The words without the number that a runner gives to a failure: it hangs on what else ran.
fn without_counter<'a, 'b>(words: &'a [&'b str]) -> &'a [&'b str] {
    let tail = |from: usize| words.get(from..).unwrap_or_default();
    match words {
        [first, _, ..] if first.strip_suffix(')').is_some_and(is_number) => tail(1),
        [count, "Test", number, _, ..] if is_count_of(count) && number.starts_with('#') => tail(3),
        [number, "-", _, .., end] if is_number(number) && is_ctest_end(end) => tail(2),
        [place, "error" | "warning", ..] if is_line_and_column(place) => tail(1),
        ["not", "ok", number, _, ..] if is_number(number) => tail(3),
        ["@@", ..] => tail(words.len().saturating_sub(1)),
        [worker, ..] if worker.starts_with("[gw") => tail(1),
        [.., "(FAILED", "-", _] => words.get(..words.len() - 2).unwrap_or_default(),
        _ => words,
    }
}

fn is_ctest_end(word: &str) -> bool {
    ["(Failed)", "(Timeout)", "(SEGFAULT)", "Run)", "aborted)"].contains(&word)
}

/// Whether the line shows values side by side, or one that a test expected or got.
fn is_comparison(line: &str) -> bool {
    let lower = line.to_lowercase();
    VALUES.iter().any(|label| lower.starts_with(label))
        || [" == ", " != ", " === ", " !== "].iter().any(|sign| line.contains(sign))
}

/// `thread 'tests::adds' (7105) panicked`
fn is_thread(words: &[String], word: &str) -> bool {
    words.first().is_some_and(|first| first == "thread")
        && words.last().is_some_and(|last| last.ends_with('\''))
        && word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).is_some_and(is_number)
}

/// `app.ts(3,9): error`
fn place_in_parentheses(word: &str) -> Option<(&str, &str)> {
    let (file, rest) = word.split_once('(')?;
    let (numbers, rest) = rest.split_once(')')?;
    let is_place = numbers.starts_with(|c: char| c.is_ascii_digit())
        && numbers.chars().all(|c| c.is_ascii_digit() || c == ',');
    (path::is_source(file) && is_place).then_some((file, rest))
}

/// `[100%]`
fn is_share(word: &str) -> bool {
    word.strip_prefix('[').is_some_and(is_share_end)
}

fn is_share_end(word: &str) -> bool {
    word.strip_suffix("%]").is_some_and(is_number)
}

/// `3/14`, also in parentheses
fn is_count_of(word: &str) -> bool {
    let inner = word.trim_start_matches('(').trim_end_matches(')');
    inner.split_once('/').is_some_and(|(one, all)| is_number(one) && is_number(all))
}

fn is_line_and_column(word: &str) -> bool {
    word.split_once(':').is_some_and(|(line, column)| is_number(line) && is_number(column))
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// Rulers and leaders are as long as the place they fill.
fn without_long_runs(line: &str) -> String {
    const RULERS: [char; 9] = ['=', '-', '_', '─', '━', '⎯', '*', '.', '!'];
    let mut text = String::with_capacity(line.len());
    let mut run = 0;
    for c in line.chars() {
        run = if text.ends_with(c) { run + 1 } else { 1 };
        if run <= 3 || !RULERS.contains(&c) {
            text.push(c);
        }
    }
    text
}
