//! A stint that holds its branch: what it has, and what it can say of itself. How it goes on is its files' beside this one.

use std::{collections::BTreeSet, fs};

use ralph_core::run::RunState;

use super::{
    host::Host,
    line::Line,
    place::{self, Folder},
    publisher::Out,
    tail::counts,
    wishes,
};
use crate::{
    journal::fold,
    truth::{Claimed, Repository},
    wire::{StintEnd, StintInput, StintReport},
};

/// A stint that holds its branch.
pub(super) struct Stint<'a> {
    pub(super) host: &'a Host,
    pub(super) input: &'a StintInput,
    pub(super) line: &'a Line,
    pub(super) money: Option<u64>,
    pub(super) folder: Folder,
    pub(super) repository: Repository,
    pub(super) claimed: Claimed,
}

impl Stint<'_> {
    /// Ids of the wishes that need not be said again: the truth has them, and the run has not left them in its inbox. A
    /// loop that waits must not wait while one of them is still to be obeyed.
    pub(super) fn delivered(
        &self,
        out: &Out,
        taken: &BTreeSet<String>,
        has_got: impl Fn(&str) -> bool,
    ) -> Vec<String> {
        let given = self.input.wishes.iter().map(|wish| wish.id.clone());
        let named = given.filter_map(|id| Some((wishes::file_name(&id).ok()?, id)));
        let given = named.filter(|(file, _)| has_got(file));
        let is_left = |file: &String| out.ledger.inbox().contains(file) && !taken.contains(file);
        let all = self.line.came_and_kept().into_iter().chain(given);
        all.filter(|(file, _)| !is_left(file)).map(|(_, id)| id).collect()
    }

    pub(super) fn report(&self, end: StintEnd, truth: String) -> StintReport {
        let took_over = self.claimed.took_over;
        let kept = place::kept(self.folder.path());
        let idle = StintReport::idle(end, &self.host.name);
        StintReport { truth, took_over, kept, idle: false, ..idle }
    }

    /// A report of a run's own figures, as far as it was published.
    pub(super) fn report_of(
        &self,
        run: Option<&RunState>,
        end: StintEnd,
        truth: String,
    ) -> StintReport {
        let mut report = self.report(end, truth);
        if let Some(run) = run {
            (report.done, report.tasks) = counts(run);
            report.iterations = run.counters.iterations;
            report.cost_micro_usd = run.usage.cost.0;
        }
        report
    }

    /// The run as it was published last.
    pub(super) fn published(&self, out: &Out, run: Option<&str>) -> Option<RunState> {
        let journal = run.and_then(|run| {
            let bytes = out.ledger.journal_bytes(run)?;
            let path = self.folder.work().join(".git/ralph/runs").join(run).join("journal.jsonl");
            let mut journal = fs::read(path).ok()?;
            journal.truncate(usize::try_from(bytes).ok()?);
            Some(journal)
        });
        let before = &self.claimed.before.files.journal;
        fold(journal.as_ref().unwrap_or(before)).ok().flatten()
    }
}
