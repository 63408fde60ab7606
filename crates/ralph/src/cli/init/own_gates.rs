//! Gates that a person names, one after the other.

use ralph_core::gates::report::FailAction;

use super::detect::{FoundGate, with_own_names};
use crate::{
    ask::{Asker, Text},
    diagnostics::CommandError,
};

/// Kinds of gates and what they mean.
const KINDS: [(&str, &str); 4] = [
    ("test", "must run at least one test"),
    ("lint", "soft in lenient runs"),
    ("build", "must succeed"),
    ("custom", "must succeed"),
];

/// Where a failure's text goes in the next prompt.
const ACTIONS: [(FailAction, &str, &str); 3] = [
    (FailAction::Append, "after the task", "the task first, then the failure"),
    (FailAction::Prepend, "before the task", "the failure first, then the task"),
    (FailAction::Replace, "instead of the task", "only the failure"),
];

/// Adds gates until nothing is typed.
pub(super) fn ask(
    asker: &mut Asker,
    mut gates: Vec<FoundGate>,
) -> Result<Vec<FoundGate>, CommandError> {
    loop {
        let (question, note) = if gates.is_empty() {
            ("Which command verifies the work?", "such as make test; Enter skips this for now")
        } else {
            ("Which other command?", "Enter continues")
        };
        let command = asker.text(&Text::new(question).note(note).nothing("no more"))?;
        if command.is_empty() {
            return Ok(with_own_names(gates));
        }
        gates.push(one(asker, &command)?);
    }
}

fn one(asker: &mut Asker, command: &str) -> Result<FoundGate, CommandError> {
    let mut gate = FoundGate::given(command);
    let kinds = KINDS.map(|(name, note)| (name.to_owned(), note.to_owned()));
    let likely = KINDS.iter().position(|(name, _)| *name == gate.kind).unwrap_or(KINDS.len() - 1);
    let kind = asker.select("What kind of gate is it?", &kinds, likely)?;
    if let Some((kind, _)) = KINDS.get(kind) {
        gate = gate.of_kind(kind);
    }
    let actions = ACTIONS.map(|(_, name, note)| (name.to_owned(), note.to_owned()));
    let action = asker.select("Where should the next prompt show the failure?", &actions, 0)?;
    gate.fail_action = ACTIONS.get(action).map_or(FailAction::Append, |(action, ..)| *action);
    let hint = Text::new("Which hint should the agent get when it fails?");
    gate.hint = asker.text(&hint.note("such as: do not change the tests; Enter for none"))?;
    Ok(gate)
}
