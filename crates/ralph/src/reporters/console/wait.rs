//! A wait as people see it: what for, until when, what it costs. One line at its start, or one that counts down.

use jiff::tz::TimeZone;
use ralph_core::{
    agent_facts::short_name,
    event::{Decision, Event},
    run::Rest,
    time::{Millis, Timestamp},
    timeline::Timeline,
};

use crate::reporters::{
    block::{Entry, dots},
    cells::Cell,
    clock,
    line::{Line, Sign, Tone},
};

/// How a usage limit is told.
const LIMIT: &str = "usage limit reached: ";

/// Where nothing can be redrawn, a wait is mentioned again this often.
const REMINDER: Millis = Millis::secs(600);
/// A wait of this length is worth a line when it is over.
const LONG: Millis = Millis::secs(60);

/// A wait under way.
#[derive(Debug, Clone)]
pub(crate) struct Wait {
    began: Timestamp,
    until: Timestamp,
    /// When the usage limit ends, as the agent told it.
    resets_at: Option<Timestamp>,
    what: String,
    /// More of the agent's own words.
    detail: String,
    is_uncharged: bool,
    reminded: Timestamp,
}

impl Wait {
    /// A wait for an agent that rests, for another try of the last call, or for what `why` says.
    pub(crate) fn new(
        (until, why): (Timestamp, &str),
        decision: &Decision,
        timeline: &Timeline,
    ) -> Self {
        let is_retry = decision.events.iter().any(|event| matches!(event, Event::CallSetAside(_)));
        let mut resting = timeline.state().into_iter().flat_map(|state| &state.resting);
        let rest = resting.find(|(_, rest)| rest.until == Some(until));
        let (what, detail, resets_at) = match rest {
            Some((agent, Rest { why, .. })) => {
                let agent = short_name(agent);
                match why.strip_prefix(LIMIT) {
                    Some(detail) => {
                        (format!("usage limit of {agent} reached"), detail.to_owned(), Some(until))
                    }
                    None => (format!("{agent}: {why}"), String::new(), None),
                }
            }
            None if is_retry => {
                let agent =
                    timeline.current.as_ref().map_or("agent", |now| now.start.agent.as_str());
                (format!("{}: {why}", short_name(agent)), String::new(), None)
            }
            None => (why.to_owned(), String::new(), None),
        };
        Self {
            began: decision.at,
            until,
            resets_at,
            what,
            detail,
            is_uncharged: is_retry || rest.is_some(),
            reminded: decision.at,
        }
    }

    /// The line at its start.
    pub(crate) fn begun(&self, zone: &TimeZone) -> Entry {
        let mut parts = vec![
            self.told(),
            format!("{}, in {}", self.end(self.began, zone), self.until.since(self.began)),
        ];
        if self.is_uncharged {
            parts.push("this iteration is not charged".into());
        }
        Entry::signed(Sign::Waiting, dots(&parts))
    }

    /// A reminder that it is not over, once in a while.
    pub(crate) fn reminder(&mut self, now: Timestamp) -> Option<Entry> {
        if now.since(self.reminded) < REMINDER || self.until.0 <= now.0 {
            return None;
        }
        self.reminded = now;
        let text = dots(&[self.what.clone(), format!("{} left", self.until.since(now))]);
        Some(Entry::signed(Sign::Waiting, text))
    }

    /// What stays on a screen whose line counted down.
    pub(crate) fn over(&self, now: Timestamp) -> Option<Entry> {
        let took = now.since(self.began);
        (took >= LONG).then(|| {
            let text = format!("waited {took}: {}", self.told());
            Entry::Wrapped { lead: Line::signed(Sign::Waiting), indent: 4, tone: Tone::Dim, text }
        })
    }

    /// The parts of the line that counts down.
    pub(crate) fn cells(&self, now: Timestamp, zone: &TimeZone) -> Vec<Cell> {
        let left = clock::running(self.until.since(now));
        let what = Line::signed(Sign::Waiting).add(Tone::Warn, &self.what);
        let mut cells = vec![
            Cell::kept(what),
            Cell::ranked(2, Line::new().dim(" · ").plain(self.end(now, zone))),
            Cell::kept(Line::new().dim(" · ").add(Tone::Bold, format!("in {left}"))),
        ];
        if self.is_uncharged {
            let uncharged = Line::new().dim(" · this iteration is not charged");
            cells.push(Cell::ranked(3, uncharged));
        }
        cells
    }

    fn told(&self) -> String {
        match self.detail.as_str() {
            "" => self.what.clone(),
            detail => format!("{}: {detail}", self.what),
        }
    }

    /// `resets 23:59 UTC`, or when ralph continues.
    fn end(&self, now: Timestamp, zone: &TimeZone) -> String {
        match self.resets_at.filter(|reset| *reset <= self.until) {
            Some(reset) => format!("resets {}", clock::soon(reset, now, zone)),
            None => format!("continues at {}", clock::soon(self.until, now, zone)),
        }
    }
}
