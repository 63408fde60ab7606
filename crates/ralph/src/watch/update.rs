//! What an action changes of what is shown. What reaches beyond the screen is handed on as a deed.

use super::{
    asks,
    keys::Action,
    listing::{self, Filter},
    model::{Focus, Life, Model, Pane},
    prompt::{Deed, Prompt},
};
use crate::ask::{Editor, Key};

/// Rows that a page moves by.
const PAGE: isize = 20;

impl Model {
    /// Does what was asked, as far as it only concerns the screen.
    pub(super) fn act(&mut self, action: Action) -> Option<Deed> {
        self.note = None;
        match action {
            Action::Leave => self.is_leaving = true,
            Action::Move(by) => self.step_by(by),
            Action::Page(by) => self.step_by(by * PAGE),
            Action::First => self.step_by(-isize::MAX),
            Action::Last => self.step_by(isize::MAX),
            Action::Open => self.open(),
            Action::Back => (self.focus, self.is_zoomed) = (Focus::List, false),
            Action::Switch => {
                self.focus = match self.focus {
                    Focus::List => Focus::Pane,
                    Focus::Pane => Focus::List,
                };
            }
            Action::Show(pane) => {
                (self.pane, self.scroll, self.focus) = (pane, 0, Focus::Pane);
            }
            Action::Try(by) => self.try_by(by),
            Action::Task(by) => self.choose_by(by),
            Action::Follow => {
                self.is_following = !self.is_following;
                (self.scroll, self.earlier) = (0, 0);
                self.list();
            }
            Action::Filter => self.filter_next(),
            Action::Order => {
                self.order = self.order.next();
                self.list();
            }
            Action::Zoom => (self.is_zoomed, self.focus) = (!self.is_zoomed, Focus::Pane),
            Action::Help => self.prompt = Some(Prompt::Help { top: 0 }),
            Action::Search => self.prompt = Some(Prompt::Search { editor: Editor::default() }),
            Action::Steer | Action::Pause | Action::Stop if self.life != Life::Going => {
                self.note = Some("! no process works on this run".into());
            }
            Action::Steer => self.prompt = Some(Prompt::steer(self.task())),
            Action::Stop => self.prompt = Some(Prompt::stop()),
            Action::Pause => return Some(Deed::Pause),
            // Those that need more than the screen.
            Action::Suspend
            | Action::Redraw
            | Action::Runs
            | Action::Found(_)
            | Action::Whole
            | Action::Copy
            | Action::Mouse
            | Action::Tab(_) => {}
        }
        None
    }

    /// A key while something is asked or typed.
    pub(super) fn answer(&mut self, key: &Key) -> Option<Deed> {
        let mut prompt = self.prompt.take()?;
        match key {
            Key::Escape => None,
            Key::Char('q' | '?') if matches!(prompt, Prompt::Help { .. } | Prompt::Runs { .. }) => {
                None
            }
            Key::Enter => {
                if let Prompt::Search { editor } = &prompt {
                    self.sought = editor.text();
                }
                prompt.deed()
            }
            key => {
                prompt.press(key);
                self.prompt = Some(prompt);
                None
            }
        }
    }

    fn open(&mut self) {
        if self.pane == Pane::Asks && self.focus == Focus::Pane {
            let mut all = asks::all(self);
            if !all.is_empty() {
                let at = self.ask.min(all.len() - 1);
                self.prompt = Some(all.swap_remove(at).prompt());
            }
        } else if self.pane == Pane::Stream && self.focus == Focus::Pane {
            self.shown.stream.unfold();
        }
        self.focus = Focus::Pane;
    }

    fn step_by(&mut self, by: isize) {
        match (self.focus, self.pane) {
            (Focus::List, _) => self.choose_by(by),
            (Focus::Pane, Pane::Asks) => {
                let last = asks::all(self).len().saturating_sub(1);
                self.ask = self.ask.saturating_add_signed(by).min(last);
            }
            (Focus::Pane, pane) => {
                let by = if pane == Pane::Stream { by.saturating_neg() } else { by };
                self.scroll = self.scroll.saturating_add_signed(by).min(self.most);
                // Whoever reads back stays where he is, also when the next task begins.
                self.is_following &= pane != Pane::Stream || self.scroll == 0;
            }
        }
    }

    fn choose_by(&mut self, by: isize) {
        let at = self.rows.iter().position(|row| *row == self.chosen).unwrap_or_default();
        let at = at.saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
        if let Some(row) = self.rows.get(at).filter(|row| **row != self.chosen) {
            (self.chosen, self.earlier, self.scroll) = (*row, 0, 0);
            self.is_following = false;
        }
    }

    fn try_by(&mut self, by: isize) {
        let last = self.steps().len().saturating_sub(1);
        self.earlier = self.earlier.saturating_add_signed(by).min(last);
        (self.scroll, self.is_following) = (0, false);
    }

    /// Lists the tasks anew, after something was decided.
    pub(super) fn list(&mut self) {
        let Some(state) = self.timeline.state() else { return };
        let current = state.current.filter(|_| self.is_following && self.life == Life::Going);
        self.rows = listing::rows(state, self.filter, self.order);
        if let Some(current) = current.filter(|current| *current != self.chosen) {
            (self.chosen, self.earlier, self.scroll) = (current, 0, 0);
        }
        if !self.rows.contains(&self.chosen) && !self.is_following {
            self.chosen = self.rows.first().copied().unwrap_or_default();
        }
    }

    fn filter_next(&mut self) {
        self.filter = self.filter.next();
        self.is_following &= self.filter == Filter::All;
        self.list();
    }
}
