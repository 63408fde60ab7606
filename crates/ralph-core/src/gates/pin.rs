//! Placeholder until merged.
use super::report::*;
use crate::{plan::Plan, settings::Settings};
pub fn slug(t: &str) -> String {
    t.to_owned()
}
pub fn pin(s: &Settings, _p: &Plan) -> Vec<GateSpec> {
    s.gate
        .iter()
        .map(|g| GateSpec {
            name: g.name.clone(),
            slug: slug(&g.name),
            command: g.command.clone(),
            kind: g.kind,
            severity: g.severity,
            fail_action: g.fail_action,
            hint: g.hint.clone(),
            allow_empty: g.allow_empty,
            env: vec![],
            soft_timeout: s.timeouts.gate.soft.0,
            hard_timeout: s.timeouts.gate.hard.0,
        })
        .collect()
}
