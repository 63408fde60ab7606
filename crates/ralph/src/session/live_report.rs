//! `report.live`: the page of a run, written again and again while it goes on. A page that cannot be written stops nothing.

use std::path::PathBuf;

use ralph_agents::live_event::{News, Reporter};
use ralph_core::{
    report::Live,
    time::{Millis, Timestamp},
    timeline::Timeline,
};
use ralph_engine::{git::Repository, run_reports, sink::RedactedFiles};

/// Writes the page.
pub(super) struct LiveReport {
    timeline: Timeline,
    every: Millis,
    files: RedactedFiles,
    page: PathBuf,
    repository: Repository,
    written: Option<Timestamp>,
    /// Something was decided since.
    has_news: bool,
}

impl LiveReport {
    /// Writes this file every so often.
    pub(super) fn new(
        past: Timeline,
        every: Millis,
        (files, page): (RedactedFiles, PathBuf),
        repository: Repository,
    ) -> Self {
        Self { timeline: past, every, files, page, repository, written: None, has_news: true }
    }

    fn write(&mut self, now: Timestamp) {
        let Some(state) = self.timeline.state().filter(|state| !state.is_planning()) else {
            return;
        };
        let history = self.timeline.history.clone();
        let report = run_reports::whole(state, history, Some(&self.repository));
        let text = run_reports::page(&report, Some(Live { as_of: now, every: self.every }));
        let _ = self.files.replace(&self.page, text.as_bytes());
        (self.written, self.has_news) = (Some(now), false);
    }
}

impl Reporter for LiveReport {
    fn news(&mut self, news: &News) -> std::io::Result<()> {
        if let News::Decided(decision) = news {
            self.timeline.apply(decision);
            self.has_news = true;
        }
        Ok(())
    }

    fn tick(&mut self, now: Timestamp) -> std::io::Result<()> {
        if self.written.is_none_or(|written| now.since(written) >= self.every) {
            self.write(now);
        }
        Ok(())
    }

    /// The run has written its own page by now; if a tick came after that, this one is as new.
    fn finish(&mut self) -> std::io::Result<()> {
        if self.has_news {
            self.write(self.timeline.last());
        }
        Ok(())
    }
}
