//! The text of the files that `init` writes.

use super::detect::FoundGate;

/// What `.ralph/.gitignore` holds.
pub(crate) const GITIGNORE: &str = "\
# What runs leave behind, and personal settings. Whether settings.toml and plan.json are committed is yours.
runs/
settings.local.*
settings.schema.json
";

/// `.ralph/settings.toml` for an agent and gates.
pub(crate) fn settings(agent: &str, gates: &[FoundGate]) -> String {
    let mut text = format!(
        "\
#:schema ./settings.schema.json
# Settings of ralph for everyone who works on this project; personal ones go into settings.local.toml.
# `ralph config show --origin` tells what holds and why, `ralph config schema` what can be set.

[agent]
command = {}
# model = \"\"                 # in the agent's own spelling; empty is its default

[limits]
# max_iterations = 0         # 0 derives it from the plan
# max_cost_usd = 0.0         # 0 is no limit
# max_duration = \"0s\"        # 0s is no limit
",
        quoted(agent)
    );
    if gates.is_empty() {
        text.push_str(
            "
# Nothing was found that could prove work good. Add at least one gate: ralph runs it after each iteration,
# and work counts only if it passes.
# [[gate]]
# name = \"tests\"
# command = \"make test\"
# kind = \"test\"               # test | lint | build | custom
",
        );
    } else {
        text.push_str(
            "\n# ralph runs these after each iteration; work counts only if they pass.\n",
        );
    }
    for gate in gates {
        text.push_str(&format_gate(gate));
    }
    text
}

fn format_gate(gate: &FoundGate) -> String {
    format!(
        "[[gate]]\nname = {}\ncommand = {}\nkind = {}\n\n",
        quoted(&gate.name),
        quoted(&gate.command),
        quoted(gate.kind)
    )
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A small plan that works in any project.
pub(crate) fn example_plan(project: &str) -> serde_json::Value {
    serde_json::json!({
        "version": 1,
        "project": project,
        "description": "An example: replace it by your own tasks.",
        "tasks": [
            {
                "id": "T-001",
                "title": "write a greeting",
                "description": "Create the file GREETING.md with one friendly sentence for new contributors.",
                "acceptance_criteria": [
                    { "text": "GREETING.md exists and is not empty", "check": "test -s GREETING.md" },
                    "the sentence is friendly"
                ],
                "status": "pending"
            },
            {
                "id": "T-002",
                "title": "link the greeting",
                "description": "Mention GREETING.md in README.md; create README.md if there is none.",
                "acceptance_criteria": [
                    { "text": "README.md names GREETING.md", "check": "grep -q GREETING.md README.md" }
                ],
                "depends_on": ["T-001"],
                "status": "pending"
            }
        ]
    })
}

#[cfg(test)]
mod tests {
    use ralph_core::{plan::Plan, settings::Settings};

    use super::*;

    #[test]
    fn what_is_written_can_be_read_as_settings() {
        let gates =
            [FoundGate::given("sh -c 'echo \"a\\b\"' test"), FoundGate::given("cargo clippy")];
        for gates in [&gates[..], &[]] {
            let text = settings("claude", gates);
            let read: Result<Settings, _> = toml::from_str(&text);
            let read = read.map(|settings| (settings.agent.command, settings.gate.len()));
            assert_eq!(read, Ok(("claude".into(), gates.len())), "{text}");
        }
        insta::assert_snapshot!("settings", settings("claude", &gates[1..]));
    }

    #[test]
    fn the_example_is_a_plan_with_open_tasks() {
        let plan: Result<Plan, _> = serde_json::from_value(example_plan("demo"));
        assert_eq!(plan.map(|plan| plan.open_tasks()).ok(), Some(2));
    }
}
