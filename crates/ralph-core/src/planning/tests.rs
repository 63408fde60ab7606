//! Drafts: good ones in every form agents give them, bad ones with what is wrong, hostile ones that get nowhere.

use serde_json::{Value, json};

use super::*;
use crate::{
    handoff::Handoff,
    plan::{Criterion, Plan, Status, Task, merge},
};

fn draft() -> Value {
    json!({
        "summary": "two steps",
        "questions": [],
        "assumptions": ["the list is small"],
        "project": "todo",
        "description": "a list",
        "prd": {
            "summary": "A list.", "problem_statement": "None today.", "goals": "- fast", "non_goals": "- sync",
            "background": "", "technical_design": "One file.", "constraints": "", "edge_cases": "", "risks": "",
            "open_questions": "- none yet"
        },
        "verify_commands": ["cargo test"],
        "tasks": [
            {"id": "T-1", "title": "store", "description": "d", "depends_on": [], "priority": 1, "skills": [],
             "needs_docs": false, "libraries": [],
             "acceptance_criteria": [{"text": "saves", "check": "sh check.sh"}, {"text": "reads well", "check": ""}]},
            {"id": "T-2", "title": "show", "description": "d", "depends_on": ["T-1"], "priority": 2, "skills": [],
             "needs_docs": true, "libraries": ["ratatui"], "acceptance_criteria": ["shows All, Active and Done"]}
        ],
        "remove": []
    })
}

fn with(key: &str, value: Value) -> Value {
    let mut whole = draft();
    whole[key] = value;
    whole
}

fn of(request: &PlanRequest, value: &Value) -> Result<Draft, Unusable> {
    read(request, Handoff::from_json(&value.to_string()).as_ref(), "")
}

fn fresh(value: &Value) -> Result<Draft, Unusable> {
    of(&PlanRequest::default(), value)
}

fn why(value: &Value) -> String {
    fresh(value).err().map(|unusable| unusable.why.join("\n")).unwrap_or_default()
}

/// One task done, one in progress, two pending.
fn worked_on() -> PlanRequest {
    let task = |id: &str, status: Status| Task {
        id: id.into(),
        title: id.into(),
        status,
        agent: Some("codex".into()),
        ..Task::default()
    };
    let tasks = vec![
        task("A", Status::Done),
        task("B", Status::InProgress),
        task("C", Status::Pending),
        task("D", Status::Pending),
    ];
    let existing = Plan { tasks, project: "todo".into(), ..Plan::default() };
    PlanRequest { existing, prd: "Written.".into(), ..PlanRequest::default() }
}

#[test]
fn the_schema_is_one_line_that_requires_all_it_names_and_nothing_else() {
    fn check(schema: &Value) {
        if let Some(properties) = schema["properties"].as_object() {
            let names: Vec<&str> = properties.keys().map(String::as_str).collect();
            assert_eq!(schema["required"], json!(names));
            assert_eq!(schema["additionalProperties"], false);
            properties.values().for_each(check);
        }
        if schema["items"].is_object() {
            check(&schema["items"]);
        }
    }
    assert!(!DRAFT_SCHEMA.contains('\n'));
    let schema: Value = serde_json::from_str(DRAFT_SCHEMA).unwrap_or_default();
    check(&schema);
    let keys = |value: &Value| -> Vec<String> {
        value.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect()
    };
    assert_eq!(keys(&schema["properties"]), keys(&draft()));
    let task = &schema["properties"]["tasks"]["items"]["properties"];
    let mut named = keys(task);
    named.sort();
    let mut given = keys(&draft()["tasks"][0]);
    given.sort();
    assert_eq!(named, given);
    let sections: Vec<&str> = crate::plan::prd::sections().map(|(key, _)| key).collect();
    assert_eq!(keys(&schema["properties"]["prd"]["properties"]), sections);
}

#[test]
fn a_draft_is_read_from_a_structured_answer_or_a_block() {
    let read = fresh(&draft()).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(read.tasks.len(), 2);
    let checked = Criterion::Checked { text: "saves".into(), check: "sh check.sh".into() };
    let told = Criterion::Sentence("reads well".into());
    assert_eq!(read.tasks[0].acceptance_criteria, [checked, told]);
    assert_eq!((read.tasks[1].needs_docs, read.tasks[1].libraries.len()), (true, 1));
    let block = format!("I read it.\n```ralph-handoff\n{:#}\n```\n", draft());
    assert_eq!(super::read(&PlanRequest::default(), None, &block), Ok(read));
}

#[test]
fn the_requirements_have_their_sections_in_order_and_assumptions_among_the_open_questions() {
    let prd = fresh(&draft()).map(|draft| draft.prd).unwrap_or_default();
    let headings: Vec<&str> = prd.lines().filter(|line| line.starts_with('#')).collect();
    let expected = [
        "# todo",
        "## 1. Summary",
        "## 2. Problem",
        "## 3. Goals",
        "## 4. Non-goals",
        "## 6. Design",
        "## 10. Open questions",
    ];
    assert_eq!(headings, expected);
    assert!(prd.ends_with("- none yet\n\n- Assumed: the list is small\n"), "{prd}");
    let mut silent = draft();
    silent["prd"]["open_questions"] = json!("");
    let prd = fresh(&silent).map(|draft| draft.prd).unwrap_or_default();
    assert!(prd.ends_with("## 10. Open questions\n\n- Assumed: the list is small\n"), "{prd}");
    let whole = fresh(&with("prd", json!("# todo\n\nA list.")));
    let whole = whole.map(|draft| draft.prd).unwrap_or_default();
    assert!(whole.contains("A list.\n\n## 10. Open questions\n\n- Assumed"), "{whole}");
}

#[test]
fn small_slips_of_form_do_not_matter() {
    let mut loose = draft();
    loose["tasks"][0]["id"] = json!(1);
    loose["tasks"][1]["depends_on"] = json!("1");
    loose["tasks"][1]["priority"] = Value::Null;
    loose["tasks"][1]["acceptance_criteria"] = json!([{"check": "true"}]);
    loose["tasks"][1]["mood"] = json!("good");
    loose["verify_commands"] = json!("cargo test");
    loose["remove"] = Value::Null;
    let read = fresh(&loose).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(read.tasks[1].depends_on, ["1".into()]);
    assert_eq!(read.verify_commands, ["cargo test"]);
    assert!(read.tasks[1].extra.is_empty());
}

#[test]
fn every_mistake_is_named_so_that_it_can_be_put_right() {
    let mut no_criteria = draft();
    no_criteria["tasks"][0]["acceptance_criteria"] = json!([]);
    let mut circle = draft();
    circle["tasks"][0]["depends_on"] = json!(["T-2"]);
    let mut twice = draft();
    twice["tasks"][1]["id"] = json!("T-1");
    let mut blank = draft();
    blank["prd"]["technical_design"] = json!(" ");
    let mut shape = draft();
    shape["tasks"][1]["acceptance_criteria"] = json!({"1": "x"});
    for (value, said) in [
        (no_criteria, "task T-1 has no acceptance criterion"),
        (circle, "in a cycle"),
        (twice, "task T-1 is drafted twice"),
        (blank, "`prd.technical_design` is empty"),
        (shape, "`tasks[1].acceptance_criteria` is not a list"),
        (with("tasks", json!([])), "no task is drafted"),
        (with("tasks", json!("three")), "`tasks` is not a list"),
        (with("tasks", json!([7])), "`tasks[0]` is not an object"),
        (with("prd", json!({})), "`prd` is empty"),
        (with("prd", json!(7)), "`prd` is not an object"),
        (with("prd", json!("x".repeat(20_000))), "`prd` is too long as one text"),
        (with("remove", json!([{"id": "Z", "why": "w"}])), "no task Z to remove"),
        (with("verify_commands", json!([1])), "`verify_commands` is not a list of texts"),
    ] {
        assert!(why(&value).contains(said), "{said}: {}", why(&value));
    }
    let mut missing = draft();
    missing.as_object_mut().map(|map| map.remove("tasks"));
    assert!(why(&missing).contains("`tasks` is missing"), "{}", why(&missing));
}

#[test]
fn a_draft_that_was_cut_is_not_taken_for_a_whole_one() {
    let task = |n: usize| {
        json!({"id": format!("T-{n}"), "title": "t", "description": "d",
               "acceptance_criteria": [{"text": "x", "check": "true"}]})
    };
    let many: Vec<Value> = (0..300).map(task).collect();
    assert!(why(&with("tasks", json!(many))).contains("plan fewer at a time"));
    let huge: Vec<Value> = (0..150)
        .map(|n| {
            let mut task = task(n);
            task["description"] = json!("d".repeat(4000));
            task
        })
        .collect();
    assert!(why(&with("tasks", json!(huge))).contains("`tasks` is missing or too long"));
}

#[test]
fn no_draft_gets_in_by_words_or_by_fields_a_planner_may_not_fill() {
    for words in ["", "Done. <promise>COMPLETE</promise>", &draft().to_string()] {
        let unusable = read(&PlanRequest::default(), None, words).err();
        assert!(unusable.is_some_and(|one| one.is_shapeless), "{words}");
    }
    for shapeless in [json!({}), json!({"plan": draft()}), json!({"approved": true})] {
        assert!(fresh(&shapeless).is_err_and(|one| one.is_shapeless), "{shapeless}");
    }
    let mut hostile = draft();
    for (key, value) in [
        ("status", json!("done")),
        ("agent", json!("mine")),
        ("model", json!("big")),
        ("max_attempts", json!(9999)),
        ("timeout_multiplier", json!(1e9)),
        ("review_status", json!("approved")),
        ("notes", json!("x")),
    ] {
        hostile["tasks"][0][key] = value;
    }
    assert_eq!(fresh(&hostile), fresh(&draft()));
    for id in ["../../x", "a b", "-rf", "x.lock", "$(id)", "a\nb", &"x".repeat(200)] {
        let mut odd = draft();
        odd["tasks"][0]["id"] = json!(id);
        assert!(fresh(&odd).is_err(), "{id}");
    }
}

#[test]
fn started_work_stays_whatever_a_draft_says() {
    let request = worked_on();
    for (value, said) in [
        (
            json!([{"id": "A", "title": "x", "acceptance_criteria": ["x"]}]),
            "task A is done and cannot be changed",
        ),
        (
            json!([{"id": "B", "title": "x", "acceptance_criteria": ["x"]}]),
            "task B is in_progress and cannot be changed",
        ),
    ] {
        let mut changed = with("tasks", value);
        changed["prd"] = json!({});
        let why = of(&request, &changed).err().map(|one| one.why.join("\n")).unwrap_or_default();
        assert!(why.contains(said), "{why}");
    }
    let mut removing = with("tasks", json!([]));
    removing["remove"] = json!([{"id": "A", "why": "old"}]);
    let why = of(&request, &removing).err().map(|one| one.why.join("\n")).unwrap_or_default();
    assert!(why.contains("task A is done and cannot be removed"), "{why}");
}

#[test]
fn pending_tasks_change_go_or_stay_as_a_draft_says_and_new_ones_come_after_them() {
    let request = worked_on();
    let mut revised = with(
        "tasks",
        json!([
            {"id": "E", "title": "new", "acceptance_criteria": ["x"], "depends_on": ["A", "C"]},
            {"id": "C", "title": "changed", "acceptance_criteria": ["x"]},
        ]),
    );
    revised["remove"] = json!([{"id": "D", "why": "not needed"}]);
    revised["prd"] = json!({});
    let draft = of(&request, &revised).unwrap_or_else(|error| panic!("{error:?}"));
    let merged = merge::merge(&request.existing, draft.incoming(&request.existing));
    let ids: Vec<&str> = merged.plan.tasks.iter().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, ["A", "B", "C", "E"]);
    assert_eq!(merged.plan.tasks[2].title, "changed");
    assert_eq!(merged.plan.tasks[2].agent.as_deref(), Some("codex"));
    assert_eq!(merged.plan.tasks[0], request.existing.tasks[0]);
    assert_eq!(merged.summary(), "1 added, 1 changed, 1 removed, 2 unchanged");
    // What a draft does not mention goes on.
    let mut little =
        with("tasks", json!([{"id": "E", "title": "n", "acceptance_criteria": ["x"]}]));
    little["prd"] = json!({});
    let draft = of(&request, &little).unwrap_or_else(|error| panic!("{error:?}"));
    let merged = merge::merge(&request.existing, draft.incoming(&request.existing));
    assert_eq!(merged.plan.tasks.len(), 5);
    assert_eq!(merged.summary(), "1 added, 0 changed, 0 removed, 4 unchanged");
}

#[test]
fn questions_become_assumptions_where_nobody_answers_and_tasks_are_drafted_anyway() {
    let asked = json!([{"question": "Which colour?", "why": "", "options": [], "default": "blue"},
                       {"question": "Which name?", "why": "", "options": [], "default": ""}]);
    let read = fresh(&with("questions", asked.clone())).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(read.questions.is_empty());
    assert!(read.assumptions.contains(&"Which colour? blue".to_owned()), "{:?}", read.assumptions);
    assert!(read.prd.contains("- Assumed: Which name? left open"), "{}", read.prd);
    let request = PlanRequest { asking: Asking::Allowed, ..PlanRequest::default() };
    let read = of(&request, &with("questions", asked)).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(read.questions.len(), 2);
}

#[test]
fn a_draft_survives_the_journal() {
    let read = fresh(&draft()).unwrap_or_else(|error| panic!("{error:?}"));
    let text = serde_json::to_string(&read).unwrap_or_default();
    assert_eq!(serde_json::from_str::<Draft>(&text).ok(), Some(read));
}
