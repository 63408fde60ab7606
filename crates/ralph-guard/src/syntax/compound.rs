//! Groups, branches, loops and functions.

use super::{
    Body, Script, Word,
    cursor::{Cursor, Parsed, Unreadable},
};

impl Cursor {
    /// A compound command, if one comes next.
    pub(super) fn compound(&mut self) -> Parsed<Option<Body>> {
        if self.eat("((") {
            return self.arithmetic().map(Some);
        }
        if self.eat("(") {
            let script = self.nested(Self::script)?;
            self.expect(")")?;
            return Ok(Some(Body::Subshell(script)));
        }
        let word = self.bare_word();
        if !["{", "[[", "if", "while", "until", "for", "select", "case", "function"]
            .contains(&word.as_str())
        {
            return Ok(None);
        }
        self.eat(&word);
        let body = self.nested(|cursor| match word.as_str() {
            "{" => cursor.until("}").map(|script| Body::Blocks(vec![script])),
            "[[" => cursor.test(),
            "if" => cursor.branches(),
            "while" | "until" => {
                let head = cursor.until("do")?;
                Ok(Body::While { head, body: cursor.until("done")? })
            }
            "case" => cursor.case(),
            "function" => cursor.function(),
            _ => cursor.for_each(),
        })?;
        Ok(Some(body))
    }

    /// Commands up to a reserved word.
    fn until(&mut self, word: &str) -> Parsed<Script> {
        let script = self.script()?;
        if self.eat_word(word) { Ok(script) } else { Err(Unreadable) }
    }

    fn branches(&mut self) -> Parsed<Body> {
        let mut blocks = vec![self.until("then")?];
        loop {
            blocks.push(self.script()?);
            if self.eat_word("elif") {
                blocks.push(self.until("then")?);
            } else if self.eat_word("else") {
                blocks.push(self.until("fi")?);
                return Ok(Body::Blocks(blocks));
            } else if self.eat_word("fi") {
                return Ok(Body::Blocks(blocks));
            } else {
                return Err(Unreadable);
            }
        }
    }

    fn for_each(&mut self) -> Parsed<Body> {
        self.skip_blanks();
        if self.eat("((") {
            let head = self.arithmetic()?;
            self.skip_separators();
            let body = self.loop_body()?;
            let Body::Test(words) = head else { return Err(Unreadable) };
            return Ok(Body::For { name: String::new(), words, body });
        }
        let name = self.bare_word();
        self.eat(&name);
        self.skip_separators();
        let mut words = Vec::new();
        if self.eat_word("in") {
            loop {
                self.skip_blanks();
                if self.peek().is_none_or(|c| "\n;&|()".contains(c)) {
                    break;
                }
                words.push(self.word()?);
            }
        }
        self.skip_separators();
        let body = self.loop_body()?;
        Ok(Body::For { name, words, body })
    }

    fn loop_body(&mut self) -> Parsed<Script> {
        if self.eat_word("{") {
            return self.until("}");
        }
        if self.eat_word("do") { self.until("done") } else { Err(Unreadable) }
    }

    fn skip_separators(&mut self) {
        loop {
            self.skip_blanks();
            if !(self.eat(";") || self.eat("\n")) {
                return;
            }
        }
    }

    fn case(&mut self) -> Parsed<Body> {
        self.skip_blanks();
        let mut words = vec![self.word()?];
        self.skip_separators();
        if !self.eat_word("in") {
            return Err(Unreadable);
        }
        let mut arms = Vec::new();
        loop {
            self.skip_separators();
            if self.eat_word("esac") {
                return Ok(Body::Case { words, arms });
            }
            self.eat("(");
            loop {
                self.skip_blanks();
                let before = self.at;
                words.push(self.word()?);
                self.skip_blanks();
                if self.eat(")") {
                    break;
                }
                if !self.eat("|") || self.at == before {
                    return Err(Unreadable);
                }
            }
            arms.push(self.script()?);
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

    /// `[[ … ]]`, after its beginning.
    fn test(&mut self) -> Parsed<Body> {
        let mut words = Vec::new();
        loop {
            self.skip_separators();
            if self.eat_word("]]") {
                return Ok(Body::Test(words));
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
        let mut open = 0_usize;
        while let Some(c) = self.peek() {
            if open == 0 && self.looking_at("))") {
                let text = self.since(start);
                self.at += 2;
                let word = self.inside(&text)?.text_to_end()?;
                return Ok(Body::Test(vec![word]));
            }
            match c {
                '(' => open += 1,
                ')' if open == 0 => break,
                ')' => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
        self.at = start;
        self.subshell_in_subshell()
    }

    fn subshell_in_subshell(&mut self) -> Parsed<Body> {
        self.at -= 1;
        let script = self.nested(Self::script)?;
        self.expect(")")?;
        Ok(Body::Subshell(script))
    }

    /// All of the text as one word in which only `$` and backquotes mean something.
    pub(super) fn text_to_end(&mut self) -> Parsed<Word> {
        let mut word = Word::default();
        self.quoted_pieces(&mut word, None)?;
        Ok(word)
    }
}
