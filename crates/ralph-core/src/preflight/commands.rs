//! Commands that cannot run: quotes that do not close, programs that are not there.

use super::{
    Facts, Severity,
    finding::{Finding, open},
};
use crate::plan::{Plan, Task};

/// What to do about a program that a command in the box does not find.
pub const SHOW_IT: &str =
    "add its folder to sandbox.readable in your user settings, or change the command";

/// Words that a shell knows by itself.
const SHELL: [&str; 39] = [
    "!", ".", ":", "[", "{", "}", "alias", "bg", "case", "cd", "command", "do", "done", "echo",
    "elif", "else", "eval", "exec", "exit", "export", "false", "fi", "for", "if", "printf", "pwd",
    "read", "return", "set", "shift", "test", "then", "trap", "true", "type", "ulimit", "umask",
    "until", "while",
];

/// The program that a command starts, by its name or its whole path; none where the shell itself is asked. What a path
/// below the project leads to may be made by the work.
pub fn program(command: &str) -> Option<String> {
    let words = shell_words::split(command).ok()?;
    let is_setting = |word: &String| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        })
    };
    let mut words = words.into_iter();
    let first = loop {
        let word = words.next()?;
        if !is_setting(&word) && word != "!" {
            break word;
        }
        // What a substitution holds are not words of this command.
        if word.contains(['$', '`', '(']) {
            return None;
        }
    };
    let is_name = !first.starts_with('-')
        && first.chars().all(|c| c.is_ascii_alphanumeric() || "-_+./".contains(c))
        && (first.starts_with('/') || !first.contains('/'));
    (is_name && !SHELL.contains(&first.as_str())).then_some(first)
}

/// A command of a plan that is still to run.
#[derive(Clone, Copy)]
struct Command<'a> {
    /// The task whose criterion it proves; `None` for a verify command.
    of: Option<(usize, &'a Task)>,
    nth: usize,
    text: &'a str,
}

impl Command<'_> {
    fn path(self) -> String {
        match self.of {
            None => format!("verify_commands.{}", self.nth),
            Some((at, _)) => format!("tasks.{at}.acceptance_criteria.{}.check", self.nth),
        }
    }

    fn whose(self) -> String {
        let number = self.nth + 1;
        match self.of {
            None => format!("verify command {number}"),
            Some((_, task)) => format!("the check of criterion {number} of {}", task.id),
        }
    }

    fn is_broken(self) -> bool {
        self.text.contains(['"', '\'', '\\']) && shell_words::split(self.text).is_err()
    }
}

fn commands(plan: &Plan) -> impl Iterator<Item = Command<'_>> {
    let verify = plan.verify_commands.iter().enumerate();
    let verify = verify.map(|(nth, text)| Command { of: None, nth, text });
    let checks = open(plan).flat_map(|(at, task)| {
        let criteria = task.acceptance_criteria.iter().enumerate();
        criteria.filter_map(move |(nth, criterion)| {
            Some(Command { of: Some((at, task)), nth, text: criterion.check()? })
        })
    });
    verify.chain(checks)
}

/// What is wrong with commands that no shell takes, in the words of every finding.
pub fn broken_commands(plan: &Plan) -> Vec<String> {
    let broken = commands(plan).filter(|command| command.is_broken());
    broken.map(|command| unclosed(&command.whose())).collect()
}

fn unclosed(whose: &str) -> String {
    format!("{whose} has an unclosed quote")
}

/// Commands that cannot run.
pub(super) fn find(plan: &Plan, facts: &Facts) -> Vec<Finding> {
    let look = |command: Command<'_>| {
        if command.is_broken() {
            return Some(
                Finding::error("broken-command", command.path(), unclosed(&command.whose()))
                    .because("the shell rejects it, so it can never pass")
                    .help("close the quote; in JSON, write \\\" for a quote inside the command"),
            );
        }
        let program = program(command.text)?;
        let (where_not, help) = if facts.missing.programs.contains(&program) {
            ("not installed", format!("install {program}, or change the command"))
        } else if facts.hidden.contains(&program) {
            ("not in the sandbox", SHOW_IT.to_owned())
        } else {
            return None;
        };
        let what = format!("{} runs {program}, which is {where_not}", command.whose());
        // A verify command judges every task; a task's own work may bring what its check needs.
        let severity = if command.of.is_none() { Severity::Error } else { Severity::Warning };
        let found = Finding::warning("missing-program", command.path(), what)
            .because("the command fails no matter how good the work is")
            .help(help);
        Some(Finding { severity, ..found })
    };
    commands(plan).filter_map(look).collect()
}
