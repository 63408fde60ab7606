//! Finds text: in the lines of a pane, or in the stream's whole log.

use std::io;

use ralph_engine::follow::CallLog;

use super::{
    log_search::Search,
    model::{Model, Pane, Pick},
    view,
};
use crate::reporters::line::Look;

impl Model {
    /// How far the pane can be scrolled on a screen of this size.
    pub(super) fn measure(&mut self, size: (u16, u16)) {
        let (columns, rows) = view::pane_room(self, size);
        if self.pane != Pane::Stream {
            self.most = view::pane_lines(self, columns).len().saturating_sub(rows);
            self.scroll = self.scroll.min(self.most);
            return;
        }
        self.height = rows;
        self.keys = view::stream_rows(self, columns).into_iter().map(|(key, _)| key).collect();
        if let Some(pick) = self.pick {
            let at = self.row_of(pick);
            let top = view::top(at, pick.row, (self.keys.len(), rows));
            self.pick = Some(Pick { row: at - top, ..pick });
        }
    }

    /// Goes to the next place with what is sought, or to the one before; says how many there are.
    pub(super) fn find(&mut self, by: isize, size: (u16, u16)) {
        if self.sought.trim().is_empty() {
            self.note = Some("/ searches the pane".into());
            return;
        }
        self.measure(size);
        if self.pane != Pane::Stream {
            self.find_in_pane(by, size);
            return;
        }
        let sought = self.sought.to_lowercase();
        match self.search.as_mut().filter(|search| search.is_for(&sought)) {
            None => self.search = Some(Search::new(&sought)),
            Some(search) => {
                if let Some(place) = search.turn(by) {
                    self.go_to(place);
                }
            }
        }
        self.note = self.search.as_ref().map(Search::told);
    }

    /// Searches the next part of the log; goes to the first place once that is found.
    pub(super) fn search_on(&mut self, log: &CallLog) -> io::Result<()> {
        let Some(search) = self.search.as_mut().filter(|search| search.is_going()) else {
            return Ok(());
        };
        let first = search.step(log)?;
        self.note = Some(search.told());
        if let Some(first) = first {
            self.go_to(first);
        }
        Ok(())
    }

    fn find_in_pane(&mut self, by: isize, size: (u16, u16)) {
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
        let top = self.scroll.min(most);
        let next = if by > 0 {
            found.iter().position(|at| *at > top).unwrap_or(0)
        } else {
            found.iter().rposition(|at| *at < top).unwrap_or(found.len() - 1)
        };
        self.scroll = found.get(next).copied().unwrap_or_default().min(most);
        self.note = Some(format!("{}: {} of {}   n N", self.sought, next + 1, found.len()));
    }
}
