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
        self.word_until(None)
    }

    /// One word; blanks and operators belong to it if it ends at a sign.
    fn word_until(&mut self, end: Option<char>) -> Parsed<Word> {
        let mut word = Word::default();
        while let Some(c) = self.peek().filter(|c| Some(*c) != end) {
            let is_operator = end.is_none() && (c.is_whitespace() || ";&|()<>".contains(c));
            if is_operator {
                if (c == '<' || c == '>') && self.peek_at(1) == Some('(') {
                    self.at += 2;
                    word.pieces.push(Piece::Process(self.substitution()?));
                    continue;
                }
                let is_array =
                    matches!(word.pieces.as_slice(), [Piece::Bare(text)] if text.ends_with('='));
                if c != '(' || !is_array {
                    break;
                }
                self.at += 1;
                for element in self.nested(Self::array)? {
                    word.pieces.push(Piece::Quoted(" ".into()));
                    word.pieces.extend(element.pieces);
                }
                continue;
            }
            if self.looking_at("$\"") {
                self.at += 1;
            } else if self.eat("\\") {
                let kept = self.next().filter(|c| *c != '\n');
                word.pieces.extend(kept.map(|c| Piece::Quoted(c.into())));
            } else if self.eat("'") {
                word.pieces.push(Piece::Quoted(self.up_to('\'')?));
            } else if self.eat("$'") {
                word.pieces.push(Piece::Quoted(unescape(&self.escaped_up_to('\'')?)));
            } else if self.eat("\"") {
                self.quoted_pieces(&mut word, Some('"'))?;
            } else if c == '$' || c == '`' {
                word.pieces.push(self.expansion(false)?);
            } else {
                self.at += 1;
                match word.pieces.last_mut() {
                    Some(Piece::Bare(text)) => text.push(c),
                    _ => word.pieces.push(Piece::Bare(c.into())),
                }
            }
        }
        Ok(word)
    }

    fn up_to(&mut self, end: char) -> Parsed<String> {
        let text = self.eat_while(|c| c != end);
        self.next().map(|_| text).ok_or(Unreadable)
    }

    /// A text up to a sign that no backslash stands before; backslashes stay.
    fn escaped_up_to(&mut self, end: char) -> Parsed<String> {
        let start = self.at;
        while let Some(c) = self.next() {
            if c == end {
                let text = self.since(start);
                return Ok(text.strip_suffix(end).unwrap_or(&text).to_owned());
            }
            self.at += usize::from(c == '\\');
        }
        Err(Unreadable)
    }

    /// Pieces of a text in which only `$`, backquotes and backslashes mean something.
    pub(super) fn quoted_pieces(&mut self, word: &mut Word, end: Option<char>) -> Parsed<()> {
        let mut text = String::new();
        while let Some(c) = self.peek().filter(|c| Some(*c) != end) {
            if c == '$' || c == '`' {
                word.pieces.push(Piece::Quoted(std::mem::take(&mut text)));
                word.pieces.push(self.expansion(true)?);
                continue;
            }
            self.at += 1;
            if c != '\\' {
                text.push(c);
            } else if let Some(kept) = self.next().filter(|c| *c != '\n') {
                let is_escaped = "$`\\".contains(kept) || Some(kept) == end;
                text.extend((!is_escaped).then_some('\\'));
                text.push(kept);
            }
        }
        word.pieces.push(Piece::Quoted(text));
        if end.is_some() && self.next().is_none() { Err(Unreadable) } else { Ok(()) }
    }

    /// What stands at a `$` or backquote.
    fn expansion(&mut self, is_quoted: bool) -> Parsed<Piece> {
        if self.eat("`") {
            return Ok(Piece::Command { script: self.backquoted()?, is_quoted });
        }
        self.at += 1;
        let start = self.at;
        if self.eat("((")
            && let Some(text) = self.arithmetic_text()
        {
            return Ok(Piece::Arithmetic(self.inside(&text)?.text_to_end()?));
        }
        self.at = start;
        if self.eat("(") {
            return Ok(Piece::Command { script: self.substitution()?, is_quoted });
        }
        let param = if self.eat("{") {
            self.nested(Self::braced)?
        } else {
            Param { name: self.name(), index: None, op: None }
        };
        if self.at == start {
            return Ok(Piece::Quoted("$".into()));
        }
        Ok(Piece::Param { param: Box::new(param), is_quoted })
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
        let text = self.escaped_up_to('`')?;
        let text = text.replace("\\`", "`").replace("\\$", "$").replace("\\\\", "\\");
        let mut inner = self.inside(&text)?;
        let script = inner.script()?;
        if inner.peek().is_some() { Err(Unreadable) } else { Ok(script) }
    }

    /// A parameter's name: letters, or one digit or sign.
    fn name(&mut self) -> String {
        match self.peek() {
            Some(c) if c.is_ascii_digit() || "@*#?-$!".contains(c) => {
                self.at += 1;
                c.into()
            }
            _ => self.eat_while(|c| c.is_ascii_alphanumeric() || c == '_'),
        }
    }

    /// `${…}`, after its beginning.
    fn braced(&mut self) -> Parsed<Param> {
        let has_name = self.peek_at(1).is_some_and(|c| c != '}' && c != ':');
        let is_indirect = has_name && self.eat("!");
        let is_length = has_name && !is_indirect && self.eat("#");
        let mut name = self.name();
        name.push_str(&self.eat_while(|c| c.is_ascii_digit()));
        let index = if self.eat("[") { Some(self.up_to(']')?) } else { None };
        let op = if is_indirect || is_length {
            Some((if is_indirect { '!' } else { 'l' }, self.word_until(Some('}'))?))
        } else if self.peek() == Some('}') {
            None
        } else {
            self.eat(":");
            let sign = self.next().ok_or(Unreadable)?;
            Some((sign, self.word_until(Some('}'))?))
        };
        self.expect("}")?;
        Ok(Param { name, index, op })
    }
}
