//! Reads the counts in summary lines such as `3 failed, 2 passed`.

/// Each `<number> <word>` of the parts of `text` between `separators`. A part of another form is left out.
pub(super) fn counts<'a>(
    text: &'a str,
    separators: &'static [char],
) -> impl Iterator<Item = (u64, &'a str)> {
    text.split(separators).filter_map(|part| {
        let (number, word) = part.trim().split_once(' ')?;
        Some((number.parse().ok()?, word.trim()))
    })
}

/// The count before this word; zero if it is not there.
pub(super) fn count(text: &str, separators: &'static [char], word: &str) -> u64 {
    counts(text, separators).filter(|(_, found)| *found == word).map(|(number, _)| number).sum()
}
