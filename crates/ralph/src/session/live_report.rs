//! `report.live`: the page of a run, written again and again while it goes on. A page that cannot be written stops nothing.

use std::path::PathBuf;

use ralph_agents::live_event::{News, Reporter};
use ralph_core::{
    report::{Live, Report},
    time::{Millis, Timestamp},
    timeline::Timeline,
};
use ralph_engine::{run_reports, sink::RedactedFiles};

/// Writes the page.
pub(super) struct LiveReport {
    timeline: Timeline,
    every: Millis,
    files: RedactedFiles,
    page: PathBuf,
    written: Option<Timestamp>,
    /// Something was decided since.
    has_news: bool,
}

impl LiveReport {
    /// Writes this file every so often.
    pub(super) fn new(past: Timeline, every: Millis, files: RedactedFiles, page: PathBuf) -> Self {
        Self { timeline: past, every, files, page, written: None, has_news: true }
    }

    fn write(&mut self, now: Timestamp) {
        let Some(state) = self.timeline.state().filter(|state| !state.is_planning()) else {
            return;
        };
        let report = Report::of(state).in_time(self.timeline.history.clone());
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
