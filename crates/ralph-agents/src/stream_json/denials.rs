//! Tool calls that were not allowed: each is reported once, as soon as the stream mentions it.

use std::collections::{BTreeSet, VecDeque};

use crate::stream_state::name;

/// Most tool calls whose names are remembered, and most denials that are told apart.
const KEEP: usize = 256;

/// See the module.
#[derive(Default)]
pub(super) struct Denials {
    names: VecDeque<(String, String)>,
    reported: BTreeSet<String>,
}

impl Denials {
    pub(super) fn started(&mut self, id: &str, tool: &str) {
        self.names.push_back((name(id), name(tool)));
        if self.names.len() > KEEP {
            self.names.pop_front();
        }
    }

    /// The tool of a call.
    pub(super) fn tool(&self, id: &str) -> &str {
        let id = name(id);
        self.names.iter().find(|(known, _)| *known == id).map_or("", |(_, tool)| tool)
    }

    /// Whether the denial of this call was not reported yet; from now on it is.
    pub(super) fn is_new(&mut self, id: &str) -> bool {
        if self.reported.len() >= KEEP {
            self.reported.pop_first();
        }
        self.reported.insert(name(id)) || id.is_empty()
    }
}
