//! The examples of `docs/plan-reference.md` are read as a run reads them, and each field that there is has its own.

use serde_json::Value;

use super::{
    Plan, Task,
    amend::{MOST_PER_ITERATION, from_handoff},
    formats::plan_json,
    problems,
};
use crate::handoff::{HANDOFF_SCHEMA, Handoff};

const REFERENCE: &str = include_str!("../../../../docs/plan-reference.md");

/// The blocks of JSON, in order.
fn blocks() -> Vec<&'static str> {
    let after = REFERENCE.split("```json\n").skip(1);
    after.map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

/// The rows of a table whose second column is an example: name and example.
fn rows(heading: &str) -> Vec<(&'static str, &'static str)> {
    let section = REFERENCE.split(heading).nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let row = |line: &'static str| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` | `")?;
        Some((name, rest.split_once("` | ")?.0))
    };
    section.lines().filter_map(row).collect()
}

#[test]
fn every_block_of_json_is_a_sound_plan_or_a_handoff() {
    let mut seen = (0, 0);
    for block in blocks() {
        if block.contains("\"task_completed\"") {
            seen.1 += 1;
        } else {
            let plan = plan_json::parse(block).unwrap_or_else(|error| panic!("{error}: {block}"));
            assert_eq!(problems(&plan), []);
            assert!(plan.extra.is_empty() && plan.tasks.iter().all(|task| task.extra.is_empty()));
            seen.0 += 1;
        }
    }
    assert_eq!(seen, (1, 1));
}

#[test]
fn every_field_of_a_plan_and_of_a_task_has_a_row_with_an_example_that_is_read() {
    let names = |rows: &[(&'static str, &'static str)]| -> Vec<&str> {
        rows.iter().map(|(name, _)| *name).collect()
    };
    let sorted = |mut names: Vec<&'static str>| {
        names.sort_unstable();
        names
    };
    let (plan, task) = (rows("## The plan\n"), rows("## A task\n"));
    assert_eq!(sorted(names(&plan)), sorted(Plan::FIELDS.to_vec()));
    assert_eq!(sorted(names(&task)), sorted(Task::FIELDS.to_vec()));
    for (name, example) in plan {
        let rest = if name == "tasks" { "" } else { ", \"tasks\": []" };
        let read = plan_json::parse(&format!("{{ {example}{rest} }}"));
        assert!(read.is_ok_and(|plan| plan.extra.is_empty()), "{name}: {example}");
    }
    for (name, example) in task {
        let read: Result<Task, _> = serde_json::from_str(&format!("{{ {example} }}"));
        assert!(read.is_ok_and(|task| task.extra.is_empty()), "{name}: {example}");
        assert!(example.starts_with(&format!("\"{name}\":")), "{name}: {example}");
    }
}

#[test]
fn the_handoff_has_every_field_of_the_schema_and_its_three_amendments_are_read() {
    let block = blocks().into_iter().find(|block| block.contains("\"task_completed\""));
    let handoff = Handoff::from_json(block.unwrap_or_default()).unwrap_or_default();
    let example: Value = serde_json::from_str(block.unwrap_or_default()).unwrap_or_default();
    let schema: Value = serde_json::from_str(HANDOFF_SCHEMA).unwrap_or_default();
    let explained =
        REFERENCE.split("| field | what ralph does with it |").nth(1).unwrap_or_default();
    for name in schema["properties"].as_object().into_iter().flat_map(|map| map.keys()) {
        assert!(!example[name].is_null(), "{name} is missing in the example");
        assert!(explained.contains(&format!("`{name}`")), "{name} is not explained");
    }
    let known = schema["properties"].as_object().map_or(0, serde_json::Map::len);
    assert_eq!(example.as_object().map(serde_json::Map::len), Some(known));
    assert_eq!(handoff.task_completed.fully_complete, Some(true));
    let (proposals, unread) = from_handoff(&handoff);
    assert_eq!((proposals.len(), unread.len()), (MOST_PER_ITERATION, 0), "{unread:?}");
    assert!(REFERENCE.contains(&format!("the first {MOST_PER_ITERATION} of an iteration")));
}
