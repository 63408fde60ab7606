//! What the scripted model answers: steps, each used once, in the order in which they fit a request.
//!
//! A step names what the model wants done; which tool of which CLI that is stands in `offer.rs`.

use serde_json::Value;

use super::failure::Failure;

/// Tokens that every answer claims to have used.
pub const USAGE: Usage = Usage { input: 1_200, output: 80, cache_read: 800, cache_write: 100 };

/// Tokens of one answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

/// One answer of the model.
#[derive(Debug, Clone)]
pub struct Step {
    pub(super) when: String,
    pub(super) is_endless: bool,
    pub(super) answer: Answer,
}

/// What kind of answer it is.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// A text, what is to be done, and the tokens that the question is said to have had.
    Message { text: String, deed: Option<Deed>, asked: u64 },
    /// An HTTP error.
    Failure(Failure),
    /// No answer at all.
    Hang,
}

/// What the model wants done.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    Write {
        path: String,
        content: String,
    },
    Run {
        command: String,
    },
    Report {
        report: Value,
    },
    /// A tool of its own name.
    Call {
        tool: &'static str,
        input: Value,
    },
}

impl Step {
    /// Only text, which ends the turn.
    pub fn says(text: &str) -> Self {
        Self::of(Answer::Message { text: text.into(), deed: None, asked: USAGE.input })
    }

    /// Writes a file; the path is absolute.
    pub fn writes(path: &str, content: &str) -> Self {
        let deed = Deed::Write { path: path.into(), content: content.into() };
        Self::does("I write the file.", deed)
    }

    /// Runs a shell command.
    pub fn runs(command: &str) -> Self {
        Self::does("I run a command.", Deed::Run { command: command.into() })
    }

    /// Calls a tool by its name.
    pub fn calls(tool: &'static str, input: Value) -> Self {
        Self::does("I call a tool.", Deed::Call { tool, input })
    }

    /// Ends the turn with a structured report.
    pub fn reports(report: Value) -> Self {
        Self::does("I report.", Deed::Report { report })
    }

    /// Fails with an HTTP error.
    pub fn fails(failure: Failure) -> Self {
        Self::of(Answer::Failure(failure))
    }

    /// Never answers.
    pub fn hangs() -> Self {
        Self::of(Answer::Hang)
    }

    /// The same, only for requests whose conversation has these words.
    #[must_use]
    pub fn when(mut self, words: &str) -> Self {
        self.when = words.into();
        self
    }

    /// The same after a question that is said to have had so many tokens.
    #[must_use]
    pub fn after(mut self, tokens: u64) -> Self {
        if let Answer::Message { asked, .. } = &mut self.answer {
            *asked = tokens;
        }
        self
    }

    /// The same, as often as it is asked for.
    #[must_use]
    pub fn always(mut self) -> Self {
        self.is_endless = true;
        self
    }

    /// Whether it answers every request for ever: no step behind it is used.
    pub fn is_last_resort(&self) -> bool {
        self.is_endless && self.when.is_empty()
    }

    fn does(text: &str, deed: Deed) -> Self {
        Self::of(Answer::Message { text: text.into(), deed: Some(deed), asked: USAGE.input })
    }

    fn of(answer: Answer) -> Self {
        Self { when: String::new(), is_endless: false, answer }
    }
}
