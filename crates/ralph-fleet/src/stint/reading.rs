//! Reads what a moment's journal names: trees that must go with it, and wishes that it has taken. Only what the moment
//! itself has counts: a journal that is published without its trees names what nobody else has.

use std::collections::BTreeSet;

use anyhow::Result;
use ralph_core::event::Event;

use crate::{journal, truth::Snapshot};

/// What was read of a run's journal so far.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    run: String,
    read: usize,
    trees: Vec<String>,
    taken: BTreeSet<String>,
}

/// How many trees stay with the truth: the last attempt's, and what others went on from.
const TREES: usize = 4;

impl Reading {
    /// Begins behind a journal whose trees came with it.
    pub(crate) fn after(run: Option<&str>, journal: &[u8], trees: Vec<String>) -> Self {
        let run = run.unwrap_or_default().to_owned();
        Self { run, read: journal.len(), trees, taken: BTreeSet::new() }
    }

    /// Adds to a moment the trees that its journal names.
    pub(crate) fn complete(&mut self, moment: &mut Snapshot) -> Result<()> {
        if self.run != moment.run {
            self.run.clone_from(&moment.run);
            self.read = 0;
        }
        let fresh = moment.journal.get(self.read..).unwrap_or_default();
        for event in journal::events(fresh)? {
            if let Event::RequestTaken { request } = &event {
                self.taken.insert(request.id.clone());
            }
            if let Some(tree) = tree_of(&event) {
                self.trees.retain(|known| *known != tree);
                self.trees.push(tree);
            }
        }
        self.read = moment.journal.len();
        let beyond = self.trees.len().saturating_sub(TREES);
        self.trees.drain(..beyond);
        moment.trees.clone_from(&self.trees);
        Ok(())
    }

    /// Wishes that a completed moment keeps: those that wait, and those that were taken.
    pub(crate) fn wishes(&self, moment: &Snapshot) -> Vec<String> {
        moment.inbox.keys().chain(&self.taken).cloned().collect()
    }
}

/// A tree that an event names and that no ref may keep.
fn tree_of(event: &Event) -> Option<String> {
    let tree = match event {
        Event::TreeCaptured(captured) => captured.tree.as_ref(),
        Event::AttemptRejected(rejection) => rejection.work.as_ref(),
        Event::CallSetAside(aside) => aside.work.as_ref(),
        _ => None,
    };
    tree.map(|tree| tree.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(seq: u64, tree: &str) -> String {
        let event = serde_json::json!({
            "event": "tree_captured", "tree": tree, "head": "h", "changed": 1, "sample": [],
            "violations": [], "notes": []
        });
        let decision = serde_json::json!({
            "v": 1, "run": "r1", "lane": 0, "seq": seq, "at": "2026-01-01T00:00:00.000Z",
            "events": [event]
        });
        format!("{decision}\n")
    }

    #[test]
    fn a_moment_brings_every_tree_that_its_own_journal_names() -> Result<()> {
        let first = captured(0, "t0");
        let mut reading = Reading::after(Some("r1"), first.as_bytes(), vec!["carried".into()]);
        let mut moment = Snapshot { run: "r1".into(), ..Snapshot::default() };
        moment.journal = format!("{first}{}", captured(1, "t1")).into();
        reading.complete(&mut moment)?;
        assert_eq!(moment.trees, ["carried", "t1"]);
        for (seq, tree) in (2..).zip(["t2", "t1", "t3", "t4"]) {
            moment.journal.extend(captured(seq, tree).into_bytes());
        }
        reading.complete(&mut moment)?;
        assert_eq!(moment.trees, ["t2", "t1", "t3", "t4"]);
        Ok(())
    }

    #[test]
    fn another_run_is_read_from_its_beginning() -> Result<()> {
        let mut reading = Reading::after(Some("r0"), &[b'x'; 900], Vec::new());
        let journal = captured(0, "t1").into();
        let mut moment = Snapshot { run: "r1".into(), journal, ..Snapshot::default() };
        reading.complete(&mut moment)?;
        assert_eq!(moment.trees, ["t1"]);
        Ok(())
    }
}
