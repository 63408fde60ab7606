//! Watches the lease while the server does not answer: as long as the remote says that it is this stint's, nobody else
//! works on the branch; if the remote is silent too, the agent must end before another may begin. While the server
//! answers it looks now and then too, and only a remote that says no ends the work. Every answer counts from its
//! question: what came in between nobody knows.

use std::time::{Duration, Instant};

use super::line::Touch;
use crate::{
    truth::{Mine, Repository},
    wire::Times,
};

/// Whether a stint may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    GoOn,
    NotMine,
    CutOff,
}

/// When somebody last said that the lease is this stint's.
#[derive(Debug)]
pub(crate) struct Watch {
    look: Duration,
    silence: Duration,
    /// The remote did.
    heard: Instant,
    /// Out of touch, it was looked at.
    looked: Option<Instant>,
    /// In touch, it looks this long after the last time.
    now_and_then: Duration,
    /// When the remote was last looked at, or took something.
    seen: Instant,
}

/// How long a stint that the server gave up looks at the remote, however long that was silent before.
const LAST_LOOK: Duration = Duration::from_secs(2);

impl Watch {
    /// The remote said it then.
    pub(crate) fn new(times: &Times, heard: Instant) -> Self {
        Self {
            look: Duration::from_millis(times.look_ms),
            silence: Duration::from_millis(times.silence_ms),
            heard,
            looked: None,
            now_and_then: times.look_in_touch(),
            seen: heard,
        }
    }

    /// Looks if it is time to.
    pub(crate) fn ask(
        &mut self,
        touch: Touch,
        published: Option<Instant>,
        remote: (&Repository, &Mine),
    ) -> Word {
        self.seen = self.seen.max(published.unwrap_or(self.seen));
        self.heard = self.heard.max(published.unwrap_or(self.heard));
        let heard = match touch {
            Touch::Kept => {
                self.looked = None;
                let is_time = self.seen.elapsed() >= self.now_and_then;
                return if is_time { self.ask_remote(self.look, remote) } else { Word::GoOn };
            }
            Touch::Lost(server) => self.heard.max(server),
            Touch::GivenUp => self.heard,
        };
        let mut left = self.silence.saturating_sub(heard.elapsed());
        if touch == Touch::GivenUp && self.looked.is_none() {
            left = left.max(LAST_LOOK.min(self.look));
        }
        if left.is_zero() {
            return Word::CutOff;
        }
        if self.looked.is_some_and(|looked| looked.elapsed() < self.look) {
            return Word::GoOn;
        }
        self.looked = Some(Instant::now());
        // A remote that answers nothing must not keep the stint past its time.
        self.ask_remote(self.look.min(left), remote)
    }

    fn ask_remote(&mut self, patience: Duration, (repository, mine): (&Repository, &Mine)) -> Word {
        self.seen = Instant::now();
        match repository.within(patience).remote_truth() {
            Ok(Some(commit)) if mine.has(&commit) => self.heard = self.seen,
            Ok(_) => return Word::NotMine,
            Err(_) => {}
        }
        Word::GoOn
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::truth::Program;

    /// A remote that never answers.
    fn nowhere(root: &Path) -> Repository {
        let url = root.join("nowhere").display().to_string();
        let dir = root.join("own.git");
        Repository::open(&Program::default(), &dir, (&url, "b"), "loop").unwrap()
    }

    fn ago(seconds: u64) -> Instant {
        Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap()
    }

    #[test]
    fn silence_counts_from_the_last_answer_and_not_from_when_it_was_noticed() {
        let root = tempfile::tempdir().unwrap();
        let (repository, mine) = (nowhere(root.path()), Mine::default());
        let times = Times { silence_ms: 20_000, look_ms: 60_000, ..Times::default() };
        let told = |touch: Touch, published: Option<Instant>| {
            Watch::new(&times, ago(30)).ask(touch, published, (&repository, &mine))
        };
        assert_eq!(told(Touch::Kept, None), Word::GoOn);
        assert_eq!(told(Touch::Lost(ago(25)), None), Word::CutOff);
        assert_eq!(told(Touch::Lost(ago(5)), None), Word::GoOn);
        assert_eq!(told(Touch::Lost(ago(25)), Some(ago(5))), Word::GoOn);
    }

    #[test]
    fn a_stint_that_was_given_up_looks_once_before_it_ends_its_agent() {
        let root = tempfile::tempdir().unwrap();
        let (repository, mine) = (nowhere(root.path()), Mine::default());
        let mut watch = Watch::new(&Times { silence_ms: 20_000, ..Times::default() }, ago(30));
        let mut ask = || watch.ask(Touch::GivenUp, None, (&repository, &mine));
        assert_eq!([ask(), ask()], [Word::GoOn, Word::CutOff]);
    }
}
