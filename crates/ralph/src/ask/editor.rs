//! A line of text that is being typed: its characters and the cursor. Pure.

use super::keys::Key;
use crate::reporters::{plain, width};

/// Longest answer in characters; what is typed or pasted beyond it is not taken.
const LONGEST: usize = 20_000;

/// Text with a cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Editor {
    chars: Vec<char>,
    at: usize,
}

impl Editor {
    /// What was typed.
    pub(crate) fn text(&self) -> String {
        self.chars.iter().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// Puts text at the cursor, on one line and harmless for a terminal.
    pub(super) fn insert(&mut self, text: &str) {
        let room = LONGEST.saturating_sub(self.chars.len());
        let new: Vec<char> = plain::one_line(text).chars().take(room).collect();
        let count = new.len();
        self.chars.splice(self.at..self.at, new);
        self.at += count;
    }

    /// Does what a key asks for; tells whether it meant anything.
    pub(crate) fn press(&mut self, key: &Key) -> bool {
        match key {
            Key::Char(c) if self.chars.len() < LONGEST => {
                self.chars.insert(self.at, *c);
                self.at += 1;
            }
            Key::Paste(text) => self.insert(text),
            Key::Backspace if self.at > 0 => {
                let from = self.before();
                self.remove(from, self.at);
            }
            Key::Delete => self.remove(self.at, self.after()),
            Key::Left => self.at = self.before(),
            Key::Right => self.at = self.after(),
            Key::Home => self.at = 0,
            Key::End => self.at = self.chars.len(),
            Key::KillLine => self.remove(0, self.at),
            Key::KillRest => self.remove(self.at, self.chars.len()),
            Key::KillWord => self.remove(self.word(), self.at),
            _ => return false,
        }
        true
    }

    /// The text in rows of so many columns, and where the cursor stands: row and column.
    pub(crate) fn rows(&self, columns: usize) -> (Vec<String>, (usize, usize)) {
        let columns = columns.max(2);
        let mut rows = vec![String::new()];
        let (mut used, mut cursor) = (0, (0, 0));
        let text = self.text();
        for (index, (c, wide)) in width::columns(&text).enumerate() {
            if used + wide > columns {
                rows.push(String::new());
                used = 0;
            }
            if index == self.at {
                cursor = (rows.len() - 1, used);
            }
            if let Some(row) = rows.last_mut() {
                row.push(c);
            }
            used += wide;
        }
        if self.at == self.chars.len() {
            if used >= columns {
                rows.push(String::new());
                used = 0;
            }
            cursor = (rows.len() - 1, used);
        }
        (rows, cursor)
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.chars.drain(from..to);
        self.at = from;
    }

    /// One character back, with the marks that belong to it.
    fn before(&self) -> usize {
        let head = self.chars.get(..self.at).unwrap_or_default();
        head.iter().rposition(|c| !is_mark(*c)).unwrap_or(0)
    }

    fn after(&self) -> usize {
        let tail = self.chars.get(self.at..).unwrap_or_default();
        let marks = tail.iter().skip(1).take_while(|c| is_mark(**c)).count();
        self.at + tail.len().min(1 + marks)
    }

    fn word(&self) -> usize {
        let head = self.chars.get(..self.at).unwrap_or_default();
        let end = head.iter().rposition(|c| !c.is_whitespace()).map_or(0, |last| last + 1);
        let word = head.get(..end).unwrap_or_default();
        word.iter().rposition(|c| c.is_whitespace()).map_or(0, |space| space + 1)
    }
}

fn is_mark(c: char) -> bool {
    width::of(c.encode_utf8(&mut [0; 4])) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[Key]) -> Editor {
        let mut editor = Editor::default();
        for key in keys {
            editor.press(key);
        }
        editor
    }

    fn paste(text: &str) -> Key {
        Key::Paste(text.into())
    }

    #[test]
    fn keys_edit_at_the_cursor() {
        use Key::*;
        let table: [(&[Key], &str); 9] = [
            (&[paste("abc"), Left, Char('x')], "abxc"),
            (&[paste("abc"), Home, Delete], "bc"),
            (&[paste("abc"), Backspace, Backspace], "a"),
            (&[paste("one two  "), KillWord], "one "),
            (&[paste("one two"), Left, KillLine], "o"),
            (&[paste("one two"), Home, KillRest], ""),
            (&[paste("e\u{301}x"), Left, Backspace], "x"),
            (&[paste("two\nlines\x1b[2J")], "two lines"),
            (&[Backspace, Delete, Left, Right, KillWord], ""),
        ];
        for (keys, text) in table {
            assert_eq!(typed(keys).text(), text, "{keys:?}");
        }
    }

    #[test]
    fn rows_never_exceed_their_columns_and_the_cursor_stands_where_typing_goes() {
        let text = "an answer of some length with 日本語 and e\u{301} in it";
        for columns in 2..60 {
            let editor = typed(&[paste(text)]);
            let (rows, (row, column)) = editor.rows(columns);
            assert!(rows.iter().all(|row| width::of(row) <= columns), "{columns}: {rows:?}");
            assert_eq!(rows.concat(), text);
            assert_eq!(row, rows.len() - 1);
            assert!(column < columns);
        }
    }

    #[test]
    fn an_endless_paste_is_cut() {
        let editor = typed(&[paste(&"x".repeat(1_000_000))]);
        assert_eq!(editor.text().len(), LONGEST);
    }
}
