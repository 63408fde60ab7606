//! Lists, pipelines, simple commands and redirections.

use std::{cell::OnceCell, rc::Rc};

use super::{
    cursor::{Cursor, Parsed, Pending, Unreadable},
    tree::{
        Assignment, Body, Command, Piece, Pipeline, Redirect, Script, Simple, Target, Way, Word,
    },
};

/// Words that end a list of commands where a command could begin.
const CLOSERS: [&str; 8] = ["then", "do", "done", "fi", "elif", "else", "esac", "}"];

/// Signs of redirections, longest first.
const WAYS: [(&str, Way); 9] = [
    ("&>>", Way::Append),
    ("&>", Way::Write),
    (">>", Way::Append),
    (">&", Way::Duplicate),
    (">|", Way::Write),
    ("<>", Way::Write),
    ("<&", Way::Duplicate),
    (">", Way::Write),
    ("<", Way::Read),
];

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
            let is_background = self.joint()?;
            script.pipelines.push(Pipeline { stages, is_background });
        }
    }

    /// Whether the construct around ends here.
    fn is_closed(&self) -> bool {
        matches!(self.peek(), None | Some(')'))
            || self.looking_at(";;")
            || self.looking_at(";&")
            || CLOSERS.contains(&self.bare_word().as_str())
    }

    pub(super) fn skip_lines(&mut self) -> Parsed<()> {
        loop {
            self.skip_blanks();
            if !self.eat("\n") {
                return Ok(());
            }
            self.read_pending()?;
        }
    }

    /// What joins two pipelines, and whether the first runs in the background.
    fn joint(&mut self) -> Parsed<bool> {
        self.skip_blanks();
        if self.eat("&&") || self.eat("||") || self.is_closed() {
            return Ok(false);
        }
        match self.next() {
            Some('\n') => self.read_pending().map(|()| false),
            Some(';') => Ok(false),
            Some('&') => Ok(true),
            _ => Err(Unreadable),
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
            if self.looking_at("||") || !self.eat("|") {
                return Ok(stages);
            }
            self.eat("&");
        }
    }

    pub(super) fn command(&mut self) -> Parsed<Command> {
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
            } else if self.peek().is_none_or(|c| "\n;&|)".contains(c)) {
                break;
            } else if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
            } else if self.eat("(") {
                // A function, of which the name has been read as a word.
                let [Word { pieces }] = simple.words.as_slice() else { return Err(Unreadable) };
                let [Piece::Bare(name)] = pieces.as_slice() else { return Err(Unreadable) };
                self.skip_blanks();
                self.expect(")")?;
                return Ok(Command { body: self.function_body(name.clone())?, redirects });
            } else {
                simple.words.push(self.word()?);
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return Err(Unreadable);
        }
        Ok(Command { body: Body::Simple(simple), redirects })
    }

    fn assignment(&mut self) -> Parsed<Option<Assignment>> {
        let start = self.at;
        let name = self.eat_while(|c| c.is_ascii_alphanumeric() || c == '_');
        if self.peek() == Some('[') {
            self.eat_while(|c| c != ']' && !c.is_whitespace());
            self.eat("]");
        }
        let appends = self.eat("+");
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !self.eat("=") {
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
            words.push(self.word()?);
        }
    }

    /// A redirection, if one comes next.
    fn redirect(&mut self) -> Parsed<Option<Redirect>> {
        let start = self.at;
        self.eat_while(|c| c.is_ascii_digit());
        let is_process = self.looking_at("<(") || self.looking_at(">(");
        if self.eat("<<<") {
            self.skip_blanks();
            let body = Rc::new(OnceCell::from(self.word()?));
            return Ok(Some(Redirect { way: Way::Read, target: Target::Text(body) }));
        }
        if self.eat("<<") {
            return self.here_document().map(Some);
        }
        let Some((_, way)) = WAYS.iter().find(|(sign, _)| !is_process && self.eat(sign)) else {
            self.at = start;
            return Ok(None);
        };
        self.skip_blanks();
        let word = self.word()?;
        let is_descriptor = matches!(word.pieces.as_slice(),
            [Piece::Bare(text)] if text.trim_end_matches('-').chars().all(|c| c.is_ascii_digit()));
        let way = if *way == Way::Duplicate && !is_descriptor { Way::Write } else { *way };
        Ok(Some(Redirect { way, target: Target::File(word) }))
    }

    fn here_document(&mut self) -> Parsed<Redirect> {
        let strips_tabs = self.eat("-");
        self.skip_blanks();
        let word = self.word()?;
        let mut end = String::new();
        for piece in &word.pieces {
            let (Piece::Bare(text) | Piece::Quoted(text)) = piece else { return Err(Unreadable) };
            end.push_str(text);
        }
        let expands = word.pieces.iter().all(|piece| matches!(piece, Piece::Bare(_)));
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending { end, strips_tabs, expands, body: Rc::clone(&body) });
        Ok(Redirect { way: Way::Read, target: Target::Text(body) })
    }

    /// Reads the bodies of the here-documents that begin on the line before.
    fn read_pending(&mut self) -> Parsed<()> {
        for pending in std::mem::take(&mut self.pending) {
            let mut text = String::new();
            while self.peek().is_some() {
                let line = self.eat_while(|c| c != '\n');
                self.eat("\n");
                let line = if pending.strips_tabs { line.trim_start_matches('\t') } else { &line };
                if line == pending.end {
                    break;
                }
                text.extend([line, "\n"]);
            }
            let word = if pending.expands {
                self.inside(&text)?.text_to_end()?
            } else {
                Word { pieces: vec![Piece::Quoted(text)] }
            };
            let _ = pending.body.set(word);
        }
        Ok(())
    }
}
