//! What must be decided while an agent streams: silence, announced waits, time limits, money, a login that
//! does not work, a process that outlives its turn. Pure: the engine supplies events and the time.

use std::collections::BTreeSet;

use super::{event::AgentEvent, exit::EndedBy};
use crate::{
    effect::AgentCall,
    time::{Millis, Timestamp},
    usage::MicroUsd,
};

/// How long a process may stay after its turn is over.
const GRACE: Millis = Millis::secs(8);
/// The word for a refused login in [`AgentEvent::Retry`], whatever the agent calls it.
pub(super) const AUTHENTICATION_FAILED: &str = "authentication_failed";
/// Most open tool calls that are told apart; beyond it the oldest id is forgotten.
const MAX_OPEN: usize = 1024;

/// The limits of one call; a length of zero is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchLimits {
    pub soft: Millis,
    pub hard: Millis,
    pub idle: Millis,
    pub budget: Option<MicroUsd>,
}

impl From<&AgentCall> for WatchLimits {
    fn from(call: &AgentCall) -> Self {
        Self {
            soft: call.soft_timeout,
            hard: call.hard_timeout,
            idle: call.idle_timeout,
            budget: call.budget,
        }
    }
}

/// What the passing of time leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Alarm {
    /// The soft limit is reached; told once.
    SoftWarning,
    /// End the process.
    End(EndedBy),
}

/// One call under watch.
#[derive(Debug, Clone)]
pub struct Watch {
    limits: WatchLimits,
    started: Timestamp,
    /// Silence counts from here: the last byte, or the end of an announced wait.
    quiet_since: Timestamp,
    open_tools: BTreeSet<String>,
    warned: bool,
    over_budget: bool,
    turn_over: Option<Timestamp>,
}

impl Watch {
    /// Begins to watch a process started at `start`.
    pub fn new(limits: WatchLimits, start: Timestamp) -> Self {
        Self {
            limits,
            started: start,
            quiet_since: start,
            open_tools: BTreeSet::new(),
            warned: false,
            over_budget: false,
            turn_over: None,
        }
    }

    /// Something was printed, readable or not, on either stream.
    pub fn on_bytes(&mut self, now: Timestamp) {
        self.quiet_since = self.quiet_since.max(now);
    }

    /// Takes notice of an event; may demand the end at once.
    #[must_use]
    pub fn on_event(&mut self, event: &AgentEvent, now: Timestamp) -> Option<EndedBy> {
        self.on_bytes(now);
        match event {
            AgentEvent::ToolStart { id, .. } => {
                if self.open_tools.len() >= MAX_OPEN {
                    self.open_tools.pop_first();
                }
                self.open_tools.insert(id.clone());
            }
            AgentEvent::ToolEnd { id, .. } => {
                self.open_tools.remove(id);
            }
            AgentEvent::Retry { error, .. } if error == AUTHENTICATION_FAILED => {
                return Some(EndedBy::AuthFailed);
            }
            AgentEvent::Retry { delay_ms, .. } => {
                self.quiet_since = self.quiet_since.max(now.plus(Millis(*delay_ms)));
            }
            AgentEvent::Result { usage, .. } => {
                self.turn_over = Some(now);
                self.open_tools.clear();
                self.over_budget = self.limits.budget.is_some_and(|budget| usage.cost > budget);
                return None;
            }
            AgentEvent::Text { .. } | AgentEvent::Thinking { .. } => {}
            AgentEvent::Session { .. }
            | AgentEvent::Todo { .. }
            | AgentEvent::Progress { .. }
            | AgentEvent::RateLimit { .. } => return None,
        }
        // Work after a result is another turn: the process is not lingering, and it spends again.
        self.turn_over.take().filter(|_| self.over_budget).map(|_| EndedBy::Budget)
    }

    /// When [`Watch::on_time`] should be asked next; `None` if time alone can change nothing.
    pub fn deadline(&self) -> Option<Timestamp> {
        let soft = self.limit(self.limits.soft).filter(|_| !self.warned);
        [soft, self.limit(self.limits.hard), self.idle_end(), self.grace_end()]
            .into_iter()
            .flatten()
            .min()
    }

    /// What the time demands.
    pub fn on_time(&mut self, now: Timestamp) -> Option<Alarm> {
        let reached = |limit: Option<Timestamp>| limit.is_some_and(|limit| now >= limit);
        let is_late = reached(self.limit(self.limits.hard));
        if self.turn_over.is_some() && (is_late || reached(self.grace_end())) {
            return Some(Alarm::End(EndedBy::LogicalEnd));
        }
        if is_late {
            return Some(Alarm::End(EndedBy::TimedOut));
        }
        if reached(self.idle_end()) {
            return Some(Alarm::End(EndedBy::Stalled));
        }
        if !self.warned && reached(self.limit(self.limits.soft)) {
            self.warned = true;
            return Some(Alarm::SoftWarning);
        }
        None
    }

    fn limit(&self, length: Millis) -> Option<Timestamp> {
        (!length.is_zero()).then(|| self.started.plus(length))
    }

    fn idle_end(&self) -> Option<Timestamp> {
        let counts =
            !self.limits.idle.is_zero() && self.open_tools.is_empty() && self.turn_over.is_none();
        counts.then(|| self.quiet_since.plus(self.limits.idle))
    }

    fn grace_end(&self) -> Option<Timestamp> {
        self.turn_over.map(|over| over.plus(GRACE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::Usage;

    const LIMITS: WatchLimits = WatchLimits {
        soft: Millis::secs(100),
        hard: Millis::secs(300),
        idle: Millis::secs(60),
        budget: Some(MicroUsd(1_000)),
    };

    fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * 1000)
    }

    fn watch() -> Watch {
        Watch::new(LIMITS, at(0))
    }

    fn start(id: &str) -> AgentEvent {
        AgentEvent::ToolStart { id: id.into(), name: "Bash".into(), input: String::new() }
    }

    fn end(id: &str) -> AgentEvent {
        AgentEvent::ToolEnd {
            id: id.into(),
            output: String::new(),
            lines: 0,
            chars: 0,
            is_error: false,
        }
    }

    fn retry(delay_ms: u64, error: &str) -> AgentEvent {
        AgentEvent::Retry { attempt: 1, of: 10, delay_ms, error: error.into() }
    }

    fn result(cost: u64) -> AgentEvent {
        let usage = Usage { cost: MicroUsd(cost), ..Usage::default() };
        AgentEvent::Result { is_error: false, text: String::new(), usage, turns: 1 }
    }

    fn text() -> AgentEvent {
        AgentEvent::Text { text: "hi".into() }
    }

    #[test]
    fn silence_without_an_open_tool_call_stalls() {
        let mut watch = watch();
        watch.on_bytes(at(10));
        assert_eq!(watch.deadline(), Some(at(70)));
        assert_eq!(watch.on_time(at(69)), None);
        assert_eq!(watch.on_time(at(70)), Some(Alarm::End(EndedBy::Stalled)));
    }

    #[test]
    fn silence_inside_a_tool_call_is_work() {
        let mut watch = watch();
        assert_eq!(watch.on_event(&start("a"), at(1)), None);
        assert_eq!(watch.on_event(&start("b"), at(1)), None);
        assert_eq!(watch.on_event(&end("a"), at(2)), None);
        assert_eq!(watch.deadline(), Some(at(100)));
        assert_eq!(watch.on_time(at(99)), None);
        assert_eq!(watch.on_event(&end("b"), at(99)), None);
        assert_eq!(watch.on_time(at(100)), Some(Alarm::SoftWarning));
        assert_eq!(watch.on_time(at(159)), Some(Alarm::End(EndedBy::Stalled)));
    }

    #[test]
    fn an_announced_wait_is_not_silence() {
        let mut watch = watch();
        assert_eq!(watch.on_event(&retry(50_000, "overloaded"), at(10)), None);
        watch.on_bytes(at(11));
        assert_eq!(watch.on_time(at(99)), None);
        assert_eq!(watch.on_time(at(119)), Some(Alarm::SoftWarning));
        assert_eq!(watch.on_time(at(120)), Some(Alarm::End(EndedBy::Stalled)));
    }

    #[test]
    fn the_soft_limit_warns_once_and_the_hard_limit_ends() {
        let mut watch = watch();
        for second in 0..300 {
            watch.on_bytes(at(second));
            let expected = (second == 100).then_some(Alarm::SoftWarning);
            assert_eq!(watch.on_time(at(second)), expected, "{second}");
        }
        assert_eq!(watch.deadline(), Some(at(300)));
        assert_eq!(watch.on_time(at(300)), Some(Alarm::End(EndedBy::TimedOut)));
    }

    #[test]
    fn a_refused_login_ends_at_the_first_retry() {
        assert_eq!(
            watch().on_event(&retry(500, "authentication_failed"), at(1)),
            Some(EndedBy::AuthFailed)
        );
    }

    #[test]
    fn a_rejected_allowance_may_end_by_itself() {
        let event =
            AgentEvent::RateLimit { status: "rejected".into(), resets_at: None, utilization: None };
        assert_eq!(watch().on_event(&event, at(1)), None);
    }

    #[test]
    fn a_process_that_outlives_its_turn_is_ended_as_finished() {
        let mut lingering = watch();
        assert_eq!(lingering.on_event(&result(0), at(10)), None);
        assert_eq!(lingering.deadline(), Some(at(18)));
        assert_eq!(lingering.on_time(at(17)), None);
        assert_eq!(lingering.on_time(at(18)), Some(Alarm::End(EndedBy::LogicalEnd)));
        let mut late = watch();
        assert_eq!(late.on_event(&result(0), at(299)), None);
        assert_eq!(late.on_time(at(300)), Some(Alarm::End(EndedBy::LogicalEnd)));
    }

    #[test]
    fn work_after_a_result_is_another_turn() {
        let mut watch = watch();
        assert_eq!(watch.on_event(&result(0), at(10)), None);
        assert_eq!(watch.on_event(&text(), at(12)), None);
        assert_eq!(watch.deadline(), Some(at(72)));
    }

    #[test]
    fn a_finished_turn_over_budget_stands_but_another_one_is_ended() {
        let mut watch = watch();
        assert_eq!(watch.on_event(&result(2_000), at(10)), None);
        assert_eq!(watch.on_event(&text(), at(12)), Some(EndedBy::Budget));
    }

    #[test]
    fn limits_of_zero_are_no_limits() {
        let none = WatchLimits { soft: Millis(0), hard: Millis(0), idle: Millis(0), budget: None };
        let mut watch = Watch::new(none, at(0));
        assert_eq!(watch.deadline(), None);
        assert_eq!(watch.on_time(at(1_000_000)), None);
    }

    #[test]
    fn a_stream_that_never_closes_its_tools_stays_small() {
        let mut watch = watch();
        for id in 0..10_000 {
            assert_eq!(watch.on_event(&start(&id.to_string()), at(1)), None);
        }
        assert!(watch.open_tools.len() <= MAX_OPEN);
    }
}
