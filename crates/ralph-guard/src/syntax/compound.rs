//! Groups, branches, loops and functions.

use std::rc::Rc;

use super::{
    cursor::{Cursor, Parsed, Unreadable},
    tree::{Body, Script, Word},
};

impl Cursor {
    /// A compound command, if one comes next.
    pub(super) fn compound(&mut self) -> Parsed<Option<Body>> {
        if self.eat("((") {
            return self.arithmetic().map(Some);
        }
        if self.eat("(") {
            return self.subshell().map(Some);
        }
        let word = self.bare_word();
        let read: fn(&mut Self) -> Parsed<Body> = match word.as_str() {
            "{" => |cursor| Ok(blocks(vec![cursor.until("}")?])),
            "[[" => Self::test,
            "if" => Self::branches,
            "while" | "until" => |cursor| {
                let head = cursor.until("do")?;
                Ok(Body::While { head, body: cursor.until("done")? })
            },
            "case" => Self::case,
            "function" => Self::function,
            "for" | "select" => Self::for_each,
            _ => return Ok(None),
        };
        self.eat(&word);
        self.nested(read).map(Some)
    }

    fn subshell(&mut self) -> Parsed<Body> {
        let script = self.nested(Self::script)?;
        self.expect(")")?;
        Ok(Body::Subshell(script))
    }

    /// Commands up to a reserved word.
    fn until(&mut self, word: &str) -> Parsed<Script> {
        let script = self.script()?;
        if self.eat_word(word) { Ok(script) } else { Err(Unreadable) }
    }

    fn branches(&mut self) -> Parsed<Body> {
        let mut scripts = vec![self.until("then")?];
        loop {
            scripts.push(self.script()?);
            if self.eat_word("elif") {
                scripts.push(self.until("then")?);
            } else if self.eat_word("else") {
                scripts.push(self.until("fi")?);
                return Ok(blocks(scripts));
            } else if self.eat_word("fi") {
                return Ok(blocks(scripts));
            } else {
                return Err(Unreadable);
            }
        }
    }

    fn for_each(&mut self) -> Parsed<Body> {
        self.skip_blanks();
        let mut words = Vec::new();
        let mut name = String::new();
        if self.eat("((") {
            let Body::Blocks { words: head, .. } = self.arithmetic()? else {
                return Err(Unreadable);
            };
            words = head;
        } else {
            name = self.bare_word();
            self.eat(&name);
            self.skip_separators();
            if self.eat_word("in") {
                self.skip_blanks();
                while self.peek().is_some_and(|c| !"\n;&|()".contains(c)) {
                    words.push(self.word()?);
                    self.skip_blanks();
                }
            }
        }
        self.skip_separators();
        let end = if self.eat_word("{") { "}" } else { "done" };
        if end == "done" && !self.eat_word("do") {
            return Err(Unreadable);
        }
        Ok(Body::For { name, words, body: self.until(end)? })
    }

    fn skip_separators(&mut self) {
        self.skip_blanks();
        while self.eat(";") || self.eat("\n") {
            self.skip_blanks();
        }
    }

    fn case(&mut self) -> Parsed<Body> {
        self.skip_blanks();
        let mut words = vec![self.word()?];
        self.skip_separators();
        if !self.eat_word("in") {
            return Err(Unreadable);
        }
        let mut scripts = Vec::new();
        loop {
            self.skip_separators();
            if self.eat_word("esac") {
                return Ok(Body::Blocks { words, scripts });
            }
            self.eat("(");
            loop {
                self.skip_blanks();
                words.push(self.word()?);
                self.skip_blanks();
                if self.eat(")") {
                    break;
                }
                self.expect("|")?;
            }
            scripts.push(self.script()?);
            let _ = self.eat(";;&") || self.eat(";;") || self.eat(";&");
        }
    }

    fn function(&mut self) -> Parsed<Body> {
        self.skip_blanks();
        let name = self.bare_word();
        self.eat(&name);
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            self.expect(")")?;
        }
        self.function_body(name)
    }

    /// The body of a function, after its name.
    pub(super) fn function_body(&mut self, name: String) -> Parsed<Body> {
        self.skip_lines()?;
        let body = Rc::new(self.nested(Self::command)?);
        Ok(Body::Function { name, body })
    }

    /// `[[ … ]]`, after its beginning.
    fn test(&mut self) -> Parsed<Body> {
        let mut words = Vec::new();
        loop {
            self.skip_separators();
            if self.eat_word("]]") {
                return Ok(Body::Blocks { words, scripts: Vec::new() });
            }
            match self.peek() {
                None => return Err(Unreadable),
                Some(c) if "()<>|&!;".contains(c) => self.at += 1,
                Some(_) => words.push(self.word()?),
            }
        }
    }

    /// `(( … ))`, after its beginning; a subshell in a subshell looks the same and is tried second.
    fn arithmetic(&mut self) -> Parsed<Body> {
        let start = self.at;
        if let Some(text) = self.arithmetic_text() {
            let words = vec![self.inside(&text)?.text_to_end()?];
            return Ok(Body::Blocks { words, scripts: Vec::new() });
        }
        self.at = start - 1;
        self.subshell()
    }

    /// All of the text as one word in which only `$` and backquotes mean something.
    pub(super) fn text_to_end(&mut self) -> Parsed<Word> {
        let mut word = Word::default();
        self.quoted_pieces(&mut word, None)?;
        Ok(word)
    }
}

fn blocks(scripts: Vec<Script>) -> Body {
    Body::Blocks { words: Vec::new(), scripts }
}
