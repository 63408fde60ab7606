//! Lists, pipelines, compound commands and what is redirected around them.

use std::rc::Rc;

use super::walker::Walker;
use crate::{
    call::Call,
    marks::{self, HOLE},
    rules,
    syntax::{Body, Command, Piece, Pipeline, Redirect, Script, Target, Way, Word},
    verdict::Walk,
};

/// Rounds of a loop that are looked at one by one.
const MOST_ROUNDS: usize = 24;

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
        let Some((last, stages)) = pipeline.stages.split_last() else { return Ok(String::new()) };
        if stages.is_empty() {
            return self.command(last, stdin);
        }
        let mut flow = stdin.map(str::to_owned);
        for stage in stages {
            self.is_piped = true;
            flow = Some(self.subshell(|walker| walker.command(stage, flow.as_deref()))?);
            self.is_piped = false;
        }
        self.subshell(|walker| walker.command(last, flow.as_deref()))
    }

    /// Walks in a shell of its own: files stay, everything else is as before.
    pub(super) fn subshell<T>(&mut self, inner: impl FnOnce(&mut Self) -> Walk<T>) -> Walk<T> {
        let frame = self.frame.clone();
        let result = inner(self)?;
        let inner = std::mem::replace(&mut self.frame, frame);
        self.frame.files = inner.files;
        self.frame.links = inner.links;
        self.frame.fetched = inner.fetched;
        Ok(result)
    }

    pub(super) fn command(&mut self, command: &Command, stdin: Option<&str>) -> Walk<String> {
        self.step()?;
        let mut around = self.around(&command.redirects)?;
        around.stdin = around.stdin.or_else(|| stdin.map(str::to_owned));
        around.is_piped = std::mem::take(&mut self.is_piped);
        let printed = if let Body::Simple(simple) = &command.body {
            self.simple(simple, &around)?
        } else {
            rules::check(&around, &self.frame)?;
            self.deeper(|walker| walker.compound(&command.body, around.stdin.as_deref()))?
        };
        self.is_piped = around.is_piped;
        for (way, path) in around.redirects.iter().filter(|(way, _)| *way != Way::Read) {
            self.frame.keep_file(path, &printed, *way == Way::Append);
        }
        Ok(printed)
    }

    fn compound(&mut self, body: &Body, stdin: Option<&str>) -> Walk<String> {
        match body {
            Body::Simple(_) => Ok(String::new()),
            Body::Subshell(script) => self.subshell(|walker| walker.script(script, stdin)),
            Body::Blocks { words, scripts } => {
                for word in words {
                    self.text_of(word)?;
                }
                let printed: Walk<Vec<String>> =
                    scripts.iter().map(|script| self.script(script, stdin)).collect();
                printed.map(|printed| printed.concat())
            }
            Body::For { name, words, body } => {
                let values = self.loop_values(name, words)?;
                let mut printed = String::new();
                for value in values {
                    self.frame.vars.insert(name.clone(), value);
                    printed.push_str(&self.script(body, stdin)?);
                    printed = marks::bounded(printed);
                }
                Ok(printed)
            }
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

    fn loop_values(&mut self, name: &str, words: &[Word]) -> Walk<Vec<String>> {
        let mut values = Vec::new();
        for word in words {
            values.extend(self.fields(word)?);
        }
        if values.is_empty() || name.is_empty() {
            values = vec![HOLE.to_string()];
        }
        values.truncate(MOST_ROUNDS);
        Ok(values)
    }

    /// What is redirected around a command, as a call that does nothing else.
    fn around(&mut self, redirects: &[Redirect]) -> Walk<Call> {
        let mut around = Call::new(vec![":".into()]);
        for redirect in redirects {
            let word = match &redirect.target {
                Target::Text(body) => {
                    around.stdin = body.get().map(|word| self.text_of(word)).transpose()?;
                    continue;
                }
                Target::File(word) => word,
            };
            let printed = match word.pieces.as_slice() {
                [Piece::Process(script)] => {
                    Some(self.subshell(|walker| walker.script(script, None))?)
                }
                _ => None,
            };
            let path = self.text_of(word)?;
            if redirect.way == Way::Read {
                around.stdin = Some(printed.unwrap_or_else(|| self.content(&path)));
            }
            if redirect.way != Way::Duplicate {
                around.redirects.push((redirect.way, path));
            }
        }
        Ok(around)
    }
}

/// The name of a program that is written out.
fn name_of(command: &Command) -> Option<&str> {
    let Body::Simple(simple) = &command.body else { return None };
    match simple.words.first()?.pieces.as_slice() {
        [Piece::Bare(name)] => Some(name),
        _ => None,
    }
}

fn is_always_true(head: &Script) -> bool {
    let mut stages = head.pipelines.iter().flat_map(|pipeline| &pipeline.stages);
    stages.all(|stage| matches!(name_of(stage), Some(":" | "true")))
}

/// Whether a function starts itself beside itself.
fn calls_itself_twice(name: &str, body: &Command) -> bool {
    let scripts = match &body.body {
        Body::Subshell(script) => std::slice::from_ref(script),
        Body::Blocks { scripts, .. } => scripts,
        _ => &[],
    };
    let mut pipelines = scripts.iter().flat_map(|script| &script.pipelines);
    pipelines.any(|pipeline| {
        let own = pipeline.stages.iter().filter(|stage| name_of(stage) == Some(name)).count();
        own > 1 || own == 1 && pipeline.is_background
    })
}
