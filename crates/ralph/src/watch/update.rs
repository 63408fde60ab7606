//! What an action changes of what is shown. What reaches beyond the screen is handed on as a deed.

use super::{
    asks,
    keys::Action,
    listing::{self, Filter},
    model::{Focus, Life, Model, Pane, Pick},
    prompt::{Deed, Prompt},
    stream::Item,
};
use crate::ask::{Editor, Key};

/// Rows that a page moves by.
const PAGE: isize = 20;
/// So many rows before the end of what was read, more is read.
const MARGIN: usize = 100;

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
                self.show_newest();
                self.list();
            }
            Action::Wrap => self.long_lines = self.long_lines.other(),
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
            self.unfold();
        }
        self.focus = Focus::Pane;
    }

    pub(super) fn step_by(&mut self, by: isize) {
        match (self.focus, self.pane) {
            (Focus::List, _) => self.choose_by(by),
            (Focus::Pane, Pane::Asks) => {
                if by.unsigned_abs() > 1 {
                    self.scroll = self.scroll.saturating_add_signed(by).min(self.most);
                    return;
                }
                let last = asks::all(self).len().saturating_sub(1);
                (self.ask, self.scroll) = (self.ask.saturating_add_signed(by).min(last), 0);
            }
            (Focus::Pane, Pane::Stream) => self.pick_by(by),
            (Focus::Pane, _) => {
                self.scroll = self.scroll.saturating_add_signed(by).min(self.most);
            }
        }
    }

    /// Moves in the stream. What is before or after the part that was read is read when its end comes near.
    fn pick_by(&mut self, by: isize) {
        let Some(last) = self.keys.len().checked_sub(1) else { return };
        let part = self.shown.part();
        let (is_cut, is_cut_below) = (part.is_cut, part.is_cut_below);
        if by == -isize::MAX && is_cut {
            (self.wanted, self.pick) = (Some(0), Some(Pick { key: (0, 0), row: 0 }));
            self.is_following = false;
            return;
        }
        let at = self.pick.map_or(last, |pick| self.row_of(pick));
        let to = at.saturating_add_signed(by).min(last);
        if by == isize::MAX || to == last && by > 0 && !is_cut_below {
            self.is_following |= by == isize::MAX && self.pinned.is_none();
            (self.pick, self.shown.past) = (None, None);
            return;
        }
        let row = self.pick.map_or(self.height.saturating_sub(1), |pick| pick.row);
        let row = (row + to).saturating_sub(at).min(self.height.saturating_sub(1));
        let Some(key) = self.keys.get(to).copied() else { return };
        // Whoever reads back stays where he is, also when the next task begins.
        (self.pick, self.is_following) = (Some(Pick { key, row }), false);
        if is_cut && to < MARGIN || is_cut_below && to + MARGIN > last {
            self.wanted = Some(key.0);
        }
    }

    /// The chosen row among those of the stream.
    pub(super) fn row_of(&self, pick: Pick) -> usize {
        self.keys.partition_point(|key| *key <= pick.key).saturating_sub(1)
    }

    /// Where the log has what the chosen call gave.
    pub(super) fn chosen_call(&self) -> Option<u64> {
        let tool = self.shown.part().tool(self.pick?.key.0)?;
        tool.end.as_ref().map(|end| end.at)
    }

    /// Shows a place of the log, which may be anywhere in it.
    pub(super) fn go_to(&mut self, place: u64) {
        (self.wanted, self.is_following) = (Some(place), false);
        self.pick = Some(Pick { key: (place, 0), row: self.height / 3 });
    }

    /// Shows the newest again.
    fn show_newest(&mut self) {
        (self.scroll, self.pinned, self.pick, self.shown.past) = (0, None, None, None);
    }

    /// Opens what several calls were folded into, or what the chosen call gave; or closes that again.
    fn unfold(&mut self) {
        let part = self.shown.part();
        let newest = || self.keys.iter().rev().map(|key| key.0).find(|at| part.tool(*at).is_some());
        let Some(place) = self.pick.map(|pick| pick.key.0).or_else(newest) else { return };
        let Some(first) = part.tool(place) else { return };
        let from = part.items.partition_point(|(at, _)| *at < place);
        let alike = part.items.iter().skip(from).map_while(|(at, item)| match item {
            Item::Tool(tool) if tool.name == first.name && self.shown.folds(*at, tool) => Some(*at),
            _ => None,
        });
        let alike: Vec<u64> = alike.collect();
        if alike.len() > 1 {
            self.shown.apart.extend(alike);
        } else if !self.shown.turned.remove(&place) {
            self.shown.turned.insert(place);
        }
    }

    fn choose_by(&mut self, by: isize) {
        let at = self.rows.iter().position(|row| *row == self.chosen).unwrap_or_default();
        let at = at.saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
        if let Some(row) = self.rows.get(at).copied() {
            self.choose_row(row);
        }
    }

    /// Chooses the task at a position of the plan.
    pub(super) fn choose_row(&mut self, row: usize) {
        if row != self.chosen {
            self.chosen = row;
            self.show_newest();
            self.is_following = false;
        }
    }

    fn try_by(&mut self, by: isize) {
        let steps = self.steps();
        let shown = self.step().map(|step| step.iteration);
        let at = steps.iter().position(|step| Some(step.iteration) == shown).unwrap_or_default();
        let to = at.saturating_add_signed(-by).min(steps.len().saturating_sub(1));
        let chosen = steps.get(to).map(|step| step.iteration);
        self.show_newest();
        (self.pinned, self.is_following) = (chosen, false);
    }

    /// Lists the tasks anew, after something was decided.
    pub(super) fn list(&mut self) {
        let Some(state) = self.timeline.state() else { return };
        let current = state.current.filter(|_| self.is_following && self.life == Life::Going);
        self.rows = listing::rows(state, self.filter, self.order);
        if let Some(current) = current.filter(|current| *current != self.chosen) {
            self.chosen = current;
            self.show_newest();
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
