//! Words, and what expands inside them.

use super::{
    cursor::{Cursor, Parsed, Unreadable},
    escapes::unescape,
    tree::{Param, Piece, Script, Word},
};

impl Cursor {
    /// One word; where none begins the text is unreadable, so that every loop over words ends.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        let before = self.at;
        let word = self.value()?;
        if self.at == before { Err(Unreadable) } else { Ok(word) }
    }

    /// One word that may be empty, as in `name=`.
    pub(super) fn value(&mut self) -> Parsed<Word> {
        self.word_until(&[])
    }

    /// One word; blanks and operators belong to it if it ends at one of `ends`.
    fn word_until(&mut self, ends: &[char]) -> Parsed<Word> {
        let mut word = Word::default();
        while let Some(c) = self.peek() {
            if ends.contains(&c) {
                break;
            }
            if (c == '<' || c == '>') && self.peek_at(1) == Some('(') && ends.is_empty() {
                self.at += 2;
                word.pieces.push(Piece::Process(self.substitution()?));
                continue;
            }
            if ends.is_empty() && (c.is_whitespace() || ";&|()<>".contains(c)) {
                if c == '(' && self.parenthesis(&mut word)? {
                    continue;
                }
                break;
            }
            match c {
                '\\' => self.escaped(&mut word),
                '\'' => {
                    self.at += 1;
                    let text = self.up_to('\'')?;
                    word.pieces.push(Piece::Quoted(text));
                }
                '"' => {
                    self.at += 1;
                    word.pieces.push(Piece::Quoted(String::new()));
                    self.quoted_pieces(&mut word, Some('"'))?;
                }
                '$' if self.peek_at(1) == Some('\'') => {
                    self.at += 2;
                    let text = self.ansi_text()?;
                    word.pieces.push(Piece::Quoted(unescape(&text)));
                }
                '$' if self.peek_at(1) == Some('"') => self.at += 1,
                '$' | '`' => self.expansion(&mut word, false)?,
                _ => {
                    self.at += 1;
                    push_bare(&mut word, c);
                }
            }
        }
        Ok(word)
    }

    /// Whether a parenthesis inside a word begins an array, as after `declare name=`.
    fn parenthesis(&mut self, word: &mut Word) -> Parsed<bool> {
        let is_array = matches!(word.pieces.as_slice(), [Piece::Bare(text)] if text.ends_with('='));
        if is_array {
            self.at += 1;
            for element in self.nested(Self::array)? {
                word.pieces.push(Piece::Quoted(" ".into()));
                word.pieces.extend(element.pieces);
            }
        }
        Ok(is_array)
    }

    fn escaped(&mut self, word: &mut Word) {
        self.at += 1;
        match self.next() {
            Some('\n') | None => {}
            Some(c) => word.pieces.push(Piece::Quoted(c.to_string())),
        }
    }

    fn up_to(&mut self, end: char) -> Parsed<String> {
        let text = self.eat_while(|c| c != end);
        self.next().map(|_| text).ok_or(Unreadable)
    }

    fn ansi_text(&mut self) -> Parsed<String> {
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                '\'' => return Ok(text),
                '\\' => {
                    text.push(c);
                    text.extend(self.next());
                }
                _ => text.push(c),
            }
        }
        Err(Unreadable)
    }

    /// Pieces of a text in which only `$`, backquotes and backslashes mean something.
    pub(super) fn quoted_pieces(&mut self, word: &mut Word, end: Option<char>) -> Parsed<()> {
        let mut text = String::new();
        loop {
            let Some(c) = self.peek() else {
                word.pieces.push(Piece::Quoted(text));
                return if end.is_none() { Ok(()) } else { Err(Unreadable) };
            };
            if Some(c) == end {
                self.at += 1;
                word.pieces.push(Piece::Quoted(text));
                return Ok(());
            }
            match c {
                '\\' => {
                    self.at += 1;
                    match self.next() {
                        Some('\n') | None => {}
                        Some(kept) => {
                            if !"$`\\".contains(kept) && Some(kept) != end {
                                text.push('\\');
                            }
                            text.push(kept);
                        }
                    }
                }
                '$' | '`' => {
                    word.pieces.push(Piece::Quoted(std::mem::take(&mut text)));
                    self.expansion(word, true)?;
                }
                _ => {
                    self.at += 1;
                    text.push(c);
                }
            }
        }
    }

    /// What stands at a `$` or backquote.
    fn expansion(&mut self, word: &mut Word, is_quoted: bool) -> Parsed<()> {
        if self.eat("`") {
            let script = self.backquoted()?;
            word.pieces.push(Piece::Command { script, is_quoted });
        } else if self.looking_at("$((") {
            let start = self.at;
            self.at += 3;
            if let Some(text) = self.arithmetic_text() {
                let inner = self.inside(&text)?.text_to_end()?;
                word.pieces.push(Piece::Arithmetic(inner));
            } else {
                self.at = start + 2;
                let script = self.substitution()?;
                word.pieces.push(Piece::Command { script, is_quoted });
            }
        } else if self.eat("$(") {
            let script = self.substitution()?;
            word.pieces.push(Piece::Command { script, is_quoted });
        } else if self.eat("${") {
            let param = Box::new(self.nested(Self::braced)?);
            word.pieces.push(Piece::Param { param, is_quoted });
        } else {
            self.at += 1;
            let name = self.name();
            if name.is_empty() {
                word.pieces.push(Piece::Quoted("$".into()));
            } else {
                let param = Box::new(Param { name, index: None, op: None });
                word.pieces.push(Piece::Param { param, is_quoted });
            }
        }
        Ok(())
    }

    /// A text up to `))`, if its parentheses are balanced.
    pub(super) fn arithmetic_text(&mut self) -> Option<String> {
        let start = self.at;
        let mut open = 0_usize;
        while let Some(c) = self.peek() {
            if open == 0 && self.looking_at("))") {
                let text = self.since(start);
                self.at += 2;
                return Some(text);
            }
            match c {
                '(' => open += 1,
                ')' => open = open.checked_sub(1)?,
                _ => {}
            }
            self.at += 1;
        }
        None
    }

    /// The commands of a substitution, after its beginning.
    fn substitution(&mut self) -> Parsed<Script> {
        let script = self.nested(Self::script)?;
        self.expect(")")?;
        Ok(script)
    }

    fn backquoted(&mut self) -> Parsed<Script> {
        let mut text = String::new();
        loop {
            match self.next().ok_or(Unreadable)? {
                '`' => break,
                '\\' => match self.next().ok_or(Unreadable)? {
                    kept @ ('`' | '\\' | '$') => text.push(kept),
                    other => text.extend(['\\', other]),
                },
                c => text.push(c),
            }
        }
        let mut inner = self.inside(&text)?;
        let script = inner.script()?;
        if inner.peek().is_some() { Err(Unreadable) } else { Ok(script) }
    }

    /// A parameter's name: letters, or one digit or sign.
    fn name(&mut self) -> String {
        match self.peek() {
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.at += 1;
                c.to_string()
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                self.eat_while(|c| c.is_ascii_alphanumeric() || c == '_')
            }
            _ => String::new(),
        }
    }

    /// `${…}`, after its beginning.
    fn braced(&mut self) -> Parsed<Param> {
        let is_sign = |c: Option<char>| c.is_some_and(|c| c != '}' && c != ':');
        let indirect = self.peek() == Some('!') && is_sign(self.peek_at(1)) && self.eat("!");
        let length = self.peek() == Some('#') && is_sign(self.peek_at(1)) && self.eat("#");
        let mut name = self.name();
        name.push_str(&self.eat_while(|c| c.is_ascii_digit()));
        let index = if self.eat("[") { Some(self.up_to(']')?) } else { None };
        let op = if indirect || length {
            let rest = self.word_until(&['}'])?;
            Some((if indirect { '!' } else { 'l' }, rest))
        } else if self.peek() == Some('}') {
            None
        } else {
            self.eat(":");
            let sign = self.next().ok_or(Unreadable)?;
            Some((sign, self.word_until(&['}'])?))
        };
        self.expect("}")?;
        Ok(Param { name, index, op })
    }
}

fn push_bare(word: &mut Word, c: char) {
    if let Some(Piece::Bare(text)) = word.pieces.last_mut() {
        text.push(c);
    } else {
        word.pieces.push(Piece::Bare(c.to_string()));
    }
}
