//! What the guard is told about the place of a command, and what it answers.

use serde::{Deserialize, Serialize};

/// Where a command is about to run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scene {
    /// Root of the tree that the agent may change, absolute.
    pub worktree: String,
    /// Directory in which the command starts, absolute.
    pub cwd: String,
    /// The user's home, absolute, outside the worktree.
    pub home: String,
    /// Rules and exceptions of the user.
    pub rules: Rules,
}

impl Scene {
    /// A command at the root of the worktree, with the built-in rules only.
    pub fn at_root(worktree: &str, home: &str) -> Self {
        Self {
            worktree: worktree.to_owned(),
            cwd: worktree.to_owned(),
            home: home.to_owned(),
            rules: Rules::default(),
        }
    }
}

/// What the user adds to the built-in rules, and what they take out of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Rules {
    /// More commands to deny.
    pub deny: Vec<UserRule>,
    /// Commands that are allowed although a built-in rule denies them.
    pub allow: Vec<Exception>,
}

/// A rule of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserRule {
    /// The program, then words that must occur among its arguments in this order.
    pub words: Vec<String>,
    /// What the agent is told.
    pub reason: String,
}

/// An exception of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exception {
    /// The program, then words that must occur among its arguments in this order.
    pub words: Vec<String>,
}

/// What the guard says about a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    Allow,
    Deny {
        /// Name of the rule.
        rule: String,
        /// What is wrong, a sentence fragment.
        reason: String,
        /// What to do in its place, a sentence fragment.
        instead: String,
    },
}

/// The first denial ends the walk through a command.
pub(crate) type Walk<T> = Result<T, Box<Verdict>>;

impl Verdict {
    /// Whether the command may run.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allow)
    }
}
