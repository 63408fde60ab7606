//! The stints under way in this process, by loop. A loop has one folder here, so it has one stint here: a later claim
//! ends the earlier stint first.

use std::{
    collections::BTreeMap,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::line::Line;

/// Cheap to clone; all clones know the same stints.
#[derive(Debug, Clone, Default)]
pub(crate) struct Active(Arc<(Mutex<BTreeMap<String, Line>>, Condvar)>);

/// A stint's place among those under way; it leaves when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    active: Active,
    key: String,
}

impl Active {
    /// Takes the loop's place. Whoever has it has lost its branch and is told so; `None` if it does not leave in time.
    pub(crate) fn enter(&self, key: &str, line: &Line, patience: Duration) -> Option<Place> {
        let until = Instant::now() + patience;
        let mut stints = self.stints();
        while let Some(earlier) = stints.get(key) {
            earlier.fence();
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let waited = self.0.1.wait_timeout(stints, left);
            stints = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        stints.insert(key.to_owned(), line.clone());
        Some(Place { active: self.clone(), key: key.to_owned() })
    }

    /// The line to a loop's stint, if one is under way.
    pub(crate) fn line(&self, key: &str) -> Option<Line> {
        self.stints().get(key).cloned()
    }

    fn stints(&self) -> MutexGuard<'_, BTreeMap<String, Line>> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(line) = self.active.stints().remove(&self.key) {
            line.end();
        }
        self.active.0.1.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_claim_waits_until_the_earlier_stint_has_left() {
        let active = Active::default();
        let (first, second) = (Line::new("a"), Line::new("a"));
        let place = active.enter("loop", &first, Duration::ZERO);
        assert!(place.is_some() && !first.is_fenced());
        assert!(active.enter("loop", &second, Duration::ZERO).is_none());
        assert!(first.is_fenced());
        std::thread::scope(|scope| {
            let later = scope.spawn(|| active.enter("loop", &second, Duration::from_mins(1)));
            drop(place);
            assert!(later.join().is_ok_and(|place| place.is_some()));
        });
        assert!(active.enter("other", &first, Duration::ZERO).is_some());
    }
}
