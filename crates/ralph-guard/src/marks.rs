//! Signs that stand in values for what the guard cannot know, so that ignorance travels with the text.

/// Anything at all.
pub(crate) const HOLE: char = '\u{e000}';
/// Something that came over the network.
pub(crate) const NET: char = '\u{e001}';
/// Something secret.
pub(crate) const SECRET: char = '\u{e002}';
/// Something that was decoded, so that its text could not be seen.
pub(crate) const DECODED: char = '\u{e003}';
/// The process that started the shell.
pub(crate) const PARENT: char = '\u{e004}';
/// A process that the command started itself.
pub(crate) const CHILD: char = '\u{e005}';
/// An unquoted `*`.
pub(crate) const STAR: char = '\u{e006}';
/// An unquoted `?`.
pub(crate) const ANY: char = '\u{e007}';
/// An unquoted `[` that begins a set.
pub(crate) const SET: char = '\u{e008}';
/// Many processes, found by a search.
pub(crate) const FOUND: char = '\u{e009}';
/// Names of files that a command found inside the worktree.
pub(crate) const INSIDE: char = '\u{e00a}';

/// Names of all files of the worktree that git tracks or finds changed, or the changes themselves.
pub(crate) const CHANGED: &str = "\u{e00a}all";

/// What a file holds, or what the machine says about itself.
pub(crate) const DATA: char = '\u{e00b}';

/// Whether a character could be taken for one of these signs: nobody outside the guard may write them.
pub(crate) fn is_sign(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}')
}

/// Whether a part of the text is not known.
pub(crate) fn is_unknown(text: &str) -> bool {
    text.contains([HOLE, NET, SECRET, DECODED, PARENT, CHILD, FOUND, INSIDE, DATA])
}

/// Whether the text has a wildcard.
pub(crate) fn has_glob(text: &str) -> bool {
    text.contains([STAR, ANY, SET])
}

/// The text with wildcards as they are typed.
pub(crate) fn typed(text: &str) -> String {
    text.replace(STAR, "*").replace(ANY, "?").replace(SET, "[")
}

/// What is left of a text after a program changed it in a way that nobody followed.
pub(crate) fn residue(text: &str) -> String {
    let marks = [NET, SECRET, DECODED, PARENT, FOUND, INSIDE, DATA];
    let mut left: String = marks.iter().filter(|mark| text.contains(**mark)).collect();
    if left.is_empty() {
        left.push(HOLE);
    }
    left
}

/// Longer values are not followed.
const LONGEST: usize = 32 * 1024;

/// A value that is short enough to be followed, or what is left of it.
pub(crate) fn bounded(text: String) -> String {
    if text.len() > LONGEST { residue(&text) } else { text }
}
