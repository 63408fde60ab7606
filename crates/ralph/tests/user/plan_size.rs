//! A plan of 100,000 tasks stays workable: ten times as many tasks cost about ten times as much.

use std::fmt::Write as _;

use ralph_core::plan::{formats::plan_json, problems};

const FEW: usize = 10_000;
const MANY: usize = 100_000;

fn plan_of(tasks: usize) -> String {
    let mut text = String::from("{\n  \"version\": 1,\n  \"project\": \"big\",\n  \"tasks\": [\n");
    for index in 0..tasks {
        let needs = index.saturating_sub(1);
        let comma = if index + 1 == tasks { "" } else { "," };
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

/// Reads, checks and writes a plan; gives the processor time of that.
fn work(tasks: usize) -> u64 {
    let text = plan_of(tasks);
    assert!(text.len() > tasks * 200, "{} bytes", text.len());
    let before = ticks();
    let plan = plan_json::parse(&text);
    assert_eq!(plan.as_ref().map(problems), Ok(Vec::new()));
    let rendered = plan.as_ref().map(plan_json::render).unwrap_or_default();
    let cost = ticks() - before;
    // The whole way round is the same for any number, so that few will do.
    assert!(tasks > FEW || plan_json::parse(&rendered) == plan);
    cost
}

/// Processor time of this process in ticks of 10 ms: unlike the clock it does not go on while others have the processor.
/// Where it is not told, nothing costs anything.
fn ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum()
}

#[test]
fn a_hundred_thousand_tasks_are_read_checked_and_written() {
    let (few, many) = (work(FEW), work(MANY));
    println!("{FEW} tasks: {few}0 ms, {MANY} tasks: {many}0 ms");
    // What grows with the square would cost a hundred times as much.
    assert!(many <= few * 30 + 100, "{many} ticks against {few}");
}
