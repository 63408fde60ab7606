//! Commands that cannot run: quotes that do not close, programs that are not there.

use super::{
    Facts, Severity,
    finding::{Finding, open},
};
use crate::plan::Plan;

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

/// Every command of a plan that is still to run: where it is, whose it is, and its text.
fn commands(plan: &Plan) -> Vec<(String, String, &str)> {
    let mut all = Vec::new();
    for (nth, command) in plan.verify_commands.iter().enumerate() {
        let whose = format!("verify command {}", nth + 1);
        all.push((format!("verify_commands.{nth}"), whose, command.as_str()));
    }
    for (at, task) in open(plan) {
        for (nth, criterion) in task.acceptance_criteria.iter().enumerate() {
            if let Some(check) = criterion.check() {
                let path = format!("tasks.{at}.acceptance_criteria.{nth}.check");
                all.push((
                    path,
                    format!("the check of criterion {} of {}", nth + 1, task.id),
                    check,
                ));
            }
        }
    }
    all
}

/// What is wrong with commands that no shell takes, in the words of every finding.
pub fn broken_commands(plan: &Plan) -> Vec<String> {
    let broken = commands(plan).into_iter().filter(|(_, _, text)| is_broken(text));
    broken.map(|(_, whose, _)| unclosed(&whose)).collect()
}

fn is_broken(command: &str) -> bool {
    shell_words::split(command).is_err()
}

fn unclosed(whose: &str) -> String {
    format!("{whose} has an unclosed quote")
}

/// Commands that cannot run.
pub(super) fn find(plan: &Plan, facts: &Facts) -> Vec<Finding> {
    let look = |(path, whose, command): (String, String, &str)| {
        if is_broken(command) {
            return Some(
                Finding::error("broken-command", path, unclosed(&whose))
                    .because("the shell rejects it, so it can never pass")
                    .help("close the quote; in JSON, write \\\" for a quote inside the command"),
            );
        }
        let program = program(command)?;
        let (where_not, help) = if facts.missing.programs.contains(&program) {
            ("not installed", format!("install {program}, or change the command"))
        } else if facts.hidden.contains(&program) {
            ("not in the sandbox", SHOW_IT.to_owned())
        } else {
            return None;
        };
        let what = format!("{whose} runs {program}, which is {where_not}");
        // A verify command judges every task; a task's own work may bring what its check needs.
        let is_gate = path.starts_with("verify_commands");
        let severity = if is_gate { Severity::Error } else { Severity::Warning };
        let found = Finding::warning("missing-program", path, what)
            .because("the command fails no matter how good the work is")
            .help(help);
        Some(Finding { severity, ..found })
    };
    commands(plan).into_iter().filter_map(look).collect()
}
