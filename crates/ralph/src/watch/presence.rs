//! Whether a person looks at the screen. While one does, terminal notices of the shown run are silent.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use crossterm::event::Event;
use ralph_engine::notify::Attention;

use super::model::Life;

/// How long a key shows that somebody is there, on a terminal that never says whether it has the focus.
const AFTER_KEY: Duration = Duration::from_mins(1);

/// Who is there.
pub(super) struct Presence {
    /// What the terminal said last.
    focus: Option<bool>,
    typed: Instant,
    held: Option<(PathBuf, Attention)>,
}

impl Presence {
    /// Whoever started the program typed its name.
    pub(super) fn new() -> Self {
        Self { focus: None, typed: Instant::now(), held: None }
    }

    pub(super) fn saw(&mut self, event: &Event) {
        match event {
            Event::FocusGained => self.focus = Some(true),
            Event::FocusLost => self.focus = Some(false),
            Event::Key(_) | Event::Paste(_) => self.typed = Instant::now(),
            Event::Mouse(_) | Event::Resize(..) => {}
        }
    }

    /// Says in this file of a run, and in no other, that somebody looks; or nowhere, if nobody does. Begins only while the
    /// run has something to say, and then holds until its last word. A file that cannot be written costs a notice too many.
    pub(super) fn attend(&mut self, file: PathBuf, life: Life) {
        let is_there = self.focus.unwrap_or_else(|| self.typed.elapsed() < AFTER_KEY);
        let is_held = self.held.as_ref().is_some_and(|(held, _)| *held == file);
        if !is_there {
            self.held = None;
        } else if !is_held {
            let begun = (life == Life::Going).then(|| Attention::begin(&file).ok()).flatten();
            self.held = begun.map(|attention| (file, attention));
        }
    }
}
