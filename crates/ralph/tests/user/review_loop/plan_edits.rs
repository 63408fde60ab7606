//! The plan is ralph's: what agents make of the file is put back, and what they want of it is judged.

use serde_json::{Value, json};
use testkit::test_run::{Because, TestRun};

use super::{HONEST, RALPH, STRICT, Tested, assert_code, said};

/// Does the first task as the test says, the others honestly.
fn on_the_first(deed: &str) -> String {
    format!("{HONEST}\nif [ \"$TASK\" = T-1 ]; then\n{deed}\nfi")
}

fn new_task() -> Value {
    json!({"id": "T-9", "title": "make work/T-9", "description": "A file that was forgotten.",
           "acceptance_criteria": [{"text": "it exists", "check": "test -f work/T-9"}]})
}

fn rulings(run: &TestRun) -> Result<Vec<(String, String)>, std::io::Error> {
    let ruled = run.events("amendments_ruled")?;
    let all = ruled.iter().flat_map(|event| event["ruled"].as_array().cloned().unwrap_or_default());
    Ok(all
        .map(|one| {
            let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (word(&one["proposal"]["amendment"]["action"]), word(&one["ruling"]))
        })
        .collect())
}

#[test]
fn a_damaged_plan_file_is_put_back_and_proposes_nothing() -> Tested {
    for (deed, words) in [
        (
            "head -c 60 \"$WORK/.ralph/plan.json\" > \"$STATE/cut\"; cp \"$STATE/cut\" \"$WORK/.ralph/plan.json\"",
            "damaged",
        ),
        (": > \"$WORK/.ralph/plan.json\"", "emptied"),
        ("echo '{\"tasks\":[]}' > \"$WORK/.ralph/plan.json\"", "all tasks were removed"),
        (
            "echo '{\"tasks\":[{\"id\":\"X\",\"title\":\"rest\",\"status\":\"done\"}]}' > \"$WORK/.ralph/plan.json\"",
            "another plan",
        ),
    ] {
        let run = TestRun::reviewed(RALPH, 2, &on_the_first(deed), STRICT)?
            .without_sandbox(Because::ItReachesOut);
        let output = run.ralph(&["run"])?;
        assert_code(&output, 0);
        assert_eq!(run.statuses(), ["done", "done"], "{deed}");
        assert_eq!(run.task_at(2, "T-1")["status"], "needs_review", "{deed}");
        assert_eq!(run.task_at(2, "T-2")["status"], "pending", "{deed}");
        let heard = format!("{:?}", run.events("amendments_proposed")?);
        assert!(heard.contains(words), "{deed}: {heard}");
        assert!(rulings(&run)?.is_empty(), "{deed}");
    }
    Ok(())
}

#[test]
fn a_handoff_may_add_a_task_and_a_removal_waits() -> Tested {
    let wishes = json!({"plan_amendments": [
        {"action": "add", "task": new_task(), "reason": "it was forgotten"},
        {"action": "remove", "task_id": "T-2", "reason": "nobody needs it"},
        {"action": "modify", "task_id": "T-2", "changes": {"status": "skipped"}, "reason": "nobody needs it"},
    ]});
    let run = TestRun::reviewed(RALPH, 2, &on_the_first(&format!("handoff '{wishes}'")), STRICT)?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    let expected = [("add", "applied"), ("remove", "waits"), ("modify", "refused")];
    let expected = expected.map(|(action, ruling)| (action.to_owned(), ruling.to_owned()));
    assert_eq!(rulings(&run)?, expected, "{}", said(&output));
    assert_eq!(run.statuses(), ["done", "done", "done"]);
    assert_eq!(run.task("T-9")["review_count"], 1, "what was added is worked on and reviewed");
    Ok(())
}

#[test]
fn an_edit_of_the_plan_file_is_judged_like_a_proposal() -> Tested {
    let run = TestRun::reviewed(
        RALPH,
        2,
        &on_the_first("cp \"$STATE/edited.json\" \"$WORK/.ralph/plan.json\""),
        STRICT,
    )?
    .without_sandbox(Because::ItReachesOut);
    let mut edited = run.plan();
    edited["tasks"] = json!([run.task("T-1"), new_task()]);
    edited["tasks"][0]["status"] = "in_progress".into();
    run.write("state/edited.json", &edited.to_string())?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    let expected = [("add", "applied"), ("remove", "waits")];
    let expected = expected.map(|(action, ruling)| (action.to_owned(), ruling.to_owned()));
    assert_eq!(rulings(&run)?, expected, "{}", said(&output));
    assert_eq!(run.statuses(), ["done", "done", "done"]);
    assert!(
        run.work().join("work/T-2").exists(),
        "a task that somebody wants removed is still a task"
    );
    Ok(())
}

#[test]
fn what_weakens_the_plan_waits_for_a_person() -> Tested {
    let run = TestRun::reviewed(
        RALPH,
        1,
        &on_the_first("cp \"$STATE/edited.json\" \"$WORK/.ralph/plan.json\""),
        STRICT,
    )?
    .without_sandbox(Because::ItReachesOut);
    let mut edited = run.plan();
    edited["verify_commands"] = json!(["true"]);
    edited["tasks"][0]["status"] = "in_progress".into();
    edited["tasks"][0]["acceptance_criteria"] = json!(["anything will do"]);
    run.write("state/edited.json", &edited.to_string())?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    let waits = |action: &str| (action.to_owned(), "waits".to_owned());
    assert_eq!(rulings(&run)?, [waits("modify"), waits("plan")], "{}", said(&output));
    assert_eq!(run.statuses(), ["done"]);
    let (evidence, _) = run.evidence("T-1")?;
    assert_eq!(evidence.len(), 2, "the criteria are those of the plan: {evidence:?}");
    assert!(run.plan()["verify_commands"].is_null());
    Ok(())
}

#[test]
fn the_wishes_of_a_rejected_attempt_are_not_granted() -> Tested {
    let wish =
        json!({"plan_amendments": [{"action": "add", "task": new_task(), "reason": "more work"}]});
    let deed = format!(
        "if [ \"$NTH\" = 1 ]; then touch src/BROKEN; handoff '{wish}'; else rm -f src/BROKEN; fi"
    );
    let run = TestRun::new(RALPH, 1, &on_the_first(&deed))?;
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.statuses(), ["done"]);
    assert!(rulings(&run)?.is_empty());
    Ok(())
}
