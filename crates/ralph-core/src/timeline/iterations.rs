//! A run's iterations and waits in time: when each began, how long its agent and its gates took, what became of it.
//! Bounded: the newest are kept one by one, older ones as a sum.

use std::collections::VecDeque;

use serde::Serialize;

use crate::{
    event::{Decision, Event, IterationStart},
    gates::report::GateResults,
    ids::TaskId,
    time::{Millis, Timestamp},
    usage::{MicroUsd, Usage},
};

/// So many iterations are kept one by one, and so many waits.
const KEPT: usize = 10_000;

/// A run's iterations and waits.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Iterations {
    /// The newest ones, oldest first.
    pub newest: VecDeque<Iteration>,
    /// Those before them, as a sum.
    pub older: Older,
    /// Times in which the run waited or was paused, oldest first.
    pub waits: VecDeque<Wait>,
}

/// One iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Iteration {
    pub iteration: u32,
    /// `implement`, `fix`, `review`, …
    pub kind: &'static str,
    pub task: TaskId,
    pub attempt: u32,
    pub agent: String,
    pub model: String,
    pub began: Timestamp,
    /// `None` while it is under way, or if its run died in it.
    pub ended: Option<Timestamp>,
    /// Repeated calls included.
    pub agent_ms: Millis,
    pub gate_ms: Millis,
    /// `accepted`, `rejected`, `approved`, `changes_requested`; `None` without a verdict.
    pub verdict: Option<&'static str>,
    pub tokens: u64,
    /// Millionths of a US dollar; `None` if its agent reported none.
    pub cost_usd_micros: Option<MicroUsd>,
    /// Calls that were not charged.
    pub set_aside: u32,
}

/// Iterations that are no longer kept one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Older {
    pub count: u64,
    pub agent_ms: Millis,
    pub gate_ms: Millis,
    pub tokens: u64,
    pub cost_usd_micros: MicroUsd,
}

/// A time in which nothing was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wait {
    pub began: Timestamp,
    pub ended: Option<Timestamp>,
    pub why: String,
}

impl Iterations {
    /// Folds one decision.
    pub fn apply(&mut self, decision: &Decision) {
        for event in &decision.events {
            self.fold(event, decision.at);
        }
    }

    pub(super) fn fold(&mut self, event: &Event, at: Timestamp) {
        match event {
            Event::IterationStarted(start) => self.start(start, at),
            Event::WaitBegan { why, .. } => self.wait(why.clone(), at),
            Event::Paused => self.wait("paused".into(), at),
            Event::WaitEnded | Event::Unpaused => self.end_wait(at),
            Event::RunEnding { .. } | Event::RunFinished { .. } => {
                self.end_wait(at);
                self.end(at);
            }
            // What a compaction costs belongs to no task.
            Event::IterationClosed | Event::CompactionBegan(_) => self.end(at),
            other => {
                if let Some(last) = self.newest.back_mut().filter(|last| last.ended.is_none()) {
                    last.fold(other);
                }
            }
        }
    }

    fn start(&mut self, start: &IterationStart, at: Timestamp) {
        if let Some(last) = self.newest.back_mut().filter(|one| one.iteration == start.iteration) {
            // The same one again: an uncharged call, or one that another agent takes over.
            last.agent.clone_from(&start.agent);
            last.model.clone_from(&start.model);
            last.ended = None;
            return;
        }
        self.end(at);
        self.newest.push_back(Iteration {
            iteration: start.iteration,
            kind: start.kind.word(),
            task: start.task.clone(),
            attempt: start.attempt,
            agent: start.agent.clone(),
            model: start.model.clone(),
            began: at,
            ended: None,
            agent_ms: Millis(0),
            gate_ms: Millis(0),
            verdict: None,
            tokens: 0,
            cost_usd_micros: None,
            set_aside: 0,
        });
        if self.newest.len() > KEPT
            && let Some(first) = self.newest.pop_front()
        {
            self.older.add(&first);
        }
    }

    fn end(&mut self, at: Timestamp) {
        if let Some(last) = self.newest.back_mut() {
            last.ended.get_or_insert(at);
        }
    }

    fn wait(&mut self, why: String, at: Timestamp) {
        self.end_wait(at);
        self.waits.push_back(Wait { began: at, ended: None, why });
        if self.waits.len() > KEPT {
            self.waits.pop_front();
        }
    }

    fn end_wait(&mut self, at: Timestamp) {
        if let Some(last) = self.waits.back_mut() {
            last.ended.get_or_insert(at);
        }
    }
}

impl Iteration {
    fn fold(&mut self, event: &Event) {
        match event {
            Event::AgentEnded(report) => {
                self.agent_ms = self.agent_ms.plus(report.took);
                self.used(&report.usage);
            }
            Event::GatesRan { results, .. } => self.gate_ms = self.gate_ms.plus(time_of(results)),
            Event::VerdictReached(verdict) => {
                self.verdict = Some(if verdict.accepted { "accepted" } else { "rejected" });
            }
            Event::Reviewed(reviewed) => {
                let is_approved = reviewed.judgement.approved;
                self.verdict = Some(if is_approved { "approved" } else { "changes_requested" });
            }
            Event::CallSetAside(_) => self.set_aside += 1,
            _ => {}
        }
    }

    fn used(&mut self, usage: &Usage) {
        self.tokens = self.tokens.saturating_add(usage.tokens());
        if let Some(cost) = usage.known_cost() {
            let before = self.cost_usd_micros.unwrap_or_default();
            self.cost_usd_micros = Some(MicroUsd(before.0.saturating_add(cost.0)));
        }
    }
}

impl Older {
    fn add(&mut self, one: &Iteration) {
        let cost = one.cost_usd_micros.unwrap_or_default();
        self.count += 1;
        self.agent_ms = self.agent_ms.plus(one.agent_ms);
        self.gate_ms = self.gate_ms.plus(one.gate_ms);
        self.tokens = self.tokens.saturating_add(one.tokens);
        self.cost_usd_micros = MicroUsd(self.cost_usd_micros.0.saturating_add(cost.0));
    }
}

/// How long gates and checks took together.
pub(super) fn time_of(results: &GateResults) -> Millis {
    let checks = results.checks.iter().map(|check| check.took);
    let gates = results.gates.iter().map(|gate| gate.took);
    gates.chain(checks).fold(Millis(0), Millis::plus)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ending::Ending,
        input::AgentReport,
        memory::compaction::{CompactionStart, Trigger},
        verdict::Verdict,
        vocabulary::Kind,
    };

    fn decided(iterations: &mut Iterations, at: i64, events: &[Event]) {
        for event in events {
            iterations.fold(event, Timestamp(at));
        }
    }

    fn start(iteration: u32, retry: u32) -> Event {
        Event::IterationStarted(IterationStart {
            iteration,
            retry,
            kind: Kind::Implement,
            task: "T-1".into(),
            title: String::new(),
            attempt: 1,
            max_attempts: 5,
            agent: "claude".into(),
            model: String::new(),
        })
    }

    fn ended(took: u64, cost: u64) -> Event {
        let usage = Usage { input: 10, cost: MicroUsd(cost), ..Usage::default() };
        Event::AgentEnded(Box::new(AgentReport {
            ending: Ending::Ok,
            claimed: true,
            handoff: None,
            last_words: String::new(),
            stderr_tail: String::new(),
            usage,
            took: Millis(took),
            session: None,
            tools: 0,
            tool_errors: 0,
            denials: 0,
            leftovers: 0,
            traffic: Vec::new(),
        }))
    }

    #[test]
    fn a_repeated_call_and_a_wait_belong_to_one_iteration() {
        let mut all = Iterations::default();
        let until = Timestamp(90);
        decided(&mut all, 1, &[start(1, 0)]);
        decided(&mut all, 50, &[ended(40, 0)]);
        decided(&mut all, 60, &[Event::WaitBegan { until, why: "a limit".into() }]);
        decided(&mut all, 90, &[Event::WaitEnded, start(1, 1)]);
        let verdict = Verdict {
            tree: None,
            accepted: true,
            reasons: Vec::new(),
            labels: Vec::new(),
            fingerprint: String::new(),
        };
        decided(&mut all, 95, &[ended(5, 7), Event::VerdictReached(verdict)]);
        decided(&mut all, 99, &[Event::IterationClosed]);
        let one = &all.newest[0];
        assert_eq!(
            (all.newest.len(), one.began, one.ended),
            (1, Timestamp(1), Some(Timestamp(99)))
        );
        assert_eq!((one.agent_ms, one.tokens, one.verdict), (Millis(45), 20, Some("accepted")));
        assert_eq!(one.cost_usd_micros, Some(MicroUsd(7)));
        assert_eq!((all.waits[0].began, all.waits[0].ended), (Timestamp(60), Some(until)));
    }

    #[test]
    fn what_a_compaction_costs_belongs_to_no_iteration() {
        let mut all = Iterations::default();
        decided(&mut all, 1, &[start(1, 0), ended(40, 7), Event::IterationClosed]);
        let compaction = Event::CompactionBegan(CompactionStart {
            number: 1,
            after: 1,
            why: Trigger::Interval { iterations: 1 },
            agent: "claude".into(),
            model: String::new(),
            libraries: Vec::new(),
        });
        decided(&mut all, 50, &[compaction, ended(5, 100)]);
        let one = &all.newest[0];
        assert_eq!((one.agent_ms, one.cost_usd_micros), (Millis(40), Some(MicroUsd(7))));
    }

    #[test]
    fn only_the_newest_are_kept_one_by_one() {
        let mut all = Iterations::default();
        let count = u32::try_from(KEPT).unwrap_or_default() + 25;
        for nth in 1..=count {
            decided(&mut all, i64::from(nth), &[start(nth, 0), ended(2, 3)]);
        }
        assert_eq!((all.newest.len(), all.older.count), (KEPT, 25));
        assert_eq!((all.older.agent_ms, all.older.cost_usd_micros), (Millis(50), MicroUsd(75)));
    }
}
