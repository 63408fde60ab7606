//! The tree of a shell script.

use std::{cell::OnceCell, rc::Rc};

/// Pipelines, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    pub(crate) pipelines: Vec<Pipeline>,
}

/// Commands that run at the same time, each reading what the one before writes.
#[derive(Debug, Clone)]
pub(crate) struct Pipeline {
    pub(crate) stages: Vec<Command>,
    pub(crate) is_background: bool,
}

/// One command with what is redirected around it.
#[derive(Debug, Clone)]
pub(crate) struct Command {
    pub(crate) body: Body,
    pub(crate) redirects: Vec<Redirect>,
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    Simple(Simple),
    Subshell(Script),
    /// Groups, branches, choices and tests: what expands in them, and their commands in the order of the text.
    Blocks {
        words: Vec<Word>,
        scripts: Vec<Script>,
    },
    For {
        name: String,
        words: Vec<Word>,
        body: Script,
    },
    While {
        head: Script,
        body: Script,
    },
    Function {
        name: String,
        body: Rc<Command>,
    },
}

/// Assignments, a program and its arguments.
#[derive(Debug, Clone, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) words: Vec<Word>,
}

/// `name=value` before a program, or alone.
#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub(crate) name: String,
    pub(crate) values: Vec<Word>,
    pub(crate) appends: bool,
}

/// Direction of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Read,
    Write,
    Append,
    /// `>&` and `<&` with a descriptor.
    Duplicate,
}

/// Where a redirection goes.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    File(Word),
    /// A here-document (its body comes later in the text) or here-string.
    Text(Rc<OnceCell<Word>>),
}

#[derive(Debug, Clone)]
pub(crate) struct Redirect {
    pub(crate) way: Way,
    pub(crate) target: Target,
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Word {
    pub(crate) pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
pub(crate) enum Piece {
    /// Text outside quotes: tildes and globs mean something.
    Bare(String),
    /// Text that stands for itself.
    Quoted(String),
    Param {
        param: Box<Param>,
        is_quoted: bool,
    },
    Command {
        script: Script,
        is_quoted: bool,
    },
    /// `<(…)` or `>(…)`.
    Process(Script),
    /// `$((…))`.
    Arithmetic(Word),
}

/// `$name` or `${name…}`.
#[derive(Debug, Clone)]
pub(crate) struct Param {
    pub(crate) name: String,
    /// Which element of an array, as it is written.
    pub(crate) index: Option<String>,
    /// The sign after the name and what follows it; `!` and `l` stand for `${!name}` and `${#name}`.
    pub(crate) op: Option<(char, Word)>,
}

impl Param {
    /// Whether it becomes as many arguments as it has elements, even between quotes.
    pub(crate) fn is_list(&self) -> bool {
        self.index.as_deref() == Some("@") || (self.name == "@" && self.index.is_none())
    }
}
