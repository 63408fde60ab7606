//! What a tool call is about to do, as far as its input tells: commands, files, a report.

use serde_json::Value;

use crate::tool_input::is_one_of;

/// What a call wants done.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Wants {
    /// Shell commands.
    pub commands: Vec<String>,
    /// Files that it changes, as they are named.
    pub files: Vec<String>,
    /// It ends the work with this.
    pub report: Option<Value>,
}

/// Tools that change the file they are given, in small letters and without signs.
const WRITERS: &str = "create createfile deletefile edit editfile editor insert multiedit notebookedit replace \
    replaceinfile strreplace strreplacebasededittool strreplaceeditor write writefile writetofile";
const COMMANDS: [&str; 4] = ["command", "cmd", "commands", "script"];
const FILES: [&str; 6] =
    ["file_path", "filePath", "notebook_path", "absolute_path", "path", "filename"];
/// Lines of a patch that name a file.
const PATCHED: [&str; 4] =
    ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// Reads a tool's name and input.
pub(super) fn wants(tool: &str, input: &Value) -> Wants {
    if is_one_of(tool, "structuredoutput") {
        Wants { report: Some(input.clone()), ..Wants::default() }
    } else if is_one_of(tool, "applypatch") {
        Wants { files: patched(input), ..Wants::default() }
    } else if is_one_of(tool, WRITERS) {
        Wants { files: files(input), ..Wants::default() }
    } else {
        Wants { commands: commands(input), ..Wants::default() }
    }
}

fn commands(input: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (name, value) in COMMANDS.iter().filter_map(|name| Some((*name, input.get(*name)?))) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(list) if name == "commands" => {
                found.extend(list.iter().filter_map(|one| {
                    one.as_str().or_else(|| one.get("command")?.as_str()).map(str::to_owned)
                }));
            }
            // An argument vector.
            Value::Array(words) => {
                found.push(shell_words::join(words.iter().filter_map(Value::as_str)));
            }
            _ => {}
        }
    }
    found
}

fn files(input: &Value) -> Vec<String> {
    if input["command"] == "view" {
        return Vec::new();
    }
    let edits = ["edits", "files"].iter().filter_map(|name| input.get(*name)?.as_array()).flatten();
    std::iter::once(input)
        .chain(edits)
        .flat_map(|one| FILES.iter().filter_map(|name| one.get(*name)?.as_str()))
        .map(str::to_owned)
        .collect()
}

fn patched(input: &Value) -> Vec<String> {
    let texts = ["command", "input", "patch"].iter().filter_map(|name| input.get(*name)?.as_str());
    let lines = texts.chain(input.as_str()).flat_map(str::lines);
    let named = |line: &str| {
        PATCHED
            .iter()
            .find_map(|start| line.trim().strip_prefix(start))
            .map(|f| f.trim().to_owned())
    };
    lines.filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn commands_are_found_in_the_shells_of_all_clis() {
        for (tool, input, expected) in [
            ("Bash", json!({"command": "ls", "description": "d"}), vec!["ls"]),
            ("exec_command", json!({"cmd": "ls"}), vec!["ls"]),
            ("shell", json!({"command": ["bash", "-lc", "rm -rf x"]}), vec!["bash -lc 'rm -rf x'"]),
            ("run_commands", json!({"commands": ["a", {"command": "b"}]}), vec!["a", "b"]),
            ("mcp__box__run", json!({"script": "c"}), vec!["c"]),
            ("Read", json!({"file_path": "/etc/passwd"}), vec![]),
            ("Bash", json!(null), vec![]),
        ] {
            let wants = wants(tool, &input);
            assert_eq!(wants.commands, expected, "{tool}");
            assert_eq!((wants.files.len(), wants.report), (0, None), "{tool}");
        }
    }

    #[test]
    fn files_are_found_in_the_editors_of_all_clis() {
        let patch =
            "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-*** not one\n*** End Patch";
        for (tool, input, expected) in [
            ("Write", json!({"file_path": "a", "content": "rm"}), vec!["a"]),
            ("NotebookEdit", json!({"notebook_path": "a"}), vec!["a"]),
            (
                "MultiEdit",
                json!({"file_path": "a", "edits": [{"file_path": "b"}, {}]}),
                vec!["a", "b"],
            ),
            ("apply_patch", json!({"command": patch}), vec!["a", "b"]),
            ("apply_patch", json!(patch), vec!["a", "b"]),
            ("str_replace_editor", json!({"command": "view", "path": "a"}), vec![]),
        ] {
            let wants = wants(tool, &input);
            assert_eq!(wants.files, expected, "{tool}");
            assert!(wants.commands.is_empty(), "{tool}");
        }
    }
}
