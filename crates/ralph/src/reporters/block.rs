//! Blocks of lines that know how they behave when the screen is narrow.

use super::{
    line::{Line, Look, Tone},
    plain,
};

/// How many columns a title is padded to, so that what follows stands in a column.
const TITLE: usize = 24;
/// What a title keeps however narrow the screen is.
const TITLE_LEAST: usize = 8;
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

    /// The entry as lines; `columns` is `None` where nothing limits them.
    pub(crate) fn render(&self, look: Look, columns: Option<usize>) -> Vec<String> {
        match self {
            Self::Cut(line) => vec![line.render(look, columns)],
            Self::Wrapped { lead, indent, tone, text } => {
                wrapped(lead, *indent, (*tone, text), (look, columns))
            }
            Self::Titled { before, title, after } => {
                vec![titled(before, title, after, (look, columns))]
            }
        }
    }
}

/// `a · b · c`, broken only between its parts unless one is long.
pub(crate) fn dots<S: AsRef<str>>(parts: &[S]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| match part.as_ref() {
            short if plain::width(short) < UNBROKEN => short.replace(' ', "\u{a0}"),
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
    // The lead may be wider than the indent, so its width is taken by unbreakable stand-ins.
    let hold = "\u{a0}".repeat(lead.width(look));
    let mut lines = Vec::new();
    let mut rest = plain::wrap(&format!("{hold}{text}"), columns).into_iter();
    if let Some(first) = rest.next() {
        let first = first.trim_start_matches('\u{a0}');
        lines.push(lead.clone().add(tone, first).render(look, None));
    }
    let rest: Vec<String> = rest.collect();
    for part in plain::wrap(&rest.join(" "), columns.saturating_sub(indent).max(20)) {
        if !part.is_empty() {
            let line = Line::new().plain(" ".repeat(indent)).add(tone, part);
            lines.push(line.render(look, None));
        }
    }
    lines
}

fn titled(
    before: &Line,
    title: &str,
    after: &Line,
    (look, columns): (Look, Option<usize>),
) -> String {
    let title = plain::one_line(title);
    let room = columns.map_or(usize::MAX, |columns| {
        let taken = before.width(look) + after.width(look) + 2;
        columns.saturating_sub(taken).max(TITLE_LEAST)
    });
    let shown = plain::cut(&title, room);
    let pad = TITLE.min(room).saturating_sub(plain::width(&shown));
    before.clone().plain(shown).plain(" ".repeat(pad + 2)).join(after.clone()).render(look, None)
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
        let wide = entry.render(Look::default(), None);
        assert_eq!(wide, ["T-1 a rather long title of a task  3m12s  $0.41"]);
    }
}
