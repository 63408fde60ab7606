//! The walk itself: its budget, and how it ends.

use super::{
    super::{Scene, syntax, syntax::Script},
    Frame,
};

/// Calls beyond this are not looked at: whatever needs so many is undecidable.
const MOST_STEPS: usize = 4000;
/// Scripts inside scripts.
const DEEPEST: usize = 32;

/// Why a command is denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Denial {
    pub(in super::super) rule: String,
    pub(in super::super) reason: String,
    pub(in super::super) instead: String,
}

impl Denial {
    pub(in super::super) fn new(rule: &str, reason: &str, instead: &str) -> Self {
        Self { rule: rule.to_owned(), reason: reason.to_owned(), instead: instead.to_owned() }
    }
}

/// The first denial ends the walk.
pub(in super::super) type Walk<T> = Result<T, Box<Denial>>;

/// A shell that only looks.
#[derive(Debug)]
pub(in super::super) struct Walker {
    pub(super) frame: Frame,
    steps: usize,
    depth: usize,
    /// Scripts that run when the shell ends.
    pub(super) at_exit: Vec<String>,
    pub(super) called: Vec<String>,
    /// Whether another program reads what the next command prints.
    pub(super) is_piped: bool,
    /// Inside a loop that never ends by itself.
    pub(super) is_endless: bool,
}

impl Walker {
    pub(in super::super) fn new(scene: &Scene) -> Self {
        Self {
            frame: Frame::new(scene),
            steps: 0,
            depth: 0,
            at_exit: Vec::new(),
            called: Vec::new(),
            is_piped: false,
            is_endless: false,
        }
    }

    /// The value of a variable.
    pub(in super::super) fn frame_var(&self, name: &str) -> String {
        self.frame.var(name)
    }

    /// The user's home.
    pub(in super::super) fn home(&self) -> String {
        self.frame.var("HOME")
    }

    /// Walks a whole command: its script, then what it left for later.
    pub(in super::super) fn run(&mut self, script: &Script) -> Walk<()> {
        self.script(script, None)?;
        for text in std::mem::take(&mut self.at_exit) {
            self.text(&text, None)?;
        }
        for (name, body) in self.frame.functions.clone() {
            if !self.called.contains(&name) {
                self.command(&body, None)?;
            }
        }
        Ok(())
    }

    /// Walks a script that is the value of an argument; what cannot be read is judged by its words.
    pub(super) fn text(&mut self, text: &str, stdin: Option<&str>) -> Walk<String> {
        self.deeper(|walker| match syntax::parse(text) {
            Ok(script) => walker.script(&script, stdin),
            Err(_) => super::super::judge::unreadable(text).map(|()| String::new()),
        })
    }

    /// One level down; too many are refused.
    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Walk<T>) -> Walk<T> {
        self.depth += 1;
        let result = if self.depth > DEEPEST {
            Err(Box::new(Denial::new(
                "nesting",
                "commands are nested so deeply that nobody can tell what they do",
                "write the steps as plain commands",
            )))
        } else {
            inner(self)
        };
        self.depth -= 1;
        result
    }

    /// Counts a step; a command that needs too many is refused.
    pub(super) fn step(&mut self) -> Walk<()> {
        self.steps += 1;
        if self.steps <= MOST_STEPS {
            return Ok(());
        }
        Err(Box::new(Denial::new(
            "size",
            "the command does so much that the guard cannot follow it",
            "put it into a script of the project and run that",
        )))
    }
}
