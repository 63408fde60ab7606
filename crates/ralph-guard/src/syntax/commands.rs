//! Lists, pipelines and simple commands.

use std::{cell::OnceCell, rc::Rc};

use super::{
    Assignment, Body, Command, Joint, Piece, Pipeline, Redirect, Script, Simple, Target, Way, Word,
    cursor::{Cursor, Parsed, Pending, Unreadable},
};

/// Words that end a list of commands where a command could begin.
const CLOSERS: [&str; 8] = ["then", "do", "done", "fi", "elif", "else", "esac", "}"];

/// Reads a whole script.
pub(crate) fn parse(text: &str) -> Result<Script, Unreadable> {
    let mut cursor = Cursor::new(text, 0);
    let script = cursor.script()?;
    if cursor.peek().is_some() { Err(Unreadable) } else { Ok(script) }
}

impl Cursor {
    /// Commands up to the end of the text or of the construct around them.
    pub(super) fn script(&mut self) -> Parsed<Script> {
        let mut script = Script::default();
        loop {
            self.skip_lines()?;
            if self.is_closed() {
                return Ok(script);
            }
            let stages = self.nested(Self::pipeline)?;
            let joint = self.joint()?;
            script.pipelines.push(Pipeline { stages, joint });
        }
    }

    /// Whether the construct around ends here.
    fn is_closed(&self) -> bool {
        matches!(self.peek(), None | Some(')'))
            || self.looking_at(";;")
            || self.looking_at(";&")
            || CLOSERS.contains(&self.bare_word().as_str())
    }

    fn skip_lines(&mut self) -> Parsed<()> {
        loop {
            self.skip_blanks();
            if self.peek() != Some('\n') {
                return Ok(());
            }
            self.line_end()?;
        }
    }

    /// The end of a line, and the here-documents that begin after it.
    fn line_end(&mut self) -> Parsed<()> {
        self.at += 1;
        self.read_pending()
    }

    fn joint(&mut self) -> Parsed<Joint> {
        self.skip_blanks();
        if self.eat("&&") {
            return Ok(Joint::And);
        }
        if self.eat("||") {
            return Ok(Joint::Or);
        }
        if self.looking_at(";;") || self.looking_at(";&") {
            return Ok(Joint::Then);
        }
        match self.peek() {
            None | Some(')') => Ok(Joint::Then),
            Some('\n') => self.line_end().map(|()| Joint::Then),
            Some(';') => {
                self.at += 1;
                Ok(Joint::Then)
            }
            Some('&') => {
                self.at += 1;
                Ok(Joint::Background)
            }
            Some(_) if self.is_closed() => Ok(Joint::Then),
            Some(_) => Err(Unreadable),
        }
    }

    fn pipeline(&mut self) -> Parsed<Vec<Command>> {
        let mut stages = Vec::new();
        loop {
            self.skip_lines()?;
            while self.eat_word("!") || self.eat_word("time") || self.eat_word("coproc") {
                self.skip_blanks();
            }
            stages.push(self.command()?);
            self.skip_blanks();
            if self.looking_at("||") || self.peek() != Some('|') {
                return Ok(stages);
            }
            self.at += 1;
            self.eat("&");
        }
    }

    fn command(&mut self) -> Parsed<Command> {
        let Some(body) = self.compound()? else { return self.simple() };
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(Command { body, redirects }),
            }
        }
    }

    fn simple(&mut self) -> Parsed<Command> {
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if self.peek().is_none_or(|c| "\n;&|)".contains(c)) {
                break;
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
                continue;
            }
            if self.peek() == Some('(') {
                return self.function_from(&simple, redirects);
            }
            simple.words.push(self.word()?);
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return Err(Unreadable);
        }
        Ok(Command { body: Body::Simple(simple), redirects })
    }

    /// `name ( ) body`, of which the name has been read as a word.
    fn function_from(&mut self, simple: &Simple, redirects: Vec<Redirect>) -> Parsed<Command> {
        let name = match simple.words.as_slice() {
            [Word { pieces }] => match pieces.as_slice() {
                [Piece::Bare(name)] if redirects.is_empty() => name.clone(),
                _ => return Err(Unreadable),
            },
            _ => return Err(Unreadable),
        };
        self.expect("(")?;
        self.skip_blanks();
        self.expect(")")?;
        let body = self.function_body(name)?;
        Ok(Command { body, redirects })
    }

    /// The body of a function, after its name.
    pub(super) fn function_body(&mut self, name: String) -> Parsed<Body> {
        self.skip_lines()?;
        let body = Rc::new(self.nested(Self::command)?);
        Ok(Body::Function { name, body })
    }

    fn assignment(&mut self) -> Parsed<Option<Assignment>> {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        let name = self.since(start);
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            self.at = start;
            return Ok(None);
        }
        if self.peek() == Some('[') {
            while self.peek().is_some_and(|c| c != ']' && !c.is_whitespace()) {
                self.at += 1;
            }
            self.eat("]");
        }
        let appends = self.looking_at("+=");
        if !(self.eat("+=") || self.eat("=")) {
            self.at = start;
            return Ok(None);
        }
        let values = if self.eat("(") { self.array()? } else { vec![self.value()?] };
        Ok(Some(Assignment { name, values, appends }))
    }

    /// The elements of an array, after the parenthesis.
    pub(super) fn array(&mut self) -> Parsed<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat(")") {
                return Ok(words);
            }
            let before = self.at;
            words.push(self.word()?);
            if self.at == before {
                return Err(Unreadable);
            }
        }
    }

    /// A redirection, if one comes next.
    pub(super) fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let start = self.at;
        if self.peek() == Some('{') {
            while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || "{_}".contains(c)) {
                self.at += 1;
            }
        } else {
            while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                self.at += 1;
            }
        }
        let is_process = self.looking_at("<(") || self.looking_at(">(");
        if is_process || !(self.looking_at("<") || self.looking_at(">") || self.looking_at("&>")) {
            self.at = start;
            return Ok(None);
        }
        if self.eat("<<<") {
            self.skip_blanks();
            let body = Rc::new(OnceCell::from(self.word()?));
            return Ok(Some(Redirect { way: Way::Read, target: Target::Text(body) }));
        }
        if self.eat("<<") {
            return self.here_document().map(Some);
        }
        let way = self.way();
        self.skip_blanks();
        let before = self.at;
        let word = self.word()?;
        if self.at == before {
            return Err(Unreadable);
        }
        let is_descriptor = matches!(word.pieces.as_slice(),
            [Piece::Bare(text)] if text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()));
        let way = if way == Way::Duplicate && !is_descriptor { Way::Write } else { way };
        Ok(Some(Redirect { way, target: Target::File(word) }))
    }

    fn way(&mut self) -> Way {
        let signs = [
            ("&>>", Way::Append),
            ("&>", Way::Write),
            (">>", Way::Append),
            (">&", Way::Duplicate),
            (">|", Way::Write),
            ("<>", Way::ReadWrite),
            ("<&", Way::Duplicate),
            (">", Way::Write),
        ];
        for (sign, way) in signs {
            if self.eat(sign) {
                return way;
            }
        }
        self.at += 1;
        Way::Read
    }

    fn here_document(&mut self) -> Parsed<Redirect> {
        let strips_tabs = self.eat("-");
        self.skip_blanks();
        let word = self.word()?;
        let mut end = String::new();
        let mut expands = true;
        for piece in &word.pieces {
            match piece {
                Piece::Bare(text) => end.push_str(text),
                Piece::Quoted(text) => {
                    expands = false;
                    end.push_str(text);
                }
                _ => return Err(Unreadable),
            }
        }
        if word.pieces.is_empty() {
            return Err(Unreadable);
        }
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending { end, strips_tabs, expands, body: Rc::clone(&body) });
        Ok(Redirect { way: Way::Read, target: Target::Text(body) })
    }
}
