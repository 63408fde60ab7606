//! The Claude Code plugin as it lies in `plugin/`: its hooks are wired by the core, its skill speaks of the core's formats.
//!
//! Only makes the texts; the test that compares them with the committed files writes them, too.

use ralph_agents::hooks::{Host, wiring};
use ralph_core::plan::prd;
use serde_json::{Value, json};

const SKILL: &str = include_str!("plugin/ralph-plan.md");
const README: &str = include_str!("plugin/README.md");
const ABOUT: &str = "Guards commands, watches the context and plans work for ralph, which keeps coding agents working \
                     until the work is proved done";

/// Every file of the plugin, by its path below `plugin/`.
pub fn files() -> Vec<(&'static str, String)> {
    let version = env!("CARGO_PKG_VERSION");
    let author = json!({"name": "The ralph contributors"});
    let manifest = json!({
        "name": "ralph", "version": version, "description": ABOUT, "author": author,
        "license": "MIT OR Apache-2.0", "keywords": ["agents", "planning", "guard", "hooks"],
    });
    let entry = json!({"name": "ralph", "source": "./", "description": ABOUT, "version": version});
    let marketplace = json!({
        "name": "ralph", "description": ABOUT, "owner": author, "plugins": [entry],
    });
    let hooks = wiring(Host::Plugin, "ralph").unwrap_or_default();
    vec![
        (".claude-plugin/plugin.json", pretty(&manifest)),
        (".claude-plugin/marketplace.json", pretty(&marketplace)),
        ("README.md", README.to_owned()),
        ("hooks/hooks.json", pretty(&hooks)),
        ("skills/ralph-plan/SKILL.md", skill()),
    ]
}

/// The plan that the skill shows.
pub fn example() -> Value {
    let criteria = json!([
        {"text": "rename --dry-run prints old and new names and changes nothing", "check": "cargo test --test dry_run"},
        "the help text of the option fits in one line",
    ]);
    let first = json!({
        "id": "T-001", "title": "add --dry-run to rename",
        "description": "In src/rename.rs split `rename_all` into deciding and doing, and let --dry-run print what was decided.",
        "acceptance_criteria": criteria, "status": "pending",
    });
    let second = json!({
        "id": "T-002", "title": "document --dry-run", "description": "Add the option to the table in docs/usage.md.",
        "acceptance_criteria": [{"text": "docs/usage.md names --dry-run", "check": "grep -q -e --dry-run docs/usage.md"}],
        "depends_on": ["T-001"], "status": "pending",
    });
    json!({
        "version": 1, "project": "photos", "branch": "ralph/dry-run",
        "description": "Renaming can be tried without consequences", "tasks": [first, second],
    })
}

fn skill() -> String {
    let form = prd::scaffold("");
    let sections = form.lines().filter_map(|line| line.strip_prefix("## "));
    let sections: Vec<String> = sections.map(|title| format!("   - `## {title}`\n")).collect();
    SKILL
        .replace("{{SECTIONS}}", &sections.concat())
        .replace("{{PLAN}}", pretty(&example()).trim_end())
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}
