//! All rules in their order.

use super::{
    Facts, Finding, commands, criteria, duplicate_titles, fields, order, size, spans::Spans,
    unsound,
};
use crate::plan::Plan;

/// Everything found in a plan and in the text it was read from, in the order of the text.
pub fn check(plan: &Plan, text: &str, facts: &Facts) -> Vec<Finding> {
    let rules = [
        unsound::find(plan, facts),
        fields::find(plan),
        criteria::find(plan, facts),
        commands::find(plan, facts),
        size::find(plan),
        duplicate_titles::find(plan),
        order::find(plan),
    ];
    let spans = Spans::of(text);
    let mut findings = rules.concat();
    for finding in &mut findings {
        finding.place = spans.place(&finding.path);
    }
    findings.sort_by_key(|finding| (finding.place, finding.severity));
    findings
}
