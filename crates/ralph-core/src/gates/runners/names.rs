//! The names of failing tests that a reader gathers. Must never grow without limit.

/// More failing names than this are not compared.
pub(super) const MAX_NAMES: usize = 500;

/// Failing names as they are read, bounded.
#[derive(Debug, Default)]
pub(super) struct Names {
    names: Vec<String>,
    too_many: bool,
}

impl Names {
    pub(super) fn push(&mut self, name: String) {
        if self.names.len() < MAX_NAMES {
            self.names.push(name);
        } else {
            self.too_many = true;
        }
    }

    pub(super) fn extend_with(&mut self, name: Option<String>) {
        if let Some(name) = name {
            self.push(name);
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.names.len() as u64
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Takes out all names so far.
    pub(super) fn drain(&mut self) -> Vec<String> {
        std::mem::take(&mut self.names)
    }

    /// The names, if they are all there are.
    pub(super) fn all_if(self, complete: bool) -> Option<Vec<String>> {
        (complete && !self.too_many).then(|| sorted(self.names))
    }
}

/// In order, each once.
pub(super) fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}
