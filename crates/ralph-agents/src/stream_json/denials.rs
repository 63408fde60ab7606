//! Tool calls that were not allowed: told once, when it happens where the stream says so then.

use std::collections::{BTreeSet, VecDeque};

use crate::stream_state;

/// Most tool calls whose names are remembered, and most denials that are told apart.
const KEEP: usize = 256;

/// See the module.
#[derive(Default)]
pub(super) struct Denials {
    names: VecDeque<(String, String)>,
    told: BTreeSet<String>,
}

impl Denials {
    pub(super) fn started(&mut self, id: &str, name: &str) {
        self.names
            .push_back((stream_state::name(id).to_owned(), stream_state::name(name).to_owned()));
        if self.names.len() > KEEP {
            self.names.pop_front();
        }
    }

    /// The tool of a call.
    pub(super) fn tool(&self, id: &str) -> &str {
        self.names
            .iter()
            .find(|(known, _)| known == stream_state::name(id))
            .map_or("", |(_, name)| name)
    }

    /// Whether the denial of this call is not told yet; from now on it is.
    pub(super) fn is_news(&mut self, id: &str) -> bool {
        if self.told.len() >= KEEP {
            self.told.pop_first();
        }
        self.told.insert(stream_state::name(id).to_owned()) || id.is_empty()
    }
}
