//! What a stint did that is counted, as its run's journal tells it: iterations by kind, money by agent.

use std::collections::BTreeMap;

use ralph_core::{event::Event, vocabulary::Kind};

use crate::truth::own;

/// What was counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Iterations that were closed, by kind and by whether what they did was accepted.
    pub iterations: BTreeMap<(&'static str, bool), u64>,
    pub cost_micro_usd: BTreeMap<String, u64>,
    /// Why the stint found the branch held, if it did.
    pub took_over: Option<&'static str>,
}

/// Reads a journal for a tally: the call under way, and what became of it so far.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    kind: Kind,
    agent: String,
    is_accepted: bool,
}

impl Reader {
    /// Notes an event, and counts what it closes.
    pub(crate) fn read(&mut self, event: &Event, tally: &mut Tally) {
        match event {
            Event::IterationStarted(start) => {
                (self.kind, self.is_accepted) = (start.kind, false);
                self.agent.clone_from(&start.agent);
            }
            Event::CompactionBegan(start) => self.agent.clone_from(&start.agent),
            Event::AgentEnded(report) => {
                *tally.cost_micro_usd.entry(self.agent.clone()).or_default() += report.usage.cost.0;
            }
            Event::AttemptAccepted { .. } => self.is_accepted = true,
            Event::Reviewed(reviewed) => self.is_accepted = reviewed.judgement.approved,
            Event::IterationClosed => {
                *tally.iterations.entry((self.kind.word(), self.is_accepted)).or_default() += 1;
            }
            _ => {}
        }
    }
}

/// Whether the former holder was of another host, of this one before its worker began anew, or of this very worker.
pub(crate) fn why_taken_over(holder: &str, host: &str) -> &'static str {
    if holder.starts_with(&own(host)) {
        return "stint";
    }
    let is_here = holder.rsplit_once('/').is_some_and(|(theirs, _)| theirs == host);
    if is_here { "restart" } else { "host" }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn iterations_are_counted_by_kind_and_money_by_agent() {
        let started = |kind, agent| {
            json!({"event": "iteration_started", "iteration": 1, "retry": 0, "kind": kind, "task": "T-1",
                "title": "t", "attempt": 1, "max_attempts": 3, "agent": agent, "model": ""})
        };
        let ended = |cost| {
            json!({"event": "agent_ended", "ending": {"how": "ok"}, "claimed": true, "handoff": null,
                "last_words": "", "stderr_tail": "", "usage": {"cost": cost}, "took": 1, "session": null,
                "tools": 0, "tool_errors": 0, "leftovers": 0})
        };
        let accepted = json!({"event": "attempt_accepted", "task": "T-1", "attempt": 1});
        let closed = json!({"event": "iteration_closed"});
        let events = [
            started("implement", "claude"),
            ended(5),
            accepted,
            closed.clone(),
            started("implement", "claude"),
            ended(7),
            closed.clone(),
            started("review", "codex"),
            ended(1),
            closed,
        ];
        let (mut reader, mut tally) = (Reader::default(), Tally::default());
        for event in events {
            reader.read(&serde_json::from_value(event).unwrap(), &mut tally);
        }
        let iterations =
            [(("implement", true), 1), (("implement", false), 1), (("review", false), 1)];
        assert_eq!(tally.iterations, iterations.into());
        let cost = [("claude".to_owned(), 12), ("codex".to_owned(), 1)];
        assert_eq!(tally.cost_micro_usd, cost.into());
    }

    #[test]
    fn a_branch_is_taken_over_from_a_host_or_after_a_restart() {
        assert_eq!(why_taken_over("b/17.0a.1", "a"), "host");
        assert_eq!(why_taken_over("a/17.0a.1", "a"), "restart");
        assert_eq!(why_taken_over("a/b/17.0a.1", "a"), "host");
        assert_eq!(why_taken_over(&format!("{}1", own("a")), "a"), "stint");
    }
}
