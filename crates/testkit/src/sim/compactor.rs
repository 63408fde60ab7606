//! Agents that compact memory: honest, useless, hostile, or never back. Nothing they do touches a tree.

use ralph_core::{
    effect::How,
    ending::Ending,
    handoff::Handoff,
    input::{AgentReport, Done},
    time::Millis,
    usage::{MicroUsd, Usage},
};
use serde_json::json;

use super::{rng::Rng, world::World};

impl World<'_> {
    pub(super) fn compactor(&mut self, how: Option<How>, rng: &mut Rng) -> Done {
        let mut ending = match rng.below(8) {
            0 => Ending::Crashed { detail: "it fell".into() },
            1 => Ending::UsageLimit {
                resets_at: rng.chance(500).then(|| self.now.plus(Millis::secs(90))),
                detail: "used up".into(),
            },
            2 => Ending::TimedOut,
            3 => Ending::Empty,
            _ => Ending::Ok,
        };
        if how.is_some() && self.rng.chance(700) {
            ending = Ending::Interrupted;
        }
        let answer = match rng.below(4) {
            0 => json!({}),
            1 => {
                json!({"project_summary": "x".repeat(90_000), "active_constraints": ["y".repeat(9_000)]})
            }
            _ => {
                json!({"project_summary": "A project.", "active_constraints": [], "architectural_decisions": ["keep it small"]})
            }
        };
        let report = AgentReport {
            ending,
            claimed: false,
            handoff: Handoff::from_json(&answer.to_string()),
            last_words: String::new(),
            stderr_tail: String::new(),
            usage: Usage { cost: MicroUsd(rng.below(50_000)), ..Usage::default() },
            took: Millis(1 + rng.below(60_000)),
            session: None,
            tools: 0,
            tool_errors: 0,
            denials: 0,
            leftovers: 0,
            traffic: Vec::new(),
        };
        self.now = self.now.plus(report.took);
        self.reported = Some(report.clone());
        Done::AgentEnded(Box::new(report))
    }
}
