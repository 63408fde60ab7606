//! What a single line of Markdown is: heading, item of a list, quote, fence. Looks at nothing around it.

/// A heading with its level.
pub(super) struct Heading<'a> {
    pub(super) level: usize,
    pub(super) text: &'a str,
}

/// An item of a list.
pub(super) struct Item<'a> {
    /// Columns before its bullet.
    pub(super) indent: usize,
    /// Its box, if it has one.
    pub(super) tick: Option<Tick>,
    pub(super) content: &'a str,
}

/// A box: the character in it, and where in the line that stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tick {
    pub(super) mark: char,
    pub(super) at: usize,
}

impl Tick {
    pub(super) fn is_done(self) -> bool {
        matches!(self.mark, 'x' | 'X' | '✓' | '✔')
    }
}

pub(super) fn heading(line: &str) -> Option<Heading<'_>> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let text = rest.trim();
    let bare = text.trim_end_matches('#');
    let is_closed = bare.len() < text.len() && (bare.is_empty() || bare.ends_with(' '));
    Some(Heading { level, text: if is_closed { bare.trim_end() } else { text } })
}

pub(super) fn item(line: &str) -> Option<Item<'_>> {
    let rest = line.trim_start_matches([' ', '\t']);
    let indent = columns(line.get(..line.len() - rest.len()).unwrap_or_default());
    let content = after_bullet(rest)?;
    let offset = line.len() - content.len();
    match tick(content) {
        Some((tick, content)) => {
            Some(Item { indent, tick: Some(Tick { at: tick.at + offset, ..tick }), content })
        }
        None => Some(Item { indent, tick: None, content: content.trim() }),
    }
}

/// Columns that white space takes.
pub(super) fn columns(space: &str) -> usize {
    space.chars().map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// Columns before the text of a line.
pub(super) fn indent(line: &str) -> usize {
    let rest = line.trim_start_matches([' ', '\t']);
    columns(line.get(..line.len() - rest.len()).unwrap_or_default())
}

fn after_bullet(rest: &str) -> Option<&str> {
    let after = rest.strip_prefix(['-', '*', '+']).or_else(|| after_number(rest))?;
    after.strip_prefix([' ', '\t']).map(|after| after.trim_start_matches([' ', '\t']))
}

fn after_number(rest: &str) -> Option<&str> {
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = (1..=9).contains(&(rest.len() - after.len()));
    after.strip_prefix(['.', ')']).filter(|_| is_number)
}

/// The box that a text begins with, and the text behind it.
pub(super) fn tick(text: &str) -> Option<(Tick, &str)> {
    let mark = text.strip_prefix('[')?.chars().next()?;
    if !matches!(mark, ' ' | 'x' | 'X' | '✓' | '✔' | '-' | '~' | '/') {
        return None;
    }
    let rest = text.get(1 + mark.len_utf8()..)?.strip_prefix(']')?;
    let is_box = rest.is_empty() || rest.starts_with([' ', '\t']);
    is_box.then(|| (Tick { mark, at: 1 }, rest.trim()))
}

/// The line of a quote without its mark.
pub(super) fn quote(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches([' ', '\t']).strip_prefix('>')?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// The fence that a line opens.
pub(super) fn fence(line: &str) -> Option<&str> {
    let rest = line.trim_start();
    let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = rest.len() - rest.trim_start_matches(mark).len();
    let info = rest.get(length..)?;
    (length >= 3 && !(mark == '`' && info.contains('`'))).then(|| rest.get(..length))?
}

/// Whether a line closes a fence.
pub(super) fn closes(line: &str, fence: &str) -> bool {
    let line = line.trim();
    line.starts_with(fence) && line.trim_start_matches(|c| fence.starts_with(c)).is_empty()
}

/// The lines of a text that are in no code block.
pub(super) fn outside_code<'a>(
    lines: impl Iterator<Item = &'a str>,
) -> impl Iterator<Item = &'a str> {
    let mut open = None;
    lines.filter(move |line| {
        if let Some(mark) = open {
            if closes(line, mark) {
                open = None;
            }
            return false;
        }
        open = fence(line);
        open.is_none()
    })
}
