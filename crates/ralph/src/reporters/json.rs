//! `--json`: one published event per line on the given writer, version 1.
//!
//! Each event is built field by field, never from a stored type: what ralph stores may change, this may not.
//! Documented in `docs/json-events.md`. New fields and types may be added; nothing is renamed or removed.

mod decided;
mod people;

use std::io::Write;

use people::Published;
use ralph_agents::{
    event::AgentEvent,
    live_event::{Chatter, News, Reporter, Said},
};
use ralph_core::{time::Timestamp, timeline::Timeline};
use serde_json::{Map, Value, json};

use super::plain;

/// Version of the published events.
const VERSION: u32 = 1;

/// Writes published events.
pub(crate) struct Json {
    out: Box<dyn Write + Send>,
    timeline: Timeline,
}

impl Json {
    /// `timeline` is what happened before, for a run that is resumed.
    pub(crate) fn new(out: Box<dyn Write + Send>, timeline: Timeline) -> Self {
        Self { out, timeline }
    }

    fn write(&mut self, (name, fields): Published, at: Timestamp) -> std::io::Result<()> {
        let mut line = Map::new();
        line.insert("v".into(), VERSION.into());
        line.insert("type".into(), name.into());
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        line.insert("run".into(), self.timeline.run().as_str().into());
        line.insert("at".into(), json!(at));
        let line = serde_json::to_string(&line)?;
        writeln!(self.out, "{}", plain::in_json(&line))
    }
}

impl Reporter for Json {
    fn news(&mut self, news: &News) -> std::io::Result<()> {
        match news {
            News::Decided(decision) => {
                self.timeline.apply(decision);
                for event in &decision.events {
                    for published in decided::published(event, &self.timeline) {
                        self.write(published, decision.at)?;
                    }
                }
                Ok(())
            }
            News::Chatter(chatter) => match said(chatter) {
                Some(published) => self.write(published, chatter.at),
                None => Ok(()),
            },
        }
    }

    fn caught_up(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }

    fn tick(&mut self, _now: Timestamp) -> std::io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

fn said(chatter: &Chatter) -> Option<Published> {
    let iteration = chatter.iteration;
    Some(match &chatter.said {
        Said::Agent(event) => return agent(iteration, event),
        Said::AgentStarted { command } => {
            ("agent.started", json!({"iteration": iteration, "command": command}))
        }
        Said::GateStarted { gate } => {
            ("gate.started", json!({"iteration": iteration, "gate": gate}))
        }
        Said::GateRunsAgain { gate, end } => {
            let exit_code = end.exit_code();
            let fields = json!({"iteration": iteration, "gate": gate, "exit_code": exit_code});
            ("gate.runs_again", fields)
        }
        // The durable event says more; this one would say it twice.
        Said::GateFinished { .. } => return None,
        Said::Slow { what, after } => ("slow", json!({"what": what, "after_ms": after.0})),
        Said::Noted { text } => ("warning", json!({"text": text})),
        Said::Dropped { count } => ("dropped", json!({"count": count})),
    })
}

fn agent(iteration: u32, event: &AgentEvent) -> Option<Published> {
    Some(match event {
        AgentEvent::Text { text } => ("agent.text", json!({"iteration": iteration, "text": text})),
        AgentEvent::ToolStart { id, name, input } => (
            "agent.tool.started",
            json!({"iteration": iteration, "id": id, "name": name, "input": input}),
        ),
        AgentEvent::ToolEnd { id, lines, chars, is_error, .. } => (
            "agent.tool.ended",
            json!({
                "iteration": iteration,
                "id": id,
                "is_error": is_error,
                "lines": lines,
                "chars": chars,
            }),
        ),
        AgentEvent::Todo { items } => {
            let items: Vec<Value> = items
                .iter()
                .map(|item| json!({"text": item.text, "status": item.status}))
                .collect();
            ("agent.todo", json!({"iteration": iteration, "items": items}))
        }
        AgentEvent::Retry { attempt, of, delay_ms, error } => (
            "agent.retried",
            json!({
                "iteration": iteration,
                "attempt": attempt,
                "of": of,
                "delay_ms": delay_ms,
                "error": error,
            }),
        ),
        AgentEvent::RateLimit { status, resets_at, utilization } => (
            "agent.rate_limit",
            json!({
                "iteration": iteration,
                "status": status,
                "resets_at": resets_at,
                "utilization": utilization,
            }),
        ),
        AgentEvent::Denied { tool, why } => {
            ("agent.tool.denied", json!({"iteration": iteration, "tool": tool, "why": why}))
        }
        AgentEvent::Session { .. }
        | AgentEvent::Thinking { .. }
        | AgentEvent::Progress { .. }
        | AgentEvent::Spent { .. }
        | AgentEvent::Result { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporters::tests::{
        people,
        scripts::{self, Paper, play},
    };

    #[test]
    fn every_event_is_one_object_per_line_with_version_type_run_and_time() {
        let mut all = String::new();
        let runs = [scripts::rejection_then_success(), scripts::given_up(), people::talked()];
        for beats in runs {
            let paper = Paper::default();
            let mut json = Json::new(Box::new(paper.clone()), Timeline::default());
            assert!(play(&beats, &mut json).is_ok());
            all.push_str(&paper.text());
        }
        for line in all.lines() {
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            assert_eq!(value["v"], VERSION, "{line}");
            for key in ["type", "run", "at"] {
                assert!(value[key].is_string(), "{key} in {line}");
            }
        }
        insta::assert_snapshot!("wire", all);
    }

    #[test]
    fn every_type_is_documented() {
        let page = include_str!("../../../../docs/json-events.md");
        let sources = [
            include_str!("json.rs"),
            include_str!("json/decided.rs"),
            include_str!("json/people.rs"),
        ];
        let is_name = |text: &&str| {
            text.contains('.') && text.chars().all(|c| c.is_ascii_lowercase() || "._".contains(c))
        };
        let code = sources.iter().filter_map(|source| source.split("#[cfg(test)]").next());
        let dotted = code.flat_map(|code| code.split('"').skip(1).step_by(2)).filter(is_name);
        let names: Vec<&str> = dotted.chain(["steered", "slow", "dropped", "warning"]).collect();
        assert!(names.len() > 50, "{names:?}");
        for name in names {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }
}
