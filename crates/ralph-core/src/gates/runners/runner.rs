//! What a test runner must answer: whether a command calls it, and how its output is read. Knows none of them.

use crate::gates::report::TestSummary;

/// Something that runs tests.
#[derive(Debug)]
pub struct Runner {
    /// Whether these words of one simple command, without wrappers, call it.
    pub is_called_by: fn(&[&str]) -> bool,
    /// A fresh reader of its output; it recognises the output by itself.
    pub reader: fn() -> Box<dyn RunnerReader>,
}

/// Reads one runner's output line by line, in constant memory but for the failing names.
pub trait RunnerReader: std::fmt::Debug + Send {
    /// One clean line, without its line break.
    fn line(&mut self, line: &str);

    /// What it said, with `None` for whatever is not known for sure; `None` if the runner was not seen.
    fn finish(self: Box<Self>) -> Option<TestSummary>;
}
