//! The simulated journal: decisions in memory, and for some runs really as lines of JSON that are read again.

use std::borrow::Cow;

use ralph_core::event::Decision;

/// What survives a crash.
#[derive(Debug, Clone, Default)]
pub(super) struct Journal {
    pub(super) decisions: Vec<Decision>,
    /// The same as text, where this run keeps it.
    text: Option<String>,
}

impl Journal {
    /// A journal that is also kept as text.
    pub(super) fn textual() -> Self {
        Self { decisions: Vec::new(), text: Some(String::new()) }
    }

    pub(super) fn append(&mut self, decision: Decision) {
        if let Some(text) = &mut self.text {
            text.push_str(&serde_json::to_string(&decision).unwrap_or_default());
            text.push('\n');
        }
        self.decisions.push(decision);
    }

    /// A crash while a line was written: some of its bytes are there, its end is not.
    pub(super) fn tear(&mut self, decision: &Decision, at: u64) {
        if let Some(text) = &mut self.text {
            let line = serde_json::to_string(decision).unwrap_or_default();
            let cut = usize::try_from(at % (line.len() as u64 + 1)).unwrap_or(0);
            text.push_str(line.get(..cut).unwrap_or_default());
        }
    }

    /// What a new process finds. `None` if a whole line cannot be read.
    pub(super) fn reread(&mut self) -> Option<Cow<'_, [Decision]>> {
        let Some(text) = &mut self.text else {
            return Some(Cow::Borrowed(&self.decisions));
        };
        let end = text.rfind('\n').map_or(0, |at| at + 1);
        text.truncate(end);
        let lines = text.lines().map(|line| serde_json::from_str(line).ok());
        lines.collect::<Option<Vec<Decision>>>().map(Cow::Owned)
    }
}
