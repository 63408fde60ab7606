//! Lines as data: spans with a tone, cleaned when they are added, turned into characters at the very end.
//!
//! Invariant: no control character from outside survives in a line.

use std::{borrow::Cow, fmt::Write as _};

use anstyle::{AnsiColor, Style};

use super::{plain, width};

/// What a span means; the look decides what that is on a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Bold,
    Dim,
    Good,
    Bad,
    Warn,
    Accent,
}

impl Tone {
    fn style(self) -> Style {
        let colour = |c: AnsiColor| Style::new().fg_color(Some(c.into()));
        match self {
            Self::Plain => Style::new(),
            Self::Bold => Style::new().bold(),
            Self::Dim => Style::new().dimmed(),
            Self::Good => colour(AnsiColor::Green),
            Self::Bad => colour(AnsiColor::Red).bold(),
            Self::Warn => colour(AnsiColor::Yellow),
            Self::Accent => colour(AnsiColor::Cyan),
        }
    }
}

/// A mark at the start of a line or beside a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Ok,
    Bad,
    Going,
    Warning,
    Waiting,
    Neutral,
}

impl Sign {
    fn tone(self) -> Tone {
        match self {
            Self::Ok => Tone::Good,
            Self::Bad => Tone::Bad,
            Self::Going => Tone::Accent,
            Self::Warning => Tone::Warn,
            Self::Waiting | Self::Neutral => Tone::Dim,
        }
    }

    fn text(self, look: Look) -> &'static str {
        match (self, look.emoji && !look.ascii) {
            (Self::Ok, false) => "✓",
            (Self::Ok, true) => "✅",
            (Self::Bad, false) => "✗",
            (Self::Bad, true) => "❌",
            (Self::Going, false) => "▶",
            (Self::Going, true) => "🔄",
            (Self::Warning, false) => "!",
            (Self::Warning, true) => "🚧",
            (Self::Waiting, false) => "…",
            (Self::Waiting, true) => "⏳",
            (Self::Neutral, false) => "·",
            (Self::Neutral, true) => "🔹",
        }
    }
}

/// What a screen can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Look {
    pub(crate) colour: bool,
    pub(crate) ascii: bool,
    pub(crate) emoji: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Span {
    Text(Tone, String),
    Sign(Sign),
}

/// One line of output.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Line {
    spans: Vec<Span>,
}

impl Line {
    /// An empty line.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A line that begins with a sign and a space.
    pub(crate) fn signed(sign: Sign) -> Self {
        Self::new().sign(sign).plain(" ")
    }

    /// Adds text, cleaned and on one line.
    #[must_use]
    pub(crate) fn add(mut self, tone: Tone, text: impl AsRef<str>) -> Self {
        self.spans.push(Span::Text(tone, plain::one_line(text.as_ref())));
        self
    }

    /// Adds ordinary text.
    #[must_use]
    pub(crate) fn plain(self, text: impl AsRef<str>) -> Self {
        self.add(Tone::Plain, text)
    }

    /// Adds faint text.
    #[must_use]
    pub(crate) fn dim(self, text: impl AsRef<str>) -> Self {
        self.add(Tone::Dim, text)
    }

    /// Adds a sign.
    #[must_use]
    pub(crate) fn sign(mut self, sign: Sign) -> Self {
        self.spans.push(Span::Sign(sign));
        self
    }

    /// Breaks the line where a cell begins, so that each part fits; cells begin with two spaces.
    pub(crate) fn cells(&self, look: Look, columns: usize) -> Vec<Self> {
        let mut lines = vec![Self::new()];
        let mut used = 0;
        for cell in self.spans.chunk_by(|_, next| !begins_cell(next)) {
            let cell = Self { spans: cell.to_vec() };
            let wide = cell.width(look);
            if used > 0 && used + wide > columns {
                lines.push(Self::new());
                used = 0;
            }
            if let Some(line) = lines.last_mut() {
                let cell = if used == 0 { cell.without_gap() } else { cell };
                used += cell.width(look);
                line.spans.extend(cell.spans);
            }
        }
        lines
    }

    /// Breaks the line wherever a row is full.
    pub(crate) fn broken(&self, look: Look, columns: usize) -> Vec<Self> {
        let mut lines = vec![Self::new()];
        let mut used = 0;
        for span in &self.spans {
            let mut text = String::new();
            for (c, wide) in width::columns(span_text(span, look)) {
                if used + wide > columns.max(2) {
                    let full = std::mem::take(&mut text);
                    lines.last_mut().into_iter().for_each(|line| line.put(span, &full));
                    lines.push(Self::new());
                    used = 0;
                }
                text.push(c);
                used += wide;
            }
            lines.last_mut().into_iter().for_each(|line| line.put(span, &text));
        }
        lines
    }

    /// Adds a part of a span's text.
    fn put(&mut self, span: &Span, text: &str) {
        self.spans.push(match span {
            Span::Text(tone, _) => Span::Text(*tone, text.to_owned()),
            Span::Sign(sign) if text.is_empty() => Span::Text(sign.tone(), String::new()),
            Span::Sign(sign) => Span::Sign(*sign),
        });
    }

    fn without_gap(mut self) -> Self {
        if let Some(Span::Text(_, text)) = self.spans.first_mut() {
            *text = text.trim_start_matches(' ').to_owned();
        }
        self
    }

    /// Adds all of another line.
    #[must_use]
    pub(crate) fn join(mut self, other: Self) -> Self {
        self.spans.extend(other.spans);
        self
    }

    /// Columns it takes.
    pub(crate) fn width(&self, look: Look) -> usize {
        self.spans.iter().map(|span| width::of(span_text(span, look))).sum()
    }

    /// The line as it goes to the writer, cut to `columns` where that is given.
    pub(crate) fn render(&self, look: Look, columns: Option<usize>) -> String {
        let mut out = String::new();
        for (tone, shown) in self.fitting(look, columns.unwrap_or(usize::MAX)) {
            let style = tone.style();
            if look.colour && !shown.is_empty() {
                // Writing to a string cannot fail.
                let _ = write!(out, "{style}{shown}{style:#}");
            } else {
                out.push_str(&shown);
            }
        }
        out.truncate(out.trim_end_matches(' ').len());
        out
    }

    /// Its parts as they are shown in so many columns, each with what it means.
    pub(crate) fn fitting(&self, look: Look, columns: usize) -> Vec<(Tone, Cow<'_, str>)> {
        let mut left = columns;
        let mut parts = Vec::with_capacity(self.spans.len());
        for span in &self.spans {
            let text = span_text(span, look);
            let wide = width::of(text);
            let mut shown = Cow::Borrowed(text);
            if wide > left {
                shown = plain::cut(text, left).into();
            }
            left -= wide.min(left);
            // Spaces that must not break are only for wrapping; a terminal gets ordinary ones.
            if shown.contains('\u{a0}') {
                shown = shown.replace('\u{a0}', " ").into();
            }
            if look.ascii {
                shown = ascii(&shown).into();
            }
            let tone = match span {
                Span::Text(tone, _) => *tone,
                Span::Sign(sign) => sign.tone(),
            };
            parts.push((tone, shown));
            if left == 0 {
                break;
            }
        }
        parts
    }
}

fn begins_cell(span: &Span) -> bool {
    matches!(span, Span::Text(_, text) if text.starts_with("  "))
}

fn span_text(span: &Span, look: Look) -> &str {
    match span {
        Span::Text(_, text) => text,
        Span::Sign(sign) => sign.text(look),
    }
}

/// One ASCII character for each character that takes room, for terminals that cannot show more.
fn ascii(text: &str) -> String {
    width::columns(text)
        .filter(|(_, columns)| *columns > 0)
        .map(|(c, _)| match c {
            ' '..='~' => c,
            '✓' | '▅' => '+',
            '✗' => 'x',
            '▶' | '╸' => '>',
            '…' => '~',
            '·' | '─' | '–' | '—' | '▃' => '-',
            '━' | '▄' => '=',
            '▁' => '.',
            '▂' => ':',
            '▆' => '*',
            '▇' | '█' => '#',
            '│' => '|',
            '“' | '”' => '"',
            '‘' | '’' => '\'',
            _ => '?',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_from_outside_survives_in_a_line() {
        let line = Line::signed(Sign::Ok).add(Tone::Bad, "a\u{1b}[2J\nb");
        assert_eq!(line.render(Look::default(), None), "✓ a b");
    }

    #[test]
    fn colour_is_only_there_when_the_look_has_it() {
        let line = Line::new().add(Tone::Good, "fine");
        assert_eq!(line.render(Look::default(), None), "fine");
        let look = Look { colour: true, ..Look::default() };
        assert_eq!(line.render(look, None), "\u{1b}[32mfine\u{1b}[0m");
    }

    #[test]
    fn a_terminal_without_unicode_gets_one_ascii_character_for_each() {
        let look = Look { ascii: true, ..Look::default() };
        let line = Line::signed(Sign::Ok).plain("naïve · ━━╸── …");
        assert_eq!(line.render(look, None), "+ na?ve - ==>-- ~");
    }

    #[test]
    fn a_broken_line_keeps_every_character_and_fits() {
        let line = Line::signed(Sign::Bad).plain("ab日本cd").dim("efghij");
        for columns in 2..14 {
            let parts = line.broken(Look::default(), columns);
            let texts: Vec<String> =
                parts.iter().map(|part| part.render(Look::default(), None)).collect();
            assert!(texts.iter().all(|text| width::of(text) <= columns), "{columns}: {texts:?}");
            assert_eq!(texts.concat().replace(' ', ""), "✗ab日本cdefghij");
        }
    }

    #[test]
    fn a_cut_line_never_exceeds_its_columns() {
        let line = Line::signed(Sign::Bad).plain("abcdef").dim("ghijkl");
        for columns in 1..16 {
            let shown = line.render(Look::default(), Some(columns));
            assert!(width::of(&shown) <= columns, "{columns}: {shown:?}");
        }
    }
}
