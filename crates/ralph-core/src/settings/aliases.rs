//! The camelCase names that settings files of an older loop use, read as ours. JSON only.

use super::{
    error::{Fault, SettingsError},
    node::{Node, Table, Value},
};

/// Older names at the top of the file, and the tables and keys they became.
const TOP: [(&str, &[&str]); 6] = [
    ("maximumIterations", &["limits", "max_iterations"]),
    ("completionResponse", &["claims", "completion_response"]),
    ("outputTruncateChars", &["gates", "output_truncate_chars"]),
    ("streamAgentOutput", &["display", "stream"]),
    ("includeIterationCountInPrompt", &["prompt", "iteration_count"]),
    ("guardrails", &["gate"]),
];

/// Moves older names to where they belong now; naming a setting twice is an error.
pub(super) fn apply(root: &mut Node) -> Vec<SettingsError> {
    let mut errors = Vec::new();
    let Value::Table(table) = &mut root.value else {
        return errors;
    };
    // Editors find the schema by this key; it is no setting.
    table.remove("$schema");
    let moved: Vec<_> =
        TOP.iter().filter_map(|(old, new)| Some((*old, *new, table.remove(*old)?))).collect();
    for (old, new, node) in moved {
        if root.find(&new.join(".")).is_some() {
            errors.push(twice(&node, old, &new.join(".")));
            continue;
        }
        root.insert(&new.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>(), node);
    }
    if let Value::Table(table) = &mut root.value
        && let Some(Node { value: Value::List(gates), .. }) = table.get_mut("gate")
    {
        for gate in gates {
            if let Value::Table(gate) = &mut gate.value {
                errors.extend(rename(gate, "failAction", "fail_action"));
            }
        }
    }
    errors
}

/// Today's name of an older one.
pub(super) fn modern(old: &str) -> Option<String> {
    TOP.iter().find(|(name, _)| *name == old).map(|(_, path)| path.join("."))
}

fn rename(table: &mut Table, old: &str, new: &str) -> Option<SettingsError> {
    let node = table.remove(old)?;
    if table.contains_key(new) {
        return Some(twice(&node, old, new));
    }
    table.insert(new.to_owned(), node);
    None
}

fn twice(node: &Node, old: &str, new: &str) -> SettingsError {
    SettingsError {
        at: node.origin.clone(),
        fault: Fault::Twice { key: new.to_owned() },
        help: format!("`{old}` is an older name of `{new}`: keep one of the two"),
    }
}
