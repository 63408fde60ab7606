//! Finds text in the lines of the shown pane.

use super::{
    model::{Model, Pane},
    view,
};
use crate::reporters::line::Look;

impl Model {
    /// How far the pane can be scrolled on a screen of this size.
    pub(super) fn measure(&mut self, size: (u16, u16)) {
        let (columns, rows) = view::pane_room(self, size);
        self.most = view::pane_lines(self, columns).len().saturating_sub(rows);
        self.scroll = self.scroll.min(self.most);
    }

    /// Scrolls to the next line with what is sought, or to the one before; says how many there are.
    pub(super) fn find(&mut self, by: isize, size: (u16, u16)) {
        if self.sought.trim().is_empty() {
            self.note = Some("/ searches the pane".into());
            return;
        }
        self.measure(size);
        let (columns, rows) = view::pane_room(self, size);
        let sought = self.sought.to_lowercase();
        let lines = view::pane_lines(self, columns);
        let has_it = |(_, text): &(usize, String)| text.to_lowercase().contains(&sought);
        let texts = lines.iter().map(|line| line.render(Look::default(), None)).enumerate();
        let found: Vec<usize> = texts.filter(has_it).map(|(at, _)| at).collect();
        if found.is_empty() {
            self.note = Some(format!("{} is not in this pane", self.sought));
            return;
        }
        let most = lines.len().saturating_sub(rows);
        let scroll = self.scroll.min(most);
        let top = if self.pane == Pane::Stream { most - scroll } else { scroll };
        let next = if by > 0 {
            found.iter().position(|at| *at > top).unwrap_or(0)
        } else {
            found.iter().rposition(|at| *at < top).unwrap_or(found.len() - 1)
        };
        let top = found.get(next).copied().unwrap_or_default().min(most);
        self.scroll = if self.pane == Pane::Stream { most - top } else { top };
        self.is_following = false;
        self.note = Some(format!("{}: {} of {}   n N", self.sought, next + 1, found.len()));
    }
}
