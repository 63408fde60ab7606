//! Rules that may outlive a run: what memory holds as constraints and repeated decisions. Proposes, never writes.

use super::{Memory, context::Statement, merge, show};

/// Most rules that are proposed at once: a file that every agent reads must stay short.
const MAX_RULES: usize = 12;

/// Constraints, and decisions that more than one iteration or run stated; the most repeated first.
pub fn lasting(memory: &Memory) -> Vec<String> {
    let mut context = memory.context.clone();
    merge(&mut context, &memory.records);
    let is_kept = |one: &&Statement| one.times > 1 || one.since == 0;
    let decisions = context.decisions.iter().filter(is_kept);
    let mut found: Vec<&Statement> = context.constraints.iter().chain(decisions).collect();
    found.sort_by_key(|one| std::cmp::Reverse(one.times));
    let worded = |one: &Statement| match one.note.as_str() {
        "" => show::line(&one.text),
        note => show::line(&format!("{} ({note})", one.text)),
    };
    found.into_iter().map(worded).take(MAX_RULES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::context::Context;

    fn statement(text: &str, times: u32) -> Statement {
        Statement { text: text.into(), since: 1, last: 3, times, ..Statement::default() }
    }

    #[test]
    fn constraints_and_repeated_decisions_are_rules_and_a_single_decision_is_none() {
        let context = Context {
            constraints: vec![statement("use bun,\n## not npm\u{1b}[2J", 1)],
            decisions: vec![statement("tabs", 1), statement("errors are enums", 3)],
            ..Context::default()
        };
        let memory = Memory { context, ..Memory::default() };
        assert_eq!(lasting(&memory), ["errors are enums", "use bun, ## not npm"]);
    }

    #[test]
    fn few_rules_are_proposed_however_much_is_known() {
        let constraints = (0..100).map(|n| statement(&format!("rule {n}"), 1)).collect();
        let context = Context { constraints, ..Context::default() };
        let memory = Memory { context, ..Memory::default() };
        assert_eq!(lasting(&memory).len(), MAX_RULES);
    }
}
