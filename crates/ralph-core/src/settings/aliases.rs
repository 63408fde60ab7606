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

/// Variables by which shell loops describe an agent, and the settings they became. Never read: such a file is a program.
const SHELL: [(&str, &str); 6] = [
    ("AGENT_TYPE", "agent.command"),
    ("AGENT_CLI", "agents.NAME.command"),
    ("AGENT_ARGS", "agents.NAME.command"),
    ("AGENT_OUTPUT_FORMAT", "agents.NAME.stream"),
    ("AGENT_RESPONSE_FILTER", "agents.NAME.response_filter"),
    ("AGENT_DISPLAY_FILTER", "agents.NAME.display_filter"),
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

/// Today's name of a shell loop's variable.
pub(super) fn of_shell(old: &str) -> Option<&'static str> {
    SHELL.iter().find(|(name, _)| *name == old).map(|(_, path)| *path)
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
        help: format!("`{old}` is an older name of `{new}`: remove one of them"),
    }
}
