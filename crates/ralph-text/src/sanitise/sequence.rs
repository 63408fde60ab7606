//! Terminal control sequences, character by character. Whoever drops them asks here, so that all drop the same: what
//! one leaves and another takes away could hide a secret from the one that looks for it.

/// Where in a control sequence a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Sequence {
    #[default]
    None,
    /// After ESC.
    Started,
    /// After ESC and intermediate characters: one final character.
    Between,
    /// A control sequence: parameters, then one final character.
    Control,
    /// A string (title, hyperlink and the like) that BEL, ST or another sequence ends.
    Text,
}

impl Sequence {
    /// Whether the next character belongs to a sequence.
    ///
    /// A line end ends any, so that an unfinished one cannot swallow what follows.
    pub(crate) fn takes(&mut self, c: char) -> bool {
        let next = match (*self, c) {
            (Self::Started, '[') | (Self::Control, ' '..='?') => Some(Self::Control),
            (Self::Started, ']' | 'P' | 'X' | '^' | '_') => Some(Self::Text),
            (Self::Started | Self::Between, ' '..='/') => Some(Self::Between),
            (Self::Started | Self::Between, '0'..='~')
            | (Self::Control, '@'..='~')
            | (Self::Text, '\u{7}' | '\u{9c}') => Some(Self::None),
            (Self::Text, c) if !matches!(c, '\n' | '\u{1b}') => Some(Self::Text),
            (_, '\u{1b}') => Some(Self::Started),
            (_, '\u{9b}') => Some(Self::Control),
            (_, '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}') => Some(Self::Text),
            _ => None,
        };
        *self = next.unwrap_or_default();
        next.is_some()
    }
}

/// Whether a character is dropped wherever it stands: it controls a terminal, reorders text or cannot be seen. Tabs and
/// line ends stay.
pub(crate) fn is_dropped(c: char) -> bool {
    (c.is_control() && !matches!(c, '\t' | '\n' | '\r')) || is_invisible(c)
}

/// Whether nobody sees a character, though some of these are shown because scripts and emoji need them.
pub(crate) fn is_unseen(c: char) -> bool {
    is_dropped(c)
        || matches!(c,
            '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180d}' | '\u{180f}'
            | '\u{200c}' | '\u{200d}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}')
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e01ef}')
}
