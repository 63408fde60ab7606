//! The walk itself: its budget, and how it ends.

use crate::{
    frame::Frame,
    marks::{DATA, SECRET},
    rules,
    syntax::{self, Script},
    verdict::{Scene, Walk},
};

/// Calls beyond this are not looked at: whatever needs so many is undecidable.
const MOST_STEPS: usize = 4000;
/// Scripts inside scripts.
const DEEPEST: usize = 32;

/// Words that make a text too dangerous to let pass unread.
const DESTRUCTIVE: &str = "rm rmdir shred mkfs dd wipefs unlink truncate sudo chmod chown kill pkill killall shutdown reboot";

/// A shell that only looks.
#[derive(Debug, Default)]
pub(crate) struct Walker {
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
    pub(crate) fn new(scene: &Scene) -> Self {
        Self { frame: Frame::new(scene), ..Self::default() }
    }

    /// Walks a whole command: its script, then what it left for later.
    pub(crate) fn run(&mut self, script: &Script) -> Walk<()> {
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
            Err(_) => unreadable(text).map(|()| String::new()),
        })
    }

    /// One level down; too many are refused.
    pub(super) fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Walk<T>) -> Walk<T> {
        self.depth += 1;
        let result = if self.depth > DEEPEST { rules::deny("nesting") } else { inner(self) };
        self.depth -= 1;
        result
    }

    /// Counts a step; a command that needs too many is refused.
    pub(super) fn step(&mut self) -> Walk<()> {
        self.steps += 1;
        if self.steps > MOST_STEPS { rules::deny("size") } else { Ok(()) }
    }

    /// What a file holds, as far as that is known.
    pub(super) fn content(&self, path: &str) -> String {
        self.frame.known_file(path).unwrap_or_else(|| {
            let is_secret = rules::is_secret_file(path, &self.frame);
            if is_secret { SECRET.to_string() } else { DATA.to_string() }
        })
    }
}

/// A text that is not a script is denied only if a destructive word occurs in it.
pub(crate) fn unreadable(text: &str) -> Walk<()> {
    let is_word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let mut words = text.split(|c| !is_word(c));
    let is_destructive = words.any(|word| crate::call::one_of(DESTRUCTIVE, word));
    if is_destructive { rules::deny("unreadable") } else { Ok(()) }
}
