//! Plans that survive, plans that are refused, and what is said about them.

use std::fmt::Write as _;

use super::*;
use crate::plan::{Criterion, Status, Task, problems};

#[test]
fn a_plan_survives_reading_and_writing() {
    let text = r#"{
  "version": 1,
  "project": "demo",
  "branch": "ralph/demo",
  "description": "what it is about",
  "verify_commands": [
    "make test"
  ],
  "max_iterations": 20,
  "validation_strategy": "strict",
  "tasks": [
    {
      "id": "T-002",
      "title": "second first",
      "description": "long \"text\" with ünïcode",
      "acceptance_criteria": [
        "a sentence",
        {
          "text": "it exists",
          "check": "test -f x"
        }
      ],
      "status": "changes_requested",
      "review_status": "changes_requested",
      "priority": 1,
      "order": -2,
      "depends_on": [
        "T-001"
      ],
      "skills": [
        "rust"
      ],
      "needs_docs": true,
      "libraries": [
        "serde"
      ],
      "agent": "codex",
      "model": "m",
      "max_turns": 3,
      "max_attempts": 4,
      "max_retries": 5,
      "timeout_multiplier": 1.5,
      "review_count": 1,
      "review_feedback": "no",
      "notes": "n",
      "zeta": {
        "b": null,
        "a": [
          1,
          2.5
        ]
      },
      "alpha": "kept"
    },
    {
      "id": "T-001",
      "title": "first second",
      "status": "done"
    }
  ],
  "owner": "someone"
}
"#;
    let plan = parse(text);
    assert_eq!(plan.as_ref().map(render).as_deref(), Ok(text));
    let journaled = plan.as_ref().ok().and_then(|plan| serde_json::to_string(plan).ok());
    assert_eq!(journaled.and_then(|line| serde_json::from_str(&line).ok()), plan.ok());
}

#[test]
fn what_is_missing_has_a_default_and_what_is_derived_is_not_believed() {
    let text = r#"{"tasks":[{"id":"a","title":"b","review_status":"approved","acceptance_criteria":[{"text":"only words"}]}]}"#;
    let plan = parse(text);
    assert_eq!(plan.as_ref().map(|plan| plan.version), Ok(1));
    let expected = Task {
        id: "a".into(),
        title: "b".into(),
        acceptance_criteria: vec![Criterion::Sentence("only words".into())],
        status: Status::Pending,
        ..Task::default()
    };
    assert_eq!(plan.map(|plan| plan.tasks), Ok(vec![expected]));
}

#[test]
fn every_error_names_line_column_task_and_help() {
    let cases = [
        "",
        "nonsense",
        "[]",
        "{\"project\": \"x\"}",
        "{\"userStories\": []}",
        "{\"version\": 2, \"tasks\": [{\"id\": 7}]}",
        "{\"version\": 0, \"tasks\": []}",
        "{\"version\": \"1\", \"tasks\": []}",
        "{\n  \"tasks\": [\n    {\"id\": \"T-1\", \"title\": \"a\"},\n    {\"id\": \"T-2\", \"status\": \"finished\"}\n  ]\n}",
        "{\n  \"tasks\": [\n    {\"id\": \"T-1\", \"max_turns\": -1}\n  ]\n}",
        "{\n  \"tasks\": [\n    {\"id\": \"T-1\", \"id\": \"T-2\"}\n  ]\n}",
        "{\n  \"tasks\": [\n    {\"id\": \"T-1\", \"acceptance_criteria\": [{\"check\": \"true\"}]}\n  ]\n}",
        "{\n  \"tasks\": [\n    {\"id\": \"T-1\", \"acceptance_criteria\": [{\"text\": \"a\", \"owner\": \"b\"}]}\n  ]\n}",
        "{\n  \"tasks\": [\n    {\"id\": \"T-1\"},\n  ]\n}",
        "{\n  \"tasks\": [\n    {\"id\": \"T-1\", \"title\": \"cut off",
        "{\"tasks\": 3}",
        "{\"tasks\": [3]}",
        "{\"tasks\": []} trailing",
    ];
    let mut shown = String::new();
    for text in cases {
        let told = parse(text).err().map(|error| format!("error: {error}\nhelp:  {}", error.help));
        assert!(told.is_some(), "accepted: {text}");
        let _ = write!(shown, "-- {text}\n{}\n\n", told.unwrap_or_default());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn problems_are_named_with_help() {
    let text = r#"{"tasks":[
        {"id":"a","title":"t","depends_on":["b"]},
        {"id":"b","title":"t","depends_on":["c","gone"]},
        {"id":"c","title":"t","depends_on":["a","c"]},
        {"id":"","title":"t"},
        {"id":"d","title":" "},
        {"id":"a","title":"again"},
        {"id":"with space","title":"t"}, {"id":"x/y","title":"t"}, {"id":"-n","title":"t"},
        {"id":"a..b","title":"t"}, {"id":"a\u0007","title":"t"}, {"id":"a.lock","title":"t"},
        {"id":"@","title":"t"}, {"id":".","title":"t"}, {"id":"a~1","title":"t"},
        {"id":"Grüße_1.2@x","title":"fine"},
        {"id":"p","title":"t","depends_on":["q"]}, {"id":"q","title":"t","depends_on":["p"]},
        {"id":"r","title":"fine","depends_on":["q","d"]}
    ]}"#;
    let plan = parse(text).unwrap_or_default();
    let mut shown = String::new();
    for problem in problems(&plan) {
        let _ = write!(shown, "error: {problem}\nhelp:  {}\n", problem.help());
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn criteria_that_nobody_can_judge_or_that_prove_anything_are_problems() {
    let text = r#"{"tasks":[{"id":"a","title":"t","acceptance_criteria":
        ["fine", " ", {"text":"","check":"make"}, {"text":"fast","check":" "}]}]}"#;
    let plan = parse(text).unwrap_or_default();
    let shown: Vec<String> = problems(&plan).iter().map(ToString::to_string).collect();
    let expected = [
        "criterion number 2 of task a is empty",
        "criterion number 4 of task a has an empty check",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_sound_plan_has_no_problems() {
    let text = r#"{"tasks":[{"id":"a","title":"t","depends_on":["b","c"]},{"id":"b","title":"t","depends_on":["c"]},{"id":"c","title":"t"}]}"#;
    assert_eq!(parse(text).map(|plan| problems(&plan)), Ok(Vec::new()));
}

#[test]
fn long_chains_and_circles_are_walked_without_recursion() {
    let many = 50_000;
    let task = |index: usize, needs: usize| Task {
        id: format!("T-{index}").into(),
        title: "t".into(),
        depends_on: vec![format!("T-{needs}").into()],
        ..Task::default()
    };
    let mut plan =
        Plan { tasks: (0..many).map(|i| task(i, (i + 1) % many)).collect(), ..Plan::default() };
    let shown: Vec<String> = problems(&plan).iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "tasks depend on each other in a cycle: T-0 -> T-1 -> T-2 -> T-3 -> T-4 -> T-5 -> T-6 -> T-7 -> T-8 -> T-9 -> … 49989 more … -> T-49999 -> T-0"
        ]
    );
    if let Some(last) = plan.tasks.last_mut() {
        last.depends_on.clear();
    }
    assert_eq!(problems(&plan), []);
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn json(&mut self, depth: u64) -> Json {
        match self.roll(if depth == 0 { 5 } else { 7 }) {
            0 => Json::Null,
            1 => Json::Bool(self.roll(2) == 0),
            2 => Json::from(i64::from_ne_bytes(self.roll(u64::MAX).to_ne_bytes())),
            3 => Json::from(f64::from(u32::try_from(self.roll(1 << 20)).unwrap_or(0)) / 8.0),
            4 => Json::from(self.word()),
            5 => (0..self.roll(4)).map(|_| self.json(depth - 1)).collect(),
            _ => Json::Object(
                (0..self.roll(4)).map(|_| (self.word(), self.json(depth - 1))).collect(),
            ),
        }
    }

    fn word(&mut self) -> String {
        (0..self.roll(6))
            .filter_map(|_| char::from_u32(u32::try_from(self.roll(0x250)).ok()?))
            .collect()
    }

    fn shuffle(&mut self, fields: Vec<(String, Json)>) -> Json {
        let mut keyed: Vec<_> =
            fields.into_iter().map(|field| (self.roll(1 << 30), field)).collect();
        keyed.sort_by_key(|(key, _)| *key);
        Json::Object(keyed.into_iter().map(|(_, field)| field).collect())
    }
}

#[test]
fn unknown_fields_of_any_kind_and_order_are_kept() {
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    for round in 0..2_000 {
        let unknown = |dice: &mut Dice| -> Vec<(String, Json)> {
            (0..dice.roll(4)).map(|i| (format!("x{i}{}", dice.word()), dice.json(3))).collect()
        };
        let tasks: Json = (0..dice.roll(4))
            .map(|index| {
                let mut fields = unknown(&mut dice);
                fields.push(("id".into(), Json::from(format!("T-{index}"))));
                fields.push(("title".into(), Json::from(dice.word())));
                fields.push(("status".into(), Json::from("done")));
                if dice.roll(2) == 0 {
                    fields.push(("order".into(), Json::from(dice.roll(99))));
                }
                dice.shuffle(fields)
            })
            .collect();
        let mut fields = unknown(&mut dice);
        fields.push(("version".into(), Json::from(1)));
        fields.push(("project".into(), Json::from(dice.word())));
        fields.push(("tasks".into(), tasks));
        let document = dice.shuffle(fields);
        let rendered = parse(&document.to_string()).map(|plan| render(&plan)).unwrap_or_default();
        let back: Json = serde_json::from_str(&rendered).unwrap_or_default();
        assert_eq!(back, document, "round {round}");
        assert_eq!(parse(&rendered).map(|plan| render(&plan)), Ok(rendered));
    }
}
