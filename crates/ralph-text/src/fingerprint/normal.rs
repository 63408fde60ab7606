//! Removes from output what differs between two runs of the same failure: times, places, numbers of processes,
//! the order of lines. Must never remove a value that a test expected or got.

use super::{
    listing::Listing,
    noise,
    patterns::{PATTERNS, Where},
};

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
/// Rulers and leaders are as long as the place they fill.
const RULERS: [char; 9] = ['=', '-', '_', '─', '━', '⎯', '*', '.', '!'];

/// The output's lines, normalised, sorted and without repetitions.
///
/// Sorting makes the order of parallel tests irrelevant; two tests that swap their messages look the same.
pub fn normalise(output: &str) -> String {
    let listing = Listing::of(output);
    let mut lines: Vec<String> = output
        .lines()
        .filter(|line| !noise::is_build_step(line))
        .map(|line| normalise_line(listing.without_number(line)))
        .filter(|line| !noise::says_nothing(line))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines.join("\n")
}

fn normalise_line(line: &str) -> String {
    let mut line = without_long_runs(&single_spaced(line));
    let compares = is_comparison(&line);
    for pattern in PATTERNS.iter() {
        if !(compares && pattern.applies == Where::NotInComparisons) {
            line = pattern.replace_in(line);
        }
    }
    single_spaced(&line)
}

fn single_spaced(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the line shows values side by side, or one that a test expected or got.
fn is_comparison(line: &str) -> bool {
    let lower = line.to_lowercase();
    VALUES.iter().any(|label| lower.starts_with(label))
        || [" == ", " != ", " === ", " !== "].iter().any(|sign| line.contains(sign))
}

fn without_long_runs(line: &str) -> String {
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

#[cfg(test)]
mod tests;
