//! What a person asks of `ralph plan`, as data. Must never ask or read anything.

use ralph_core::settings::Flag;

use crate::reporters::console::Progress;

/// What a person asks of `ralph plan`.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlanWish {
    /// Files and folders of specifications, or a sentence.
    pub(crate) words: Vec<String>,
    /// What is to change in the plan that exists.
    pub(crate) revise: Option<String>,
    /// Settings given as flags.
    pub(crate) flags: Vec<Flag>,
    /// Commands that would prove work, told from the project's files.
    pub(crate) detected: Vec<String>,
    /// Write without asking.
    pub(crate) yes: bool,
    /// Assume instead of asking.
    pub(crate) no_questions: bool,
    pub(crate) dry_run: bool,
    pub(crate) progress: Progress,
}
