//! Lists, pipelines and compound commands.

use std::rc::Rc;

use super::walker::Walker;
use crate::{
    denial::Walk,
    frame::Frame,
    marks::{self, HOLE},
    rules,
    syntax::{Body, Command, Piece, Pipeline, Redirect, Script, Simple, Target, Way, Word},
};

/// Rounds of a loop that are looked at one by one.
const MOST_ROUNDS: usize = 24;

/// Files and text around a command.
#[derive(Debug, Clone, Default)]
pub(super) struct Around {
    pub(super) files: Vec<(Way, String)>,
    pub(super) stdin: Option<String>,
}

impl Walker {
    /// Walks commands in order; the value is what they print.
    pub(super) fn script(&mut self, script: &Script, stdin: Option<&str>) -> Walk<String> {
        let mut printed = String::new();
        for pipeline in &script.pipelines {
            if self.is_endless && pipeline.is_background {
                return rules::deny("fork-bomb");
            }
            printed.push_str(&self.pipeline(pipeline, stdin)?);
            printed = marks::bounded(printed);
        }
        Ok(printed)
    }

    fn pipeline(&mut self, pipeline: &Pipeline, stdin: Option<&str>) -> Walk<String> {
        let [only] = pipeline.stages.as_slice() else { return self.stages(pipeline, stdin) };
        self.command(only, stdin)
    }

    fn stages(&mut self, pipeline: &Pipeline, stdin: Option<&str>) -> Walk<String> {
        let mut flow = stdin.map(str::to_owned);
        let last = pipeline.stages.len().saturating_sub(1);
        for (index, stage) in pipeline.stages.iter().enumerate() {
            let frame = self.frame.clone();
            self.is_piped = index < last;
            flow = Some(self.command(stage, flow.as_deref())?);
            self.is_piped = false;
            self.leave(frame);
        }
        Ok(flow.unwrap_or_default())
    }

    /// Back from a subshell: files stay, everything else is as before.
    fn leave(&mut self, frame: Frame) {
        let inner = std::mem::replace(&mut self.frame, frame);
        self.frame.files = inner.files;
        self.frame.links = inner.links;
        self.frame.fetched = inner.fetched;
    }

    pub(super) fn command(&mut self, command: &Command, stdin: Option<&str>) -> Walk<String> {
        self.step()?;
        let mut around = self.around(&command.redirects)?;
        if around.stdin.is_none() {
            around.stdin = stdin.map(str::to_owned);
        }
        if let Body::Simple(simple) = &command.body {
            return self.simple(simple, &around);
        }
        let is_piped = std::mem::take(&mut self.is_piped);
        let printed = self.deeper(|walker| walker.compound(&command.body, &around))?;
        self.is_piped = is_piped;
        self.check_redirects(&around)?;
        self.keep_output(&around, &printed);
        Ok(printed)
    }

    fn compound(&mut self, body: &Body, around: &Around) -> Walk<String> {
        let stdin = around.stdin.as_deref();
        match body {
            Body::Simple(simple) => self.simple(simple, around),
            Body::Subshell(script) => {
                let frame = self.frame.clone();
                let printed = self.script(script, stdin)?;
                self.leave(frame);
                Ok(printed)
            }
            Body::Blocks { words, scripts } => {
                for word in words {
                    self.text_of(word)?;
                }
                let mut printed = String::new();
                for script in scripts {
                    printed.push_str(&self.script(script, stdin)?);
                }
                Ok(printed)
            }
            Body::For { name, words, body } => self.rounds(name, words, body, stdin),
            Body::While { head, body } => {
                let was_endless = self.is_endless;
                self.is_endless |= is_always_true(head);
                self.script(head, stdin)?;
                let printed = self.script(body, stdin)?;
                self.is_endless = was_endless;
                Ok(printed)
            }
            Body::Function { name, body } => {
                if calls_itself_twice(name, body) {
                    return rules::deny("fork-bomb");
                }
                self.frame.functions.insert(name.clone(), Rc::clone(body));
                Ok(String::new())
            }
        }
    }

    fn rounds(
        &mut self,
        name: &str,
        words: &[Word],
        body: &Script,
        stdin: Option<&str>,
    ) -> Walk<String> {
        let mut values = Vec::new();
        for word in words {
            values.extend(self.fields(word)?);
        }
        if values.is_empty() || name.is_empty() {
            values = vec![HOLE.to_string()];
        }
        values.truncate(MOST_ROUNDS);
        let mut printed = String::new();
        for value in values {
            if !name.is_empty() {
                self.frame.vars.insert(name.to_owned(), value);
            }
            printed.push_str(&self.script(body, stdin)?);
            printed = marks::bounded(printed);
        }
        Ok(printed)
    }

    /// What is redirected around a command.
    fn around(&mut self, redirects: &[Redirect]) -> Walk<Around> {
        let mut around = Around::default();
        for redirect in redirects {
            match &redirect.target {
                Target::Text(body) => {
                    let text = match body.get() {
                        Some(word) => self.text_of(word)?,
                        None => String::new(),
                    };
                    around.stdin = Some(text);
                }
                Target::File(word) => {
                    let from_process = self.process_text(word)?;
                    let path = self.text_of(word)?;
                    if redirect.way == Way::Read {
                        around.stdin = Some(from_process.unwrap_or_else(|| self.content(&path)));
                    }
                    if redirect.way != Way::Duplicate {
                        around.files.push((redirect.way, path));
                    }
                }
            }
        }
        Ok(around)
    }

    /// What a process substitution prints.
    fn process_text(&mut self, word: &Word) -> Walk<Option<String>> {
        match word.pieces.as_slice() {
            [Piece::Process(script)] => {
                let frame = self.frame.clone();
                let text = self.script(script, None)?;
                self.leave(frame);
                Ok(Some(text))
            }
            _ => Ok(None),
        }
    }

    /// Remembers what a command wrote into files.
    pub(super) fn keep_output(&mut self, around: &Around, printed: &str) {
        for (way, path) in &around.files {
            if *way != Way::Read {
                self.frame.keep_file(path, printed, *way == Way::Append);
            }
        }
    }
}

fn is_always_true(head: &Script) -> bool {
    match head.pipelines.as_slice() {
        [Pipeline { stages, .. }] => stages.iter().all(|stage| match &stage.body {
            Body::Simple(simple) => {
                matches!(name_of(simple), Some(":" | "true")) && simple.words.len() == 1
            }
            _ => false,
        }),
        _ => false,
    }
}

fn name_of(simple: &Simple) -> Option<&str> {
    match simple.words.first()?.pieces.as_slice() {
        [Piece::Bare(name)] => Some(name),
        _ => None,
    }
}

/// Whether a function starts itself beside itself.
fn calls_itself_twice(name: &str, body: &Command) -> bool {
    let calls = |command: &Command| match &command.body {
        Body::Simple(simple) => name_of(simple) == Some(name),
        _ => false,
    };
    let in_script = |script: &Script| {
        script.pipelines.iter().any(|pipeline| {
            let own = pipeline.stages.iter().filter(|stage| calls(stage)).count();
            own > 1 || (own == 1 && pipeline.is_background)
        })
    };
    match &body.body {
        Body::Subshell(script) => in_script(script),
        Body::Blocks { scripts, .. } => scripts.iter().any(in_script),
        _ => false,
    }
}
