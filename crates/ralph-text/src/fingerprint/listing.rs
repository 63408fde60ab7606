//! Numbers of source lines that stand before quoted code, as compilers and test runners print it.

use std::collections::BTreeSet;

/// The numbered lines of one output. Whether a number is a line's is only seen beside the others.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// `12 | code`
    barred: BTreeSet<u64>,
    /// `12: code`
    pointed: BTreeSet<u64>,
}

impl Listing {
    pub(super) fn of(output: &str) -> Self {
        let mut listing = Self::default();
        for (number, rest) in output.lines().filter_map(numbered) {
            if rest.trim_start().starts_with('|') {
                listing.barred.insert(number);
            } else if is_pointed(rest) {
                listing.pointed.insert(number);
            }
        }
        listing
    }

    /// The line without its number in a listing.
    pub(super) fn without_number<'a>(&self, line: &'a str) -> &'a str {
        let line = line.trim();
        let Some((number, rest)) = numbered(line) else {
            return line;
        };
        let code = rest.trim_start();
        // A number before a colon may be a message's; a listing has its neighbour too.
        let has_neighbour = || {
            self.pointed.contains(&number.saturating_add(1))
                || number.checked_sub(1).is_some_and(|before| self.pointed.contains(&before))
        };
        let is_numbered = code.starts_with('|')
            || (code.starts_with(['+', '-', '~']) && self.barred.contains(&number))
            || (is_pointed(rest) && has_neighbour());
        if is_numbered { code.trim_start_matches(':').trim_start() } else { line }
    }
}

/// The number a line begins with, behind the mark of the line that is meant.
fn numbered(line: &str) -> Option<(u64, &str)> {
    let text = line.trim_start().trim_start_matches('>').trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = text.get(..text.len() - rest.len())?.parse().ok()?;
    Some((number, rest))
}

fn is_pointed(rest: &str) -> bool {
    rest.strip_prefix(':').is_some_and(|code| code.is_empty() || code.starts_with(' '))
}
