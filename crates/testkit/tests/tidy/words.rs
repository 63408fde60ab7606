//! Searching source text: code without comments, whole words, line numbers.

/// Lines of code with their numbers, comments cut off.
pub(crate) fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, without_comment(line)))
}

/// Whether `word` stands in `line`, with no letter, digit or underscore on either side of it.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// A comment starts at two slashes that are not part of an address.
fn without_comment(line: &str) -> &str {
    let start = line.match_indices("//").find(|(at, _)| !line[..*at].ends_with(':'));
    start.map_or(line, |(at, _)| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_only_when_it_stands_alone() {
        assert!(has_word("use ralph_engine::git;", "ralph_engine"));
        assert!(!has_word("use my_ralph_engine;", "ralph_engine"));
        assert!(!has_word("use ralph_engines;", "ralph_engine"));
    }

    #[test]
    fn comments_are_cut_and_addresses_are_not() {
        let lines: Vec<_> = code_lines("a // b\n//! c\n\"x://y\"").collect();
        assert_eq!(lines, [(1, "a "), (2, ""), (3, "\"x://y\"")]);
    }
}
