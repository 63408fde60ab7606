//! Blocks of lines that know how they behave when the screen is narrow.

use super::{
    line::{Line, Look, Sign, Tone},
    plain, width,
};

/// How many columns a title is padded to, so that what follows stands in a column.
const TITLE: usize = 24;
/// What a title keeps however narrow the screen is.
const TITLE_LEAST: usize = 8;
/// Indent of cells that stand below their title.
const CELLS: usize = 6;
/// Parts of a dotted list that are shorter than this are never broken.
const UNBROKEN: usize = 40;

/// One entry of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Cut where the screen ends.
    Cut(Line),
    /// Broken at spaces; what follows the first line is indented.
    Wrapped { lead: Line, indent: usize, tone: Tone, text: String },
    /// A title between fixed cells: the title gives way.
    Titled { before: Line, title: String, after: Line },
}

impl Entry {
    /// Indented text that is broken at spaces.
    pub(crate) fn text(indent: usize, tone: Tone, text: impl Into<String>) -> Self {
        Self::Wrapped {
            lead: Line::new().plain(" ".repeat(indent)),
            indent,
            tone,
            text: text.into(),
        }
    }

    /// Text after a lead, broken at spaces.
    pub(crate) fn led(lead: Line, text: impl Into<String>) -> Self {
        Self::Wrapped { lead, indent: 4, tone: Tone::Plain, text: text.into() }
    }

    /// Text after a sign, broken at spaces.
    pub(crate) fn signed(sign: Sign, text: impl Into<String>) -> Self {
        Self::led(Line::signed(sign), text)
    }

    /// The same below a line that it belongs to.
    pub(crate) fn marked(sign: Sign, text: impl Into<String>) -> Self {
        let lead = Line::new().plain("    ").sign(sign).plain(" ");
        Self::Wrapped { lead, indent: 6, tone: Tone::Plain, text: text.into() }
    }

    /// A line of somebody's output.
    pub(crate) fn quoted(indent: usize, line: &str) -> Self {
        Self::Cut(Line::new().dim(format!("{}│ ", " ".repeat(indent))).dim(line))
    }

    /// What to type next.
    pub(crate) fn next(indent: usize, text: impl Into<String>) -> Self {
        Self::Wrapped {
            lead: Line::new().plain(" ".repeat(indent)).add(Tone::Accent, "next: "),
            indent: indent + 6,
            tone: Tone::Bold,
            text: text.into(),
        }
    }

    /// The entry as lines; `columns` is `None` where nothing limits them.
    pub(crate) fn render(&self, look: Look, columns: Option<usize>) -> Vec<String> {
        match self {
            Self::Cut(line) => vec![line.render(look, columns)],
            Self::Wrapped { lead, indent, tone, text } => {
                wrapped(lead, *indent, (*tone, text), (look, columns))
            }
            Self::Titled { before, title, after } => titled(before, title, after, (look, columns)),
        }
    }
}

/// `a · b · c`, broken only between its parts unless one is long.
pub(crate) fn dots<S: AsRef<str>>(parts: &[S]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| match part.as_ref() {
            short if width::of(short) < UNBROKEN => short.replace(' ', "\u{a0}"),
            long => long.to_owned(),
        })
        .collect();
    parts.join("\u{a0}· ")
}

/// Several entries.
pub(crate) type Block = Vec<Entry>;

fn wrapped(
    lead: &Line,
    indent: usize,
    (tone, text): (Tone, &str),
    (look, columns): (Look, Option<usize>),
) -> Vec<String> {
    let text = plain::one_line(text);
    let Some(columns) = columns else {
        return vec![lead.clone().add(tone, text).render(look, None)];
    };
    let indent = indent.min(columns / 2);
    let room = columns.saturating_sub(lead.width(look));
    let mut parts = plain::wrap(&text, room, columns - indent).into_iter();
    let first = lead.clone().add(tone, parts.next().unwrap_or_default());
    let mut lines = vec![first.render(look, Some(columns))];
    lines.extend(parts.map(|part| {
        Line::new().plain(" ".repeat(indent)).add(tone, part).render(look, Some(columns))
    }));
    lines
}

/// On one line, or with the cells below the title where they leave it too little room.
fn titled(
    before: &Line,
    title: &str,
    after: &Line,
    (look, columns): (Look, Option<usize>),
) -> Vec<String> {
    let title = plain::one_line(title);
    let least = TITLE_LEAST.min(width::of(&title));
    let room = columns.map_or(usize::MAX, |columns| {
        columns.saturating_sub(before.width(look) + after.width(look) + 2)
    });
    if let Some(columns) = columns.filter(|_| room < least) {
        let mut lines = vec![before.clone().plain(title).render(look, Some(columns))];
        lines.extend(after.cells(look, columns.saturating_sub(CELLS)).into_iter().map(|cells| {
            Line::new().plain(" ".repeat(CELLS)).join(cells).render(look, Some(columns))
        }));
        return lines;
    }
    let shown = plain::cut(&title, room);
    let pad = TITLE.min(room).saturating_sub(width::of(&shown));
    let line = before.clone().plain(shown).plain(" ".repeat(pad + 2)).join(after.clone());
    vec![line.render(look, columns)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_text_stays_inside_the_screen_and_is_indented() {
        let entry = Entry::led(Line::new().plain("! "), "one two three four five six seven");
        let shown = entry.render(Look::default(), Some(24));
        assert_eq!(shown, ["! one two three four", "    five six seven"]);
        assert_eq!(entry.render(Look::default(), None), ["! one two three four five six seven"]);
    }

    #[test]
    fn a_title_gives_way_before_the_cells_do() {
        let entry = Entry::Titled {
            before: Line::new().plain("T-1 "),
            title: "a rather long title of a task".into(),
            after: Line::new().plain("3m12s  $0.41"),
        };
        let narrow = entry.render(Look::default(), Some(34));
        assert_eq!(narrow, ["T-1 a rather long t…  3m12s  $0.41"]);
        let cells_below = entry.render(Look::default(), Some(24));
        assert_eq!(cells_below, ["T-1 a rather long title…", "      3m12s  $0.41"]);
        let wide = entry.render(Look::default(), None);
        assert_eq!(wide, ["T-1 a rather long title of a task  3m12s  $0.41"]);
    }
}
