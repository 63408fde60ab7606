//! What must be decided while an agent streams: silence, announced waits, time limits, money, a login that
//! does not work, a process that outlives its turn. Pure: the engine supplies events and the time.

use std::collections::BTreeSet;

use ralph_core::{
    effect::AgentCall,
    time::{Millis, Timestamp},
    usage::{MicroUsd, Prices, Usage},
};

use super::{event::AgentEvent, exit::EndedBy, reset};

/// How long a process may stay after its turn is over.
const GRACE: Millis = Millis::secs(8);
/// The word for a refused login in [`AgentEvent::Retry`], whatever the agent calls it.
pub(super) const AUTHENTICATION_FAILED: &str = "authentication_failed";
/// The word for an allowance that is used up in [`AgentEvent::Retry`].
pub(super) const RATE_LIMIT: &str = "rate_limit";
/// The word for a conversation that is too long in [`AgentEvent::Retry`].
pub(super) const CONTEXT_FULL: &str = "context_full";
/// An announced wait longer than this is spent outside the agent, where it holds nothing and survives a crash.
const LONG_WAIT: Millis = Millis::secs(120);
/// Most open tool calls that are told apart; beyond it the oldest id is forgotten.
const MAX_OPEN: usize = 1024;

/// The limits of one call; a length of zero is no limit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WatchLimits {
    pub soft: Millis,
    pub hard: Millis,
    pub idle: Millis,
    pub budget: Option<MicroUsd>,
    pub tokens: Option<u64>,
    /// For agents that tell only tokens.
    pub prices: Prices,
}

impl WatchLimits {
    fn allow(&self, model: &str, usage: Usage) -> bool {
        let cost = self.prices.complete(model, usage).cost;
        self.budget.is_none_or(|most| cost <= most)
            && self.tokens.is_none_or(|most| usage.tokens() <= most)
    }
}

impl From<&AgentCall> for WatchLimits {
    fn from(call: &AgentCall) -> Self {
        Self {
            soft: call.soft_timeout,
            hard: call.hard_timeout,
            idle: call.idle_timeout,
            budget: call.budget,
            tokens: call.tokens,
            prices: call.prices.clone(),
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
    /// It said that it tries again, not how long that takes, and nothing came since.
    retrying: bool,
    /// How often its context was full since it used a tool.
    overflows: u32,
    model: String,
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
            retrying: false,
            overflows: 0,
            model: String::new(),
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
        // A remark between two attempts is not the answer that is waited for.
        if !matches!(event, AgentEvent::Progress { .. }) {
            self.retrying = matches!(event, AgentEvent::Retry { delay_ms: None, .. });
        }
        match event {
            AgentEvent::ToolStart { id, .. } => {
                self.overflows = 0;
                if self.open_tools.len() >= MAX_OPEN {
                    self.open_tools.pop_first();
                }
                self.open_tools.insert(id.clone());
            }
            AgentEvent::ToolEnd { id, .. } => {
                self.open_tools.remove(id);
            }
            AgentEvent::Retry { error, delay_ms, .. } => {
                if let Some(why) = self.retry(error, *delay_ms, now) {
                    return Some(why);
                }
            }
            AgentEvent::Result { usage, .. } => {
                self.turn_over = Some(now);
                self.open_tools.clear();
                self.over_budget = !self.limits.allow(&self.model, *usage);
                return None;
            }
            AgentEvent::Spent { usage } => {
                let is_over = !self.limits.allow(&self.model, *usage);
                return is_over.then_some(EndedBy::Budget);
            }
            AgentEvent::Session { model, .. } => {
                self.model.clone_from(model);
                return None;
            }
            AgentEvent::Text { .. } | AgentEvent::Thinking { .. } | AgentEvent::Denied { .. } => {}
            AgentEvent::Todo { .. }
            | AgentEvent::Progress { .. }
            | AgentEvent::RateLimit { .. } => return None,
        }
        // Work after a result is another turn: the process is not lingering, and it spends again.
        self.turn_over.take().filter(|_| self.over_budget).map(|_| EndedBy::Budget)
    }

    /// The agent tries a request again by itself; only a short wait is left to it.
    fn retry(&mut self, error: &str, delay: Option<u64>, now: Timestamp) -> Option<EndedBy> {
        if error == AUTHENTICATION_FAILED {
            return Some(EndedBy::AuthFailed);
        }
        self.overflows += u32::from(error == CONTEXT_FULL);
        // Making room did not help: more of it costs money and leads nowhere.
        if self.overflows > 1 {
            return Some(EndedBy::Overflows);
        }
        let until = now.plus(Millis(delay?));
        if until.since(now) > LONG_WAIT {
            return Some(EndedBy::Waits { until: reset::plausible(until) });
        }
        self.quiet_since = self.quiet_since.max(until);
        None
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
            let waits = EndedBy::Waits { until: None };
            return Some(Alarm::End(if self.retrying { waits } else { EndedBy::Stalled }));
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
    use ralph_core::usage::Price;

    fn limits() -> WatchLimits {
        WatchLimits {
            soft: Millis::secs(100),
            hard: Millis::secs(300),
            idle: Millis::secs(60),
            budget: Some(MicroUsd(1_000)),
            ..WatchLimits::default()
        }
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * 1000)
    }

    fn watch() -> Watch {
        Watch::new(limits(), at(0))
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
        AgentEvent::Retry { attempt: 1, of: 10, delay_ms: Some(delay_ms), error: error.into() }
    }

    fn result(cost: u64) -> AgentEvent {
        let usage = Usage { cost: MicroUsd(cost), ..Usage::default() };
        AgentEvent::Result { is_error: false, text: String::new(), usage, turns: 1 }
    }

    fn text() -> AgentEvent {
        AgentEvent::Text { text: "hi".into() }
    }

    #[test]
    fn a_context_that_is_full_again_at_once_ends_the_call_and_one_that_was_worked_in_does_not() {
        let full =
            AgentEvent::Retry { attempt: 1, of: 0, delay_ms: None, error: CONTEXT_FULL.into() };
        let mut watch = watch();
        assert_eq!(watch.on_event(&full, at(1)), None);
        assert_eq!(watch.on_event(&start("a"), at(2)), None);
        assert_eq!(watch.on_event(&full, at(3)), None);
        assert_eq!(watch.on_event(&full, at(4)), Some(EndedBy::Overflows));
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
    fn a_long_announced_wait_is_spent_outside_the_agent() {
        let now = at(1_794_699_386);
        let until = Some(now.plus(Millis::secs(3600)));
        let ended = watch().on_event(&retry(3_600_000, "rate_limit"), now);
        assert_eq!(ended, Some(EndedBy::Waits { until }));
        let absurd = watch().on_event(&retry(u64::MAX, "rate_limit"), now);
        assert_eq!(absurd, Some(EndedBy::Waits { until: None }));
    }

    #[test]
    fn silence_after_a_retry_of_unknown_length_is_waiting_until_something_comes() {
        let silent = AgentEvent::Retry { attempt: 1, of: 2, delay_ms: None, error: "429".into() };
        let mut waiting = watch();
        assert_eq!(waiting.on_event(&silent, at(10)), None);
        let remark = AgentEvent::Progress { text: "trying again".into() };
        assert_eq!(waiting.on_event(&remark, at(11)), None);
        let waits = EndedBy::Waits { until: None };
        assert_eq!(waiting.on_time(at(71)), Some(Alarm::End(waits)));
        let mut back = watch();
        assert_eq!(back.on_event(&silent, at(10)), None);
        assert_eq!(back.on_event(&text(), at(12)), None);
        assert_eq!(back.on_time(at(72)), Some(Alarm::End(EndedBy::Stalled)));
    }

    #[test]
    fn money_and_tokens_are_counted_while_it_streams() {
        let spent = |input| AgentEvent::Spent { usage: Usage { input, ..Usage::default() } };
        let tokens = WatchLimits { tokens: Some(100), ..WatchLimits::default() };
        let mut watch = Watch::new(tokens, at(0));
        assert_eq!(watch.on_event(&spent(100), at(1)), None);
        assert_eq!(watch.on_event(&spent(101), at(2)), Some(EndedBy::Budget));

        let price = Price { input: 10.0, ..Price::default() };
        let prices = Prices([("m".to_owned(), price)].into());
        let mut watch = Watch::new(WatchLimits { prices, ..limits() }, at(0));
        let session = AgentEvent::Session { id: String::new(), model: "m-2026".into() };
        assert_eq!(watch.on_event(&session, at(0)), None);
        assert_eq!(watch.on_event(&spent(100), at(1)), None);
        assert_eq!(watch.on_event(&spent(101), at(2)), Some(EndedBy::Budget));
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
        let mut watch = Watch::new(WatchLimits::default(), at(0));
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
