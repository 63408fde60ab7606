//! When a channel says something: quiet hours, joining, the hourly limit, digest and heartbeat.
//!
//! Nothing is lost: what may not be sent now is joined, or part of the digest.

use std::collections::{BTreeSet, VecDeque};

use super::Notice;
use crate::{
    settings::{NotifyChannel, NotifySettings, Occasion, TimeOfDay},
    time::{Millis, Timestamp},
};

const HOUR: Millis = Millis::secs(3600);
const DAY: Millis = Millis::secs(24 * 3600);
/// Most notices that wait for one message; of more, only the number is kept.
const MOST: usize = 100;

/// A point in time, and which time of day that is where the user lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moment {
    pub at: Timestamp,
    pub of_day: TimeOfDay,
}

/// A message that is to be sent now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// What it is, or the gravest of what it joins.
    pub occasion: Occasion,
    /// What it says, oldest first; none for a heartbeat.
    pub notices: Vec<Notice>,
    /// How many more there were.
    pub left_out: usize,
    /// It must not wake anybody.
    pub is_quiet: bool,
}

/// What waits to be said together.
#[derive(Debug, Default)]
struct Waiting {
    notices: Vec<Notice>,
    left_out: usize,
}

impl Waiting {
    fn add(&mut self, notice: Notice) {
        if self.notices.len() < MOST {
            self.notices.push(notice);
        } else {
            self.left_out += 1;
        }
    }

    /// The end of a run is said last, and says more than what came before it.
    fn taken(&mut self) -> Option<Due> {
        let Self { notices, left_out } = std::mem::take(self);
        let rank = |notice: &&Notice| (notice.occasion.is_urgent(), notice.at);
        let occasion = notices.iter().max_by_key(rank)?.occasion;
        Some(Due { occasion, notices, left_out, is_quiet: false })
    }
}

/// What one channel says when.
#[derive(Debug)]
pub struct Schedule {
    on: BTreeSet<Occasion>,
    quiet: Option<(TimeOfDay, TimeOfDay)>,
    digest: Option<TimeOfDay>,
    /// A digest is sent even if nothing was held back.
    is_daily: bool,
    heartbeat: Millis,
    min_gap: Millis,
    max_per_hour: usize,
    pending: Waiting,
    held: Waiting,
    /// When messages were sent in the last hour.
    sent: VecDeque<Timestamp>,
    last: Moment,
    last_beat: Timestamp,
}

impl Schedule {
    /// What a channel says, from now on.
    pub fn new(settings: &NotifySettings, channel: &NotifyChannel, now: Moment) -> Self {
        let quiet = settings.quiet_hours();
        let daily = TimeOfDay::parse(&settings.digest);
        let by_clock = [Occasion::Digest, Occasion::Heartbeat];
        let on = if channel.on.is_empty() {
            settings.on.iter().copied().chain(by_clock).collect()
        } else {
            channel.on.iter().copied().collect()
        };
        Self {
            on,
            quiet,
            digest: daily.or(quiet.map(|(_, end)| end)),
            is_daily: daily.is_some(),
            heartbeat: settings.heartbeat.0,
            min_gap: settings.min_gap.0,
            max_per_hour: usize::try_from(settings.max_per_hour).unwrap_or(usize::MAX),
            pending: Waiting::default(),
            held: Waiting::default(),
            sent: VecDeque::new(),
            last: now,
            last_beat: now.at,
        }
    }

    /// Takes a notice; [`Schedule::due`] says when it is sent.
    pub fn offer(&mut self, notice: Notice, now: Moment) {
        if !self.on.contains(&notice.occasion) {
            return;
        }
        if self.is_quiet(now.of_day) && !notice.occasion.is_urgent() {
            self.held.add(notice);
        } else {
            self.pending.add(notice);
        }
    }

    /// What is to be sent now.
    pub fn due(&mut self, now: Moment) -> Vec<Due> {
        let mut due: Vec<Due> = self.beat(now).into_iter().chain(self.summed_up(now)).collect();
        self.last = now;
        if self.is_quiet(now.of_day) {
            let waiting = std::mem::take(&mut self.pending);
            self.pending.left_out = waiting.left_out;
            for notice in waiting.notices {
                let urgent = notice.occasion.is_urgent();
                if urgent { self.pending.add(notice) } else { self.held.add(notice) }
            }
        }
        if self.may_send(now.at)
            && let Some(message) = self.pending.taken()
        {
            self.sent.push_back(now.at);
            due.push(message);
        }
        due
    }

    /// Everything that still waits: the run is over, and nobody would send it later.
    pub fn finish(&mut self, now: Moment) -> Vec<Due> {
        let is_quiet = self.is_quiet(now.of_day);
        let pending = self.pending.taken();
        let held = self.held.taken().map(|due| Due { occasion: Occasion::Digest, is_quiet, ..due });
        pending.into_iter().chain(held).collect()
    }

    /// A sign of life is never held back: that it stops is the message.
    fn beat(&mut self, now: Moment) -> Option<Due> {
        let is_wanted = !self.heartbeat.is_zero() && self.on.contains(&Occasion::Heartbeat);
        if !is_wanted || now.at.since(self.last_beat) < self.heartbeat {
            return None;
        }
        self.last_beat = now.at;
        let occasion = Occasion::Heartbeat;
        Some(Due { occasion, notices: Vec::new(), left_out: 0, is_quiet: true })
    }

    fn summed_up(&mut self, now: Moment) -> Option<Due> {
        let at = self.digest.filter(|_| self.on.contains(&Occasion::Digest))?;
        if !passed(self.last, now, at) {
            return None;
        }
        let none =
            Due { occasion: Occasion::Digest, notices: Vec::new(), left_out: 0, is_quiet: false };
        let held = self.held.taken().or(self.is_daily.then_some(none))?;
        let is_quiet = self.is_quiet(now.of_day);
        Some(Due { occasion: Occasion::Digest, is_quiet, ..held })
    }

    fn may_send(&mut self, now: Timestamp) -> bool {
        while self.sent.front().is_some_and(|sent| now.since(*sent) >= HOUR) {
            self.sent.pop_front();
        }
        let is_apart = self.sent.back().is_none_or(|sent| now.since(*sent) >= self.min_gap);
        is_apart && (self.max_per_hour == 0 || self.sent.len() < self.max_per_hour)
    }

    fn is_quiet(&self, now: TimeOfDay) -> bool {
        self.quiet.is_some_and(|(from, to)| {
            if from <= to { (from..to).contains(&now) } else { now >= from || now < to }
        })
    }
}

/// Whether a time of day passed between two moments.
fn passed(last: Moment, now: Moment, at: TimeOfDay) -> bool {
    if now.at.since(last.at) >= DAY {
        return true;
    }
    // A clock that was put back has not passed anything.
    if now.at <= last.at || now.of_day == last.of_day {
        return false;
    }
    if last.of_day < now.of_day {
        last.of_day < at && at <= now.of_day
    } else {
        at > last.of_day || at <= now.of_day
    }
}
