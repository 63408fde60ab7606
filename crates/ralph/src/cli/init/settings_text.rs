//! The text of the files that `init` writes.

use std::fmt::Write as _;

use ralph_core::{
    gates::report::{FailAction, Severity},
    settings::Limits,
};

use super::choices::Choices;
use crate::{args::run::Review, session::gate_detection::FoundGate};

/// What `.ralph/.gitignore` holds.
pub(crate) const GITIGNORE: &str = "\
# Files that runs leave behind, and personal settings. Whether to commit settings.toml and plan.json is up to you.
runs/
settings.local.*
settings.schema.json
";

/// What `.ralph/.gitignore` holds where nothing of ralph's is shared.
pub(crate) const GITIGNORE_ALL: &str = "\
# Keeps everything of ralph's out of git; remove this file to share settings and plan.
*
";

const HEAD: &str = "\
#:schema ./settings.schema.json
# Settings of ralph for everyone who works on this project; personal ones go in settings.local.toml.
# `ralph config show --origin` shows the effective values and their origins, `ralph config schema` all settings.
";

const NO_GATE: &str = "
# No command that verifies work was found. Add at least one gate: ralph runs it after each iteration,
# and accepts work only if it passes.
# [[gate]]
# name = \"tests\"
# command = \"make test\"
# kind = \"test\"               # test | lint | build | custom
";

const NO_GATE_RUNS: &str = "
# The commands below verify work, but cannot run here yet. At least one gate is needed: ralph runs it after each
# iteration, and accepts work only if it passes.
";

/// `.ralph/settings.toml` for what was chosen. What is left as it is stands there as a comment.
pub(crate) fn settings(choices: &Choices) -> String {
    let defaults = Limits::default();
    let mut text = HEAD.to_owned();
    // Writing to a string cannot fail.
    text.push_str("\n[agent]\n");
    let _ = writeln!(text, "command = {}", quoted(&choices.agent));
    if !choices.flags.is_empty() {
        let _ = writeln!(text, "flags = [{}]", quoted(&choices.flags));
    }
    let model = quoted(&choices.model);
    let note = "as the agent spells it; empty means its default";
    text.push_str(&line("model", &model, choices.model.is_empty(), note));
    text.push_str("\n[limits]\n");
    let iterations = choices.max_iterations;
    let is_default = iterations == defaults.max_iterations;
    let note = "0 means derived from the plan";
    text.push_str(&line("max_iterations", &iterations.to_string(), is_default, note));
    let cost = format!("{:?}", choices.max_cost);
    text.push_str(&line("max_cost_usd", &cost, choices.max_cost <= 0.0, "0 means no limit"));
    let time = choices.max_duration;
    let is_default = time == defaults.max_duration;
    text.push_str(&line(
        "max_duration",
        &quoted(&time.to_string()),
        is_default,
        "0s means no limit",
    ));
    text.push_str("\n[review]\n");
    let review = choices.review;
    let note = "on | auto | off: a second agent reviews the work";
    text.push_str(&line("mode", &quoted(review.word()), review == Review::On, note));
    if choices.pushes {
        text.push_str("\n[scm]\ntasks = [\"push\"]\n");
    }
    if choices.gates.is_empty() {
        text.push_str(if choices.left_out.is_empty() { NO_GATE } else { NO_GATE_RUNS });
    } else {
        text.push_str(
            "\n# ralph runs these after each iteration and accepts work only if they pass.\n",
        );
        let gates: Vec<String> = choices.gates.iter().map(gate).collect();
        text.push_str(&gates.join("\n"));
    }
    text.extend(choices.left_out.iter().map(left_out));
    text
}

/// A gate that cannot run here, as a comment that becomes one when its marks are removed.
fn left_out(found: &FoundGate) -> String {
    let table = gate(&FoundGate { note: String::new(), ..found.clone() });
    let table: Vec<String> = table.lines().map(|line| format!("# {line}")).collect();
    format!("\n# Left out: {}. To add it once that is there:\n{}\n", found.note, table.join("\n"))
}

/// A setting and what it means; a comment where it says what holds anyway.
fn line(key: &str, value: &str, is_default: bool, note: &str) -> String {
    let setting = format!("{}{key} = {value}", if is_default { "# " } else { "" });
    format!("{setting:<28} # {note}\n")
}

fn gate(gate: &FoundGate) -> String {
    let mut text = String::new();
    if !gate.note.is_empty() {
        let _ = writeln!(text, "# {}: {}.", gate.name, gate.note);
    }
    let (name, command) = (quoted(&gate.name), quoted(&gate.command));
    let _ = write!(text, "[[gate]]\nname = {name}\ncommand = {command}\n");
    if !gate.dir.is_empty() {
        let _ = writeln!(text, "dir = {}", quoted(&gate.dir));
    }
    let _ = writeln!(text, "kind = {}", quoted(gate.kind));
    if gate.severity == Severity::Soft {
        text.push_str("severity = \"soft\"\n");
    }
    let action = match gate.fail_action {
        FailAction::Append => "",
        FailAction::Prepend => "fail_action = \"prepend\"\n",
        FailAction::Replace => "fail_action = \"replace\"\n",
    };
    text.push_str(action);
    if !gate.hint.is_empty() {
        let _ = writeln!(text, "hint = {}", quoted(&gate.hint));
    }
    text
}

/// The lines of a settings file that set something, with the tables they belong to.
pub(crate) fn spoken(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<&str> = lines.collect();
    let is_title = |line: &&str| line.starts_with('[');
    let follows = lines.iter().skip(1).map(Some).chain([None]);
    let said = lines.iter().zip(follows);
    let said = said.filter(|(line, next)| !is_title(line) || next.is_some_and(|n| !is_title(n)));
    said.map(|(line, _)| line.split("  # ").next().unwrap_or(line).trim_end()).collect()
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A small plan that works in any project.
pub(crate) const EXAMPLE_PLAN: &str = include_str!("example_plan.json");

/// A plan without tasks, for a feature.
pub(crate) const EMPTY_PLAN: &str = r#"{"version": 1, "project": "", "branch": "", "tasks": []}"#;

/// One of these plans for a project and a branch.
pub(crate) fn plan(template: &str, project: &str, branch: &str) -> String {
    let mut plan: serde_json::Value = serde_json::from_str(template).unwrap_or_default();
    plan["project"] = project.into();
    plan["branch"] = branch.into();
    format!("{plan:#}\n")
}

#[cfg(test)]
mod tests {
    use ralph_core::vocabulary::ReviewMode;
    use ralph_core::{
        plan::Plan,
        settings::{Length, Settings},
    };

    use super::*;
    use crate::{cli::init::InitArgs, session::gate_trial::Tried};

    fn choices(gates: &[FoundGate]) -> Choices {
        let tried = Tried { gates: gates.to_vec(), left_out: Vec::new() };
        Choices::new(&InitArgs::default(), &[], tried)
    }

    #[test]
    fn what_is_written_can_be_read_as_settings() {
        let gates =
            [FoundGate::given("sh -c 'echo \"a\\b\"' test"), FoundGate::given("cargo clippy")];
        for gates in [&gates[..], &[]] {
            let text = settings(&choices(gates));
            let read: Result<Settings, _> = toml::from_str(&text);
            let read = read.map(|settings| (settings.agent.command, settings.gate.len()));
            assert_eq!(read, Ok(("claude".into(), gates.len())), "{text}");
        }
        insta::assert_snapshot!("settings", settings(&choices(&gates[1..])));
    }

    #[test]
    fn everything_that_can_be_chosen_is_written() {
        let mut gate = FoundGate::given("make \"it\"").of_kind("build");
        gate.fail_action = FailAction::Replace;
        gate.hint = "say \"why\"\nfirst".into();
        let all = Choices {
            agent: "./a.sh".into(),
            flags: "--fast -x 'a b'".into(),
            model: "big".into(),
            max_iterations: 12,
            max_cost: 7.5,
            max_duration: Length::parse("90m").unwrap_or_default(),
            review: Review::Auto,
            pushes: true,
            ..choices(&[gate])
        };
        let text = settings(&all);
        let read: Result<Settings, _> = toml::from_str(&text);
        let Ok(read) = read else { panic!("{text}") };
        assert_eq!(read.agent.flags, ["--fast -x 'a b'"]);
        assert_eq!((read.limits.max_iterations, read.limits.max_cost_usd), (12, 7.5));
        assert_eq!(read.limits.max_duration.to_string(), "1h30m");
        assert_eq!(read.review.mode, ReviewMode::Auto);
        assert_eq!(read.scm.tasks, ["push"]);
        assert_eq!(read.gate[0].hint, "say \"why\"\nfirst");
        insta::assert_snapshot!("settings_with_everything", text);
    }

    #[test]
    fn what_a_trial_found_is_beside_its_gate() {
        let lint = FoundGate {
            dir: "web".into(),
            severity: Severity::Soft,
            note: "red when it was tried".into(),
            ..FoundGate::given("npm run lint")
        };
        let missing =
            FoundGate { note: "it needs ruff".into(), ..FoundGate::given("ruff check .") };
        let text = settings(&Choices { left_out: vec![missing], ..choices(&[lint]) });
        let read: Result<Settings, _> = toml::from_str(&text);
        let read = read.map(|it| (it.gate.len(), it.gate[0].dir.clone(), it.gate[0].severity));
        assert_eq!(read, Ok((1, "web".into(), Severity::Soft)), "{text}");
        assert!(text.contains("# lint: red when it was tried.\n[[gate]]\n"), "{text}");
        assert!(text.contains("# Left out: it needs ruff. To add it"), "{text}");
        assert!(text.contains("# command = \"ruff check .\"\n"), "{text}");
    }

    #[test]
    fn commands_that_were_found_and_left_out_are_never_called_not_found() {
        let missing =
            FoundGate { note: "it needs .venv/bin/pytest".into(), ..FoundGate::given("pytest") };
        let text = settings(&Choices { left_out: vec![missing], ..choices(&[]) });
        assert!(!text.contains("was found") && text.contains("# Left out: it needs"), "{text}");
        assert!(toml::from_str::<Settings>(&text).is_ok_and(|it| it.gate.is_empty()), "{text}");
        assert!(settings(&choices(&[])).contains("No command that verifies work was found"));
    }

    #[test]
    fn the_example_is_a_plan_with_open_tasks() {
        let plan: Result<Plan, _> = serde_json::from_str(&plan(EXAMPLE_PLAN, "demo", "ralph/demo"));
        assert_eq!(plan.map(|plan| plan.open_tasks()).ok(), Some(2));
    }
}
