//! Changes of the user's that ralph kept and could not bring back when a run ended. Reads only.

use std::path::Path;

use ralph_core::ids::RunId;
use ralph_engine::{layout::Layout, runs};
use serde::Serialize;

/// What one run still keeps; part of what `--json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct KeptView {
    pub(crate) run: String,
    /// The ref.
    pub(crate) stash: String,
    /// What to type.
    pub(crate) apply: String,
}

impl KeptView {
    /// For a person.
    pub(crate) fn words(&self) -> String {
        let Self { run, stash, apply } = self;
        format!(
            "your changes from before run {run} could not be restored at its end and are kept: {apply}; \
             git update-ref -d {stash} once you have them"
        )
    }
}

/// What a run still keeps, as long as its refs are there.
pub(crate) fn of(folder: &Path, layout: &Layout, run: &RunId) -> Vec<KeptView> {
    let kept = runs::unreturned(folder, layout, run).into_iter();
    kept.map(|one| KeptView { run: run.0.clone(), stash: one.stash, apply: one.apply }).collect()
}
