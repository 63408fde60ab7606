//! The next step as data: commands to type, what to do by hand between them, and what could be typed instead.

use std::fmt;

/// What to do next, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Next {
    steps: Vec<Step>,
    /// Commands that do something else about it.
    instead: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Command(String),
    /// Something that no command does.
    ByHand(String),
}

impl Next {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Every command of it, those that could be typed instead last.
    pub fn commands(&self) -> Vec<String> {
        let typed = |step: &Step| match step {
            Step::Command(text) => Some(text.clone()),
            Step::ByHand(_) => None,
        };
        self.steps.iter().filter_map(typed).chain(self.instead.iter().cloned()).collect()
    }

    /// The words for a face that always says something.
    pub fn words(&self) -> Option<String> {
        (!self.is_empty()).then(|| self.to_string())
    }

    /// The same about a run that is not the newest: what means that one unless told otherwise names it.
    #[must_use]
    pub fn about_run(mut self, run: &str) -> Self {
        let commands = self.steps.iter_mut().filter_map(|step| match step {
            Step::Command(text) => Some(text),
            Step::ByHand(_) => None,
        });
        for text in commands.chain(&mut self.instead) {
            if let Some(rest) = text.strip_prefix("ralph resume") {
                *text = format!("ralph resume {run}{rest}");
            }
        }
        self
    }

    pub(super) fn then(mut self, command: impl Into<String>) -> Self {
        self.steps.push(Step::Command(command.into()));
        self
    }

    pub(super) fn by_hand(mut self, deed: impl Into<String>) -> Self {
        self.steps.push(Step::ByHand(deed.into()));
        self
    }

    pub(super) fn or(mut self, command: impl Into<String>) -> Self {
        self.instead.push(command.into());
        self
    }

    /// The same after what must be done first.
    pub(super) fn after(mut self, first: Self) -> Self {
        self.steps.splice(0..0, first.steps);
        self.instead.extend(first.instead);
        self
    }
}

impl fmt::Display for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |step: &Step| match step {
            Step::Command(text) | Step::ByHand(text) => text.clone(),
        };
        let steps: Vec<String> = self.steps.iter().map(text).collect();
        f.write_str(&steps.join(", then "))?;
        self.instead.iter().try_for_each(|command| write!(f, ", or {command}"))
    }
}
