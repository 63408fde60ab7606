//! What realistic files become. Each line of a snapshot is one field that says something.

use std::fmt::Write as _;

use super::*;
use crate::plan::{Criterion, Plan, Task, problems};

macro_rules! examples {
    ($($folder:literal: [$($file:literal),+]),+ $(,)?) => {
        &[$(($folder, &[$(($file, include_str!(concat!("fixtures/", $folder, "/", $file)))),+])),+]
    };
}

/// Name and text of a file.
type Example = (&'static str, &'static str);

static EXAMPLES: &[(&str, &[Example])] = examples! {
    "plan_json": ["minimal.json", "retries.json", "reviewed.json"],
    "prd_json": ["tasks.json", "features.json", "numbers.json"],
    "markdown": ["fix_plan.md", "IMPLEMENTATION_PLAN.md", "PRD.md"],
    "github": ["open.json", "closed.json", "hostile.json"],
};

fn shown(plan: &Plan) -> String {
    let mut text = String::new();
    let whole =
        serde_json::to_value(Plan { tasks: Vec::new(), ..plan.clone() }).unwrap_or_default();
    for (name, value) in whole.as_object().into_iter().flatten() {
        if !matches!(name.as_str(), "version" | "tasks") && *value != "" {
            let _ = writeln!(text, "{name}: {value}");
        }
    }
    for task in &plan.tasks {
        let _ = writeln!(text, "{} [{}] {:?}", task.id, task.status.word(), task.title);
        fields(&mut text, task);
    }
    text
}

fn fields(text: &mut String, task: &Task) {
    let value = serde_json::to_value(task).unwrap_or_default();
    let told = ["id", "title", "status", "acceptance_criteria"];
    for (name, value) in value.as_object().into_iter().flatten() {
        if !told.contains(&name.as_str()) {
            let _ = writeln!(text, "    {name}: {value}");
        }
    }
    for one in &task.acceptance_criteria {
        let _ = match one {
            Criterion::Sentence(sentence) => writeln!(text, "    must: {sentence:?}"),
            Criterion::Checked { text: sentence, check } => {
                writeln!(text, "    must: {sentence:?}, checked by {check:?}")
            }
        };
    }
}

#[test]
fn every_example_is_recognised_and_becomes_a_sound_plan() {
    for (folder, files) in EXAMPLES {
        let mut all = String::new();
        assert!(files.len() >= 3, "{folder} has too few examples");
        for (name, text) in *files {
            let format = detect(name, text).map(|format| format.name.replace('.', "_"));
            assert_eq!(format.as_deref(), Some(*folder), "{name}");
            let plan = named(folder).map(|format| (format.parse)(text));
            let Some(Ok(plan)) = plan else { panic!("{folder}/{name}: {plan:?}") };
            assert_eq!(problems(&plan), [], "{folder}/{name}");
            let _ = writeln!(all, "== {name}\n{}", shown(&plan));
        }
        insta::assert_snapshot!(*folder, all);
    }
}

#[test]
fn examples_survive_every_format_that_is_written() {
    let all =
        EXAMPLES.iter().flat_map(|(folder, files)| files.iter().map(move |file| (folder, file)));
    for (folder, (name, text)) in all {
        let Some(Ok(plan)) = named(folder).map(|format| (format.parse)(text)) else { continue };
        for format in ALL {
            let Some(written) = format.render.map(|render| render(&plan)) else { continue };
            let read = (format.parse)(&written).unwrap_or_default();
            assert_eq!(read, plan, "{folder}/{name} as {}:\n{written}", format.name);
        }
    }
}

#[test]
fn nothing_in_an_issue_becomes_a_command() {
    let (_, files) =
        EXAMPLES.iter().find(|(folder, _)| *folder == "github").copied().unwrap_or_default();
    for (name, text) in files {
        let plan = named("github")
            .map(|format| (format.parse)(text).unwrap_or_default())
            .unwrap_or_default();
        assert!(plan.verify_commands.is_empty(), "{name}");
        assert!(!plan.tasks.iter().any(Task::has_check), "{name}");
        assert!(plan.tasks.iter().all(|task| task.agent.is_none()), "{name}");
    }
}

#[test]
fn boxes_are_ticked_in_place() {
    let (_, files) =
        EXAMPLES.iter().find(|(folder, _)| *folder == "markdown").copied().unwrap_or_default();
    let mut changes = String::new();
    for (name, text) in files {
        let format = named("markdown").unwrap_or(ALL[0]);
        let mut plan = (format.parse)(text).unwrap_or_default();
        for task in &mut plan.tasks {
            task.status = crate::plan::Status::Done;
        }
        let Some(Ok(written)) = format.write_back.map(|write_back| write_back(text, &plan)) else {
            panic!("{name} cannot be written back")
        };
        let _ = writeln!(changes, "== {name}: {:?}", written.changed);
        for (before, after) in text.lines().zip(written.text.lines()).filter(|(a, b)| a != b) {
            let _ = writeln!(changes, "- {before}\n+ {after}");
        }
    }
    insta::assert_snapshot!("ticked", changes);
}

#[test]
fn what_cannot_be_read_is_told_with_its_place_and_help() {
    let cases = [
        ("plan.json", "{\"tasks\": [{\"id\": 3}]}"),
        ("prd.json", ""),
        ("prd.json", "{\"userStories\": {}}"),
        ("prd.json", "{\"name\": \"only a package\"}"),
        ("prd.json", "{\"userStories\": [7]}"),
        (
            "prd.json",
            "{\"userStories\": [{\"id\": \"US-1\", \"title\": \"t\", \"passes\": \"maybe\"}]}",
        ),
        (
            "prd.json",
            "{\"userStories\": [{\"id\": \"US-1\", \"title\": \"t\", \"status\": \"purple\"}]}",
        ),
        ("prd.json", "{\n  \"userStories\": [\n    {\"id\": \"US-1\",}\n  ]\n}"),
        ("markdown", "# A spec\n\nNo list of tasks.\n"),
        ("markdown", "### [ ] T-1: x\n\n<!-- ralph {\"max_turns\": -1} -->\n"),
        ("markdown", "### [ ] T-1: x\n\n<!-- ralph {oops -->\n"),
        ("github", "[{\"title\": \"x\"}]"),
        ("github", "{}"),
    ];
    let mut told = String::new();
    for (name, text) in cases {
        let error = named(name).and_then(|format| (format.parse)(text).err());
        let Some(error) = error else { panic!("accepted as {name}: {text}") };
        assert!(!error.help.is_empty(), "{error}");
        let _ = writeln!(told, "-- {name}: {text:?}\nerror: {error}\nhelp:  {}\n", error.help);
    }
    insta::assert_snapshot!("told", told);
}
