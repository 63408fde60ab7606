//! What a person wants to see.

use ralph_core::settings::Display;

use crate::reporters::screen::Screen;

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Progress {
    /// A bar on a terminal, counter lines otherwise.
    #[default]
    Auto,
    /// A live status line with a bar.
    Bar,
    /// A line with the count after each task.
    Counter,
    /// Neither.
    None,
    /// Only the bar or the counter, and how the run ends.
    Only,
}

/// What a person wants to see.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    pub(crate) display: Display,
    pub(crate) progress: Progress,
    pub(crate) verbose: bool,
    /// `w` opens the watcher.
    pub(crate) has_keys: bool,
}

impl Options {
    /// The status line is drawn.
    pub(crate) fn has_bar(&self, screen: &Screen) -> bool {
        screen.live && matches!(self.progress, Progress::Auto | Progress::Bar | Progress::Only)
    }

    /// A counter line follows each task.
    pub(crate) fn has_counter(&self, screen: &Screen) -> bool {
        match self.progress {
            Progress::Counter => true,
            Progress::Auto | Progress::Only => !screen.live,
            Progress::Bar | Progress::None => false,
        }
    }

    /// What happens inside an iteration is shown.
    pub(crate) fn has_details(&self) -> bool {
        self.progress != Progress::Only
    }
}
