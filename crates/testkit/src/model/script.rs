//! What the scripted model answers: steps, each used once, in the order in which they fit a request.

use serde_json::{Value, json};

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
    pub(super) answer: Answer,
}

/// What kind of answer it is.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// A text, a tool call, or both.
    Message { text: String, tool: Option<Tool> },
    /// An HTTP error.
    Failure { status: u16, kind: &'static str, message: &'static str },
    /// The account's allowance is used up until so many seconds from the request.
    UsageLimit { seconds: u64 },
    /// No answer at all.
    Hang,
}

/// A tool call, in the words of the CLI.
#[derive(Debug, Clone)]
pub(super) struct Tool {
    pub name: &'static str,
    pub input: Value,
}

impl Step {
    /// Only text, which ends the turn.
    pub fn says(text: &str) -> Self {
        Self::of(Answer::Message { text: text.into(), tool: None })
    }

    /// Writes a file; the path is absolute.
    pub fn writes(path: &str, content: &str) -> Self {
        Self::calls("I write the file.", "Write", json!({"file_path": path, "content": content}))
    }

    /// Runs a shell command.
    pub fn runs(command: &str) -> Self {
        let input = json!({"command": command, "description": "Run a command"});
        Self::calls("I run a command.", "Bash", input)
    }

    /// Ends the turn with a structured report.
    pub fn reports(report: Value) -> Self {
        Self::calls("I report.", "StructuredOutput", report)
    }

    /// Fails with an HTTP error.
    pub fn fails(status: u16, kind: &'static str, message: &'static str) -> Self {
        Self::of(Answer::Failure { status, kind, message })
    }

    /// Refuses until the allowance comes back, so many seconds after the request.
    pub fn refuses_for(seconds: u64) -> Self {
        Self::of(Answer::UsageLimit { seconds })
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

    fn calls(text: &str, name: &'static str, input: Value) -> Self {
        Self::of(Answer::Message { text: text.into(), tool: Some(Tool { name, input }) })
    }

    fn of(answer: Answer) -> Self {
        Self { when: String::new(), answer }
    }
}
