//! Removes from output what differs between two runs of the same failure: times, places, numbers of processes,
//! the order of lines. Must never remove a value that a test expected or got.

mod line;
mod listing;
mod name;
mod noise;
mod path;
mod time;
mod token;

use listing::Listing;

/// The output's lines, normalised, sorted and without repetitions.
///
/// Sorting makes the order of parallel tests irrelevant; two tests that swap their messages look the same.
pub fn normalise(output: &str) -> String {
    let listing = Listing::of(output);
    let mut lines: Vec<String> = output
        .lines()
        .filter(|line| !noise::is_build_step(line))
        .map(|line| line::normalise(listing.without_number(line)))
        .filter(|line| !noise::says_nothing(line))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines.join("\n")
}

#[cfg(test)]
mod tests;
