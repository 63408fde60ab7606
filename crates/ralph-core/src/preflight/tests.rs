//! Broken plans, each with the exact places of what is found in it.

use super::*;
use crate::{plan::formats::plan_json, usage::MicroUsd, vocabulary::ReviewMode};

fn found(text: &str, facts: &Facts) -> Vec<(usize, usize, &'static str)> {
    let plan = plan_json::parse(text).unwrap_or_default();
    let findings = check(&plan, text, facts);
    findings.iter().map(|one| (one.place.line, one.place.column, one.rule)).collect()
}

fn gated(review: ReviewMode) -> Facts {
    Facts { review, hard_gates: 1, ..Facts::default() }
}

fn task(lines: &str) -> String {
    format!("{{\"project\": \"p\", \"tasks\": [\n{lines}\n]}}")
}

#[test]
fn every_rule_points_at_the_line_and_column_it_is_about() {
    let ok = r#""acceptance_criteria": [{"text": "t", "check": "true"}]"#;
    let table = [
        ("[{]", vec![(1, 1, "no-tasks")]),
        (r#"{"tasks": []}"#, vec![(1, 2, "no-tasks")]),
        (&task(&format!(r#"{{"id": "a", "title": " ", {ok}}}"#)), vec![(2, 13, "no-title")]),
        (&task(&format!(r#"{{"id": "a b", "title": "t", {ok}}}"#)), vec![(2, 2, "id")]),
        (
            &task(&format!(
                "{{\"id\": \"a\", \"title\": \"x\", {ok}}},\n  {{\"id\": \"a\", \"title\": \"y\", {ok}}}"
            )),
            vec![(3, 4, "same-id")],
        ),
        (
            &task(&format!(r#"{{"id": "a", "title": "t", {ok}, "depends_on": ["a", "é", "b"]}}"#)),
            vec![(2, 99, "cycle"), (2, 104, "unknown-dependency"), (2, 109, "unknown-dependency")],
        ),
        (
            &task(&format!(
                "{{\"id\": \"a\", \"title\": \"x\", {ok},\n \"depends_on\": [\"b\"]}},\n{{\"id\": \"b\", \"title\": \"y\", {ok}, \"depends_on\": [\"a\"]}}"
            )),
            vec![(3, 17, "cycle")],
        ),
        (
            &task(
                "{\"id\": \"a\", \"title\": \"t\",\n\"acceptance_criteria\": [\n  \"it works as expected\",\n  \"\",\n  {\"text\": \"c\", \"check\": \"echo 'x\"}]}",
            ),
            vec![(4, 3, "vague-criterion"), (5, 3, "blank-criterion"), (6, 17, "broken-command")],
        ),
        (&task(r#"{"id": "a", "title": "t"}"#), vec![(2, 1, "no-criteria")]),
        (
            &task(&format!(
                r#"{{"id": "a", "title": "add x and y and z", {ok}, "depend_on": [], "mine": 1}}"#
            )),
            vec![(2, 1, "too-big"), (2, 100, "unknown-field")],
        ),
        (
            &task(&format!(
                "{{\"id\": \"a\", \"title\": \"Read the new config file\", {ok}}},\n{{\"id\": \"b\", \"title\": \"read the config file, new\", {ok}}}"
            )),
            vec![(3, 13, "same-title")],
        ),
        (
            &task(&format!(
                "{{\"id\": \"a\", \"title\": \"x\", \"order\": 1, {ok}, \"depends_on\": [\"b\"]}},\n{{\"id\": \"b\", \"title\": \"y\", \"order\": 2, {ok}}}"
            )),
            vec![(2, 27, "order")],
        ),
    ];
    for (text, expected) in table {
        assert_eq!(found(text, &gated(ReviewMode::On)), expected, "{text}");
    }
}

#[test]
fn what_is_there_decides_about_programs_skills_agents_and_gates() {
    let text = task(
        "{\"id\": \"a\", \"title\": \"t\", \"skills\": [\"sql\"], \"agent\": \"ghost\", \"model\": \" \",\n\
         \"acceptance_criteria\": [{\"text\": \"c\", \"check\": \"A=1 pytes -q\"}, \"reads well\"]}",
    );
    let plan = plan_json::parse(&text).unwrap_or_default();
    let missing = wanted(&plan);
    assert!(missing.programs.contains("pytes") && missing.agents.contains("ghost"));
    let facts = Facts { missing, ..gated(ReviewMode::Off) };
    let expected = [
        (2, 38, "missing-skill"),
        (2, 46, "unknown-agent"),
        (2, 64, "unknown-model"),
        (3, 39, "missing-program"),
        (3, 65, "unjudged-criterion"),
    ];
    assert_eq!(found(&text, &facts), expected);
    let hidden = Facts { hidden: wanted(&plan).programs, ..gated(ReviewMode::Off) };
    assert!(found(&text, &hidden).contains(&(3, 39, "missing-program")));
    let bare = Facts { review: ReviewMode::Off, ..Facts::default() };
    let rules: Vec<_> = found(&text, &bare).into_iter().map(|(_, _, rule)| rule).collect();
    assert_eq!(rules, ["no-gates", "unknown-model", "unjudged-criterion"]);
    let sentence = task(r#"{"id": "a", "title": "t", "acceptance_criteria": ["reads well"]}"#);
    let errors = check(&plan_json::parse(&sentence).unwrap_or_default(), &sentence, &bare);
    assert!(
        errors
            .iter()
            .any(|one| one.severity == Severity::Error && one.rule == "nothing-to-verify-with")
    );
}

#[test]
fn shell_words_are_not_taken_for_programs() {
    for (command, program) in [
        ("cargo test -p x", Some("cargo")),
        ("RUST_LOG=debug cargo test", Some("cargo")),
        ("test -f a", None),
        ("! grep -q x y", Some("grep")),
        ("./run.sh", None),
        ("bin/check", None),
        ("/opt/tool/bin/check --all", Some("/opt/tool/bin/check")),
        ("[ -e a ]", None),
        ("$TOOL x", None),
        ("", None),
    ] {
        assert_eq!(commands::program(command).as_deref(), program, "{command}");
    }
}

#[test]
fn a_finished_task_is_left_alone() {
    let text = task(r#"{"id": "a", "title": "x and y and z", "status": "done"}"#);
    assert_eq!(found(&text, &gated(ReviewMode::On)), []);
}

#[test]
fn an_estimate_comes_from_runs_that_were_alike_or_from_the_rule() {
    let text = task(
        "{\"id\": \"a\", \"title\": \"x\"}, {\"id\": \"b\", \"title\": \"y\"}, {\"id\": \"c\", \"title\": \"z\", \"status\": \"done\"}",
    );
    let plan = plan_json::parse(&text).unwrap_or_default();
    let rule = estimate(&plan, ReviewMode::On, &[]);
    assert_eq!((rule.tasks, rule.least_iterations, rule.most_iterations), (2, 4, 6));
    assert_eq!(rule.least_cost_usd_micros, None);
    let run = |review, iterations, cost| PastRun {
        review,
        iterations,
        done: 4,
        cost: Some(MicroUsd(cost)),
    };
    let past = [
        run(ReviewMode::On, 8, 4_000_000),
        run(ReviewMode::On, 16, 4_000_000),
        run(ReviewMode::Off, 4, 400_000),
    ];
    let told = estimate(&plan, ReviewMode::On, &past);
    assert_eq!((told.least_iterations, told.most_iterations), (4, 8));
    assert_eq!(told.least_cost_usd_micros, Some(MicroUsd(400_000)));
    assert_eq!(told.most_cost_usd_micros, Some(MicroUsd(4_000_000)));
    assert_eq!(told.from, "2 past runs of this repository");
}

#[test]
fn places_are_found_in_any_text_without_harm() {
    for text in ["", "{", "[[[", "{\"a\"", "{\"a\":}", "\"", "{\"a\": [1, 2,, 3]}", "nul", "{1:2}"]
    {
        let spans = spans::Spans::of(text);
        assert!(spans.place("tasks.3.title").line >= 1, "{text}");
    }
}
