//! Where the speakers of the format differ.

/// How one agent speaks it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Dialect {
    /// Input tokens are counted with those that came from the cache or went there.
    pub input_has_cached: bool,
    /// How a message begins that the tool made of a failed request; empty where such messages are marked.
    pub error_text: &'static str,
    /// Words of an error that is only a missing structured answer; empty where it is no error.
    pub formless: &'static str,
    /// Exit codes that say that a limit of turns was reached.
    pub turn_limit: &'static [i32],
    /// Complaints about the command line that only this tool makes.
    pub refusals: &'static [Refusal],
}

/// A complaint on the error output, without any JSON.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusal {
    pub words: &'static str,
    /// What to tell a person instead of the tool's own words.
    pub told_as: Option<&'static str>,
}
