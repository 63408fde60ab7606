//! Which of the tools that a CLI offers does what the script wants, and how each wants to be told.

use serde_json::{Value, json};

use super::script::Deed;

/// A tool call in the words of the CLI.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub name: &'static str,
    /// An object; a text for tools that take no JSON.
    pub input: Value,
}

/// The call by which a CLI with these tools does it; `None` if only the message's text can.
pub(super) fn call(deed: &Deed, offered: &[String]) -> Option<Call> {
    let has = |name: &str| offered.iter().any(|one| one == name);
    let of = |tools: Vec<(&'static str, Value)>| {
        let found = tools.into_iter().find(|(name, _)| has(name));
        found.map(|(name, input)| Call { name, input })
    };
    match deed {
        Deed::Run { command } => of(shells(command)),
        Deed::Write { path, content } => of(editors(path, content)).or_else(|| {
            of(shells(&format!(
                "mkdir -p \"$(dirname '{path}')\" && printf %s '{content}' > '{path}'"
            )))
        }),
        Deed::Call { tool, input } => of(vec![(*tool, input.clone())]),
        Deed::Report { report } => {
            of(vec![("StructuredOutput", report.clone()), ("structured_output", report.clone())])
        }
    }
}

fn shells(command: &str) -> Vec<(&'static str, Value)> {
    let described = json!({"command": command, "description": "Run a command"});
    let mut watched = described.clone();
    watched["is_background"] = false.into();
    vec![
        ("Bash", described.clone()),
        ("bash", described),
        ("run_shell_command", watched),
        ("exec_command", json!({"cmd": command})),
        ("exec", script(&format!("tools.exec_command({{cmd: {}}})", json!(command)))),
        ("shell_command", json!({"command": command})),
        ("shell", json!({"command": ["bash", "-lc", command]})),
        ("run_commands", json!({"commands": [command]})),
        ("execute_command", json!({"command": command, "requires_approval": false})),
    ]
}

fn editors(path: &str, content: &str) -> Vec<(&'static str, Value)> {
    let lines = content.trim_end().replace('\n', "\n+");
    let change = format!("*** Begin Patch\n*** Add File: {path}\n+{lines}\n*** End Patch");
    let file = json!({"file_path": path, "content": content});
    vec![
        ("Write", file.clone()),
        ("write_file", file),
        ("write", json!({"filePath": path, "content": content})),
        ("create", json!({"path": path, "file_text": content})),
        (
            "editor",
            json!({"command": "create", "path": path, "file_text": content, "new_text": content}),
        ),
        ("write_to_file", json!({"path": path, "content": content})),
        ("exec", script(&format!("tools.apply_patch({})", json!(change)))),
        ("apply_patch", change.into()),
    ]
}

/// What a CLI whose only tool runs JavaScript is given.
fn script(call: &str) -> Value {
    format!("const told = await {call}; text(told);").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_by_the_tool_that_is_there_and_by_a_shell_where_none_is() {
        let write = Deed::Write { path: "/w/a".into(), content: "x\n".into() };
        let by = |names: &[&str]| {
            let offered: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            call(&write, &offered).map(|call| (call.name, call.input.to_string()))
        };
        assert_eq!(by(&["Bash", "Write"]).map(|(name, _)| name), Some("Write"));
        let (name, input) = by(&["exec_command"]).unwrap_or_default();
        assert!(name == "exec_command" && input.contains("printf"), "{input}");
        assert_eq!(by(&["view_image"]), None);
    }
}
