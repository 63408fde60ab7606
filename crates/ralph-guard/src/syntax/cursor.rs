//! Where the parser stands in the text, and the smallest steps.

use std::{cell::OnceCell, rc::Rc};

use super::tree::Word;

/// Nesting beyond this is not a command that a person or an agent writes.
const DEEPEST: usize = 60;

/// The text is not a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unreadable;

pub(super) type Parsed<T> = Result<T, Unreadable>;

/// A here-document whose body is still to come.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) end: String,
    pub(super) strips_tabs: bool,
    pub(super) expands: bool,
    pub(super) body: Rc<OnceCell<Word>>,
}

/// The text and a place in it.
#[derive(Debug)]
pub(super) struct Cursor {
    text: Vec<char>,
    pub(super) at: usize,
    pub(super) pending: Vec<Pending>,
    depth: usize,
}

impl Cursor {
    pub(super) fn new(text: &str, depth: usize) -> Self {
        Self { text: text.chars().collect(), at: 0, pending: Vec::new(), depth }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    pub(super) fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.peek_at(ahead) == Some(c))
    }

    /// Steps over a text if it comes next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.looking_at(text);
        self.at += if found { text.chars().count() } else { 0 };
        found
    }

    pub(super) fn expect(&mut self, text: &str) -> Parsed<()> {
        if self.eat(text) { Ok(()) } else { Err(Unreadable) }
    }

    pub(super) fn since(&self, start: usize) -> String {
        self.text.get(start..self.at).unwrap_or_default().iter().collect()
    }

    /// Steps over characters as long as they are meant, and says what they were.
    pub(super) fn eat_while(&mut self, is_meant: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.peek().is_some_and(&is_meant) {
            self.at += 1;
        }
        self.since(start)
    }

    /// Goes one level down for the time of `inner`.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        let result = if self.depth > DEEPEST { Err(Unreadable) } else { inner(self) };
        self.depth -= 1;
        result
    }

    /// A parser for a text inside this one.
    pub(super) fn inside(&self, text: &str) -> Parsed<Self> {
        if self.depth >= DEEPEST { Err(Unreadable) } else { Ok(Self::new(text, self.depth + 1)) }
    }

    /// Blanks, escaped line ends and comments.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(c) if c.is_whitespace() && c != '\n' => self.at += 1,
                Some('\\') if self.peek_at(1) == Some('\n') => self.at += 2,
                Some('#') => drop(self.eat_while(|c| c != '\n')),
                _ => return,
            }
        }
    }

    /// The bare word that comes next, for reserved words.
    pub(super) fn bare_word(&self) -> String {
        let rest = self.text.get(self.at..).unwrap_or_default().iter();
        rest.take_while(|c| !c.is_whitespace() && !";&|()<>".contains(**c)).collect()
    }

    /// Steps over a reserved word if it comes next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let next = self.peek_at(word.chars().count());
        let is_whole = next.is_none_or(|c| c.is_whitespace() || ";&|()<>".contains(c));
        is_whole && self.eat(word)
    }
}
