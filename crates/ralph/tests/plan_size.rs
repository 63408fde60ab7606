//! A plan of 100,000 tasks stays workable. The bound is generous: it catches what grows with the square.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use ralph_core::plan::{formats::plan_json, problems};

const TASKS: usize = 100_000;

fn big_plan() -> String {
    let mut text = String::from("{\n  \"version\": 1,\n  \"project\": \"big\",\n  \"tasks\": [\n");
    for index in 0..TASKS {
        let needs = index.saturating_sub(1);
        let comma = if index + 1 == TASKS { "" } else { "," };
        let depends = if index == 0 { String::new() } else { format!("\"T-{needs:06}\"") };
        let _ = writeln!(
            text,
            "    {{ \"id\": \"T-{index:06}\", \"title\": \"Create file number {index}\", \"status\": \"pending\", \
             \"order\": {index}, \"depends_on\": [{depends}], \"retry_count\": 0, \"acceptance_criteria\": \
             [{{ \"text\": \"the file exists\", \"check\": \"test -f work/file_{index}.txt\" }}] }}{comma}"
        );
    }
    text.push_str("  ]\n}\n");
    text
}

#[test]
fn a_hundred_thousand_tasks_are_read_checked_and_written() {
    let text = big_plan();
    assert!(text.len() > TASKS * 200, "{} bytes", text.len());
    let begun = Instant::now();
    let plan = plan_json::parse(&text);
    assert_eq!(plan.as_ref().map(problems), Ok(Vec::new()));
    let rendered = plan.as_ref().map(plan_json::render).unwrap_or_default();
    assert!(begun.elapsed() < Duration::from_mins(1), "took {:?}", begun.elapsed());
    assert_eq!(plan_json::parse(&rendered), plan);
}
