//! What the mouse does, once it is on: the wheel moves what is under it and nothing else, a click chooses.

use crossterm::event::MouseEventKind;

use super::{
    model::{Focus, Model, Pane, Pick},
    view::{self, Under},
};

/// Rows that a turn of the wheel moves by.
const TURN: isize = 3;

impl Model {
    /// The mouse did something at a column and a row.
    pub(super) fn point(&mut self, kind: MouseEventKind, at: (u16, u16), size: (u16, u16)) {
        let Some(under) = view::under(self, at, size) else { return };
        match kind {
            MouseEventKind::ScrollUp => self.turn(under, -TURN),
            MouseEventKind::ScrollDown => self.turn(under, TURN),
            MouseEventKind::Down(_) => self.choose_at(under),
            _ => {}
        }
    }

    fn turn(&mut self, under: Under, by: isize) {
        let before = self.focus;
        self.focus = under.focus();
        self.step_by(by);
        self.focus = before;
    }

    fn choose_at(&mut self, under: Under) {
        self.focus = under.focus();
        match under {
            Under::List { task: Some(task) } => self.choose_row(task),
            Under::Pane { line: Some(line), row } if self.pane == Pane::Stream => {
                if let Some(key) = self.keys.get(line).copied() {
                    (self.pick, self.is_following) = (Some(Pick { key, row }), false);
                }
            }
            Under::List { .. } | Under::Pane { .. } => {}
        }
    }
}

impl Under {
    fn focus(self) -> Focus {
        match self {
            Self::List { .. } => Focus::List,
            Self::Pane { .. } => Focus::Pane,
        }
    }
}
