//! One watched folder: its run, what is shown of it, and what feeds that.

use std::path::{Path, PathBuf};

use ralph_core::ids::RunId;
use ralph_engine::{clock, journal, layout::Layout, runs};

use super::{
    deeds,
    follow::Source,
    model::{Focus, Life, Model, Pane},
    paint::Brush,
    prompt::{Deed, Prompt},
    theme::Theme,
    watched::Watched,
};
use crate::{
    context::{Context, variable},
    diagnostics::CommandError,
    exit,
};

/// So many runs are offered.
const RUNS: usize = 100;

/// One watched folder.
pub(super) struct Tab {
    pub(super) model: Model,
    pub(super) source: Source,
    watched: Watched,
    /// A process worked on the run when that was asked last.
    was_going: bool,
}

impl Tab {
    pub(super) fn open(watched: Watched, context: &Context) -> Result<Self, CommandError> {
        let screen = context.stdout();
        let folder = watched.layout.views().parent().and_then(|root| root.file_name());
        let mut model = Model {
            project: folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            run: watched.run.clone(),
            zone: Some(screen.zone),
            brush: Brush { look: screen.look, theme: Theme::Plain },
            now: clock::now(),
            is_following: true,
            ..Model::default()
        };
        let source = Source::open(&watched, &mut model)?;
        // Whoever was called back finds at once what for.
        if model.asks() != (0, 0) {
            (model.pane, model.focus) = (Pane::Asks, Focus::Pane);
        }
        let was_going = model.life == Life::Going;
        let mut tab = Self { model, source, watched, was_going };
        tab.model.brush.theme = tab.theme();
        Ok(tab)
    }

    /// The colours to draw with.
    fn theme(&self) -> Theme {
        if !self.model.brush.look.colour {
            return Theme::Plain;
        }
        let choice = self.model.state().map(|state| state.start.settings.display.theme);
        Theme::known(choice.unwrap_or_default(), variable("COLORFGBG").as_deref())
    }

    /// The folder that agents write to.
    pub(super) fn folder(&self) -> &Path {
        self.watched.layout.views().parent().unwrap_or(&self.watched.folder)
    }

    /// Looks for news; tells whether there were any. What cannot be read is said and looked for again.
    pub(super) fn look(&mut self) -> bool {
        match self.source.poll(&mut self.model) {
            Ok(is_new) => is_new,
            Err(error) => {
                let note = Some(format!("! {error}"));
                std::mem::replace(&mut self.model.note, note.clone()) != note
            }
        }
    }

    /// Whether something waits for a person.
    pub(super) fn needs_you(&self) -> bool {
        self.model.asks() != (0, 0) || self.model.life == Life::Gone
    }

    /// Whether the run's process has gone without an end since this was asked last.
    pub(super) fn has_died(&mut self) -> bool {
        let is_going = self.model.life == Life::Going;
        std::mem::replace(&mut self.was_going, is_going) && self.model.life == Life::Gone
    }

    /// Where the run's files are.
    pub(super) fn layout(&self) -> &Layout {
        &self.watched.layout
    }

    /// The file that says whether somebody looks at the run.
    pub(super) fn attention(&self) -> PathBuf {
        self.watched.layout.attention(&self.watched.run)
    }

    /// Does what a person ordered.
    pub(super) fn perform(&mut self, deed: &Deed, context: &Context) {
        if let Deed::Watch { run } = deed {
            let watched = Watched { run: run.clone(), ..self.watched.clone() };
            match Self::open(watched, context) {
                Ok(other) => {
                    *self = other;
                }
                Err(error) => self.model.note = Some(format!("! {error}")),
            }
            return;
        }
        self.model.note = deeds::perform(deed, &self.watched);
    }

    /// This repository's runs to choose from, the newest first.
    pub(super) fn offer_runs(&mut self) {
        let layout = &self.watched.layout;
        let mut all = runs::worked(layout);
        all.reverse();
        let line = |run: RunId| {
            let known = journal::recover(&layout.journal(&run)).ok();
            let text = known.map_or_else(
                || "cannot be read".to_owned(),
                |known| {
                    let how = known.state.how_it_ended();
                    how.unwrap_or_else(|| "not ended".to_owned())
                },
            );
            (run, text)
        };
        let runs: Vec<(RunId, String)> = all.into_iter().take(RUNS).map(line).collect();
        let choice = runs.iter().position(|(run, _)| *run == self.watched.run).unwrap_or_default();
        self.model.prompt = Some(Prompt::Runs { runs, choice });
    }

    /// The exit code of the run, once it is over.
    pub(super) fn exit_code(&self) -> u8 {
        let state = self.model.state();
        let ended = state.and_then(|state| Some(state.start.exit_code(state.outcome()?)));
        ended.unwrap_or(exit::UNFINISHED)
    }
}
