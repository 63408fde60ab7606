//! What is asked or typed over the last rows: the text so far, the choice, and what Enter does.

use ralph_core::{
    ids::{RunId, TaskId},
    next_command::quoted,
};

use super::view::HELP_LINES;
use crate::ask::{Editor, Key};

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Prompt {
    Steer { task: Option<TaskId>, scope: Scope, editor: Editor },
    Answer { task: TaskId, editor: Editor },
    Rule { number: u32, choice: usize },
    Failed { task: TaskId, choice: usize },
    Stop { choice: usize },
    Search { editor: Editor },
    Runs { runs: Vec<(RunId, String)>, choice: usize },
    Help { top: usize },
}

/// Whom a message is for, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Task,
    TaskNow,
    All,
    AllNow,
}

/// What changes something: each is what a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    Steer { task: Option<TaskId>, text: String, is_now: bool },
    Answer { task: TaskId, text: String },
    Accept { number: u32 },
    Decline { number: u32 },
    Retry { task: TaskId },
    Skip { task: TaskId },
    Stop { is_now: bool },
    Pause,
    Watch { run: RunId },
}

/// The choices of a question, the safe one last.
pub(super) const STOP: [&str; 3] = ["after this iteration", "now", "no"];
pub(super) const RULE: [&str; 3] = ["accept", "decline", "not now"];
pub(super) const FAILED: [&str; 3] = ["retry", "skip", "not now"];

impl Prompt {
    /// The safe choice is chosen until a person moves.
    pub(super) fn stop() -> Self {
        Self::Stop { choice: STOP.len() - 1 }
    }

    pub(super) fn rule(number: u32) -> Self {
        Self::Rule { number, choice: RULE.len() - 1 }
    }

    pub(super) fn failed(task: TaskId) -> Self {
        Self::Failed { task, choice: FAILED.len() - 1 }
    }

    pub(super) fn steer(task: Option<TaskId>) -> Self {
        let scope = if task.is_some() { Scope::Task } else { Scope::All };
        Self::Steer { task, scope, editor: Editor::default() }
    }

    /// The command that Enter equals.
    pub(super) fn equals(&self) -> String {
        let quoted = |editor: &Editor| quoted(&editor.text());
        match self {
            Self::Steer { task, scope, editor } => {
                let now = if scope.is_now() { " --now" } else { "" };
                let task = task.as_ref().filter(|_| scope.is_task());
                let task = task.map(|task| format!(" {task}")).unwrap_or_default();
                format!("ralph steer{now}{task} {}", quoted(editor))
            }
            Self::Answer { task, editor } => format!("ralph task answer {task} {}", quoted(editor)),
            Self::Rule { number, choice: 0 } => format!("ralph task proposals --accept {number}"),
            Self::Rule { number, choice: 1 } => format!("ralph task proposals --decline {number}"),
            Self::Failed { task, choice: 0 } => format!("ralph task retry {task}"),
            Self::Failed { task, choice: 1 } => format!("ralph task skip {task}"),
            Self::Stop { choice: 0 } => "ralph stop".into(),
            Self::Stop { choice: 1 } => "ralph stop --now".into(),
            Self::Runs { runs, choice } => {
                runs.get(*choice).map(|(run, _)| format!("ralph watch {run}")).unwrap_or_default()
            }
            Self::Rule { .. } | Self::Failed { .. } | Self::Stop { .. } => "nothing".into(),
            Self::Search { .. } | Self::Help { .. } => String::new(),
        }
    }

    /// A key other than Enter and Escape.
    pub(super) fn press(&mut self, key: &Key) {
        match self {
            Self::Steer { task, scope, .. } if *key == Key::Tab => {
                *scope = scope.next(task.is_some());
            }
            Self::Steer { editor, .. } | Self::Answer { editor, .. } | Self::Search { editor } => {
                editor.press(key);
            }
            Self::Rule { choice, .. } => *choice = moved(*choice, key, RULE.len()),
            Self::Failed { choice, .. } => *choice = moved(*choice, key, FAILED.len()),
            Self::Stop { choice } => *choice = moved(*choice, key, STOP.len()),
            Self::Runs { runs, choice } => *choice = moved(*choice, key, runs.len()),
            Self::Help { top } => *top = moved(*top, key, HELP_LINES),
        }
    }

    /// What Enter does; nothing if nothing was typed or chosen.
    pub(super) fn deed(self) -> Option<Deed> {
        let typed = |editor: &Editor| Some(editor.text()).filter(|text| !text.trim().is_empty());
        Some(match self {
            Self::Steer { task, scope, editor } => Deed::Steer {
                task: task.filter(|_| scope.is_task()),
                text: typed(&editor)?,
                is_now: scope.is_now(),
            },
            Self::Answer { task, editor } => Deed::Answer { task, text: typed(&editor)? },
            Self::Rule { number, choice: 0 } => Deed::Accept { number },
            Self::Rule { number, choice: 1 } => Deed::Decline { number },
            Self::Failed { task, choice: 0 } => Deed::Retry { task },
            Self::Failed { task, choice: 1 } => Deed::Skip { task },
            Self::Stop { choice: 0 } => Deed::Stop { is_now: false },
            Self::Stop { choice: 1 } => Deed::Stop { is_now: true },
            Self::Runs { mut runs, choice } if choice < runs.len() => {
                Deed::Watch { run: runs.swap_remove(choice).0 }
            }
            _ => return None,
        })
    }
}

impl Scope {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::TaskNow => "task now",
            Self::All => "all",
            Self::AllNow => "all now",
        }
    }

    fn is_task(self) -> bool {
        matches!(self, Self::Task | Self::TaskNow)
    }

    fn is_now(self) -> bool {
        matches!(self, Self::TaskNow | Self::AllNow)
    }

    fn next(self, has_task: bool) -> Self {
        match self {
            Self::Task => Self::TaskNow,
            Self::All => Self::AllNow,
            Self::AllNow if has_task => Self::Task,
            Self::TaskNow | Self::AllNow => Self::All,
        }
    }
}

fn moved(choice: usize, key: &Key, of: usize) -> usize {
    let last = of.saturating_sub(1);
    match key {
        Key::Left | Key::Up | Key::Char('k' | 'h') => choice.saturating_sub(1),
        Key::Right | Key::Down | Key::Tab | Key::Char('j' | 'l') => {
            choice.saturating_add(1).min(last)
        }
        Key::Home => 0,
        Key::End => last,
        _ => choice,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_something_does_nothing_until_it_is_chosen() {
        for prompt in [Prompt::stop(), Prompt::rule(1), Prompt::failed("T-1".into())] {
            assert_eq!(prompt.equals(), "nothing");
            assert_eq!(prompt.clone().deed(), None);
            let mut other = prompt;
            other.press(&Key::Left);
            assert!(other.equals().starts_with("ralph "), "{other:?}");
            assert!(other.deed().is_some());
        }
    }

    #[test]
    fn a_message_shows_the_command_that_it_equals() {
        let mut prompt = Prompt::Steer {
            task: Some("T-5".into()),
            scope: Scope::Task,
            editor: Editor::default(),
        };
        for c in "use x".chars() {
            prompt.press(&Key::Char(c));
        }
        assert_eq!(prompt.equals(), "ralph steer T-5 'use x'");
        prompt.press(&Key::Tab);
        assert_eq!(prompt.equals(), "ralph steer --now T-5 'use x'");
        prompt.press(&Key::Tab);
        assert_eq!(prompt.equals(), "ralph steer 'use x'");
        let deed = Deed::Steer { task: None, text: "use x".into(), is_now: false };
        assert_eq!(prompt.deed(), Some(deed));
    }
}
