//! Source 002's planning skill in its second mode, and a plan that is there already.

use testkit::test_run::Because;

use super::*;

/// `T-1` done, `T-2` and `T-3` pending.
fn half_done() -> io::Result<TestRun> {
    let run = TestRun::new(RALPH, 3, AGENT)?;
    let mut plan = run.plan();
    plan["tasks"][0]["status"] = json!("done");
    run.write("work/.ralph/plan.json", &format!("{plan:#}\n"))?;
    run.write("work/.ralph/prd.md", "# Ours\n\nWe wrote this.\n")?;
    run.amend()?;
    Ok(run)
}

#[test]
fn a_pre_written_prd_is_read_and_tasks_are_derived_without_regenerating_it() -> Tested {
    let run = project()?;
    run.write("work/.ralph/prd.md", "# Ours\n\nTwo files are wanted.\n")?;
    drafts(&run, 1, &good())?;
    let planned = run.ralph(&["plan"])?;
    assert_code(&planned, 0);
    assert_eq!(run.read("work/.ralph/prd.md"), "# Ours\n\nTwo files are wanted.\n");
    assert_eq!(run.statuses(), ["pending", "pending"]);
    assert!(run.prompt(1).contains("Two files are wanted."), "{}", run.prompt(1));
    assert!(said(&planned).contains(".ralph/prd.md has content and is kept"), "{}", said(&planned));
    Ok(())
}

#[test]
fn a_plan_that_exists_is_changed_only_with_consent_and_begun_work_never() -> Tested {
    let run = half_done()?;
    let before = run.plan();
    let mut draft = good();
    draft["prd"] = json!({});
    draft["tasks"] = json!([task("T-4", &["T-1"]), {
        "id": "T-2", "title": "another title", "acceptance_criteria": ["reads well"]}]);
    draft["remove"] = json!([{"id": "T-3", "why": "not needed"}]);
    drafts(&run, 1, &draft)?;
    let refused = run.ralph(&["plan", "more files"])?;
    assert_code(&refused, 2);
    for part in ["1 added, 1 changed, 1 removed, 1 unchanged", "+ T-4", "~ T-2", "- T-3", "--yes"] {
        assert!(said(&refused).contains(part), "{part}: {}", said(&refused));
    }
    assert_eq!(run.plan(), before);
    assert!(run.prompt(1).contains("T-1 (done): make work/T-1"), "{}", run.prompt(1));

    drafts(&run, 2, &draft)?;
    assert_code(&run.ralph(&["plan", "more files", "--yes"])?, 0);
    let ids: Vec<Value> =
        run.plan()["tasks"].as_array().into_iter().flatten().map(|t| t["id"].clone()).collect();
    assert_eq!(ids, ["T-1", "T-2", "T-4"]);
    assert_eq!(run.task("T-1")["status"], "done");
    assert_eq!(run.task("T-2")["title"], "another title");
    Ok(())
}

#[test]
fn a_revision_changes_pending_tasks_as_it_says() -> Tested {
    let run = half_done()?;
    let mut touches_done = json!({"tasks": [task("T-1", &[])], "remove": []});
    drafts(&run, 1, &touches_done)?;
    touches_done["tasks"] =
        json!([{"id": "T-3", "title": "smaller", "acceptance_criteria": ["x"]}]);
    drafts(&run, 2, &touches_done)?;
    let revised = run.ralph(&["plan", "--revise", "make T-3 smaller", "--yes"])?;
    assert_code(&revised, 0);
    let prompt = run.prompt(1);
    assert!(prompt.starts_with("# Revise the plan"), "{prompt}");
    assert!(prompt.contains("make T-3 smaller") && prompt.contains("We wrote this."), "{prompt}");
    assert!(run.prompt(2).contains("task T-1 is done and cannot be changed"), "{}", run.prompt(2));
    assert_eq!(run.task("T-3")["title"], "smaller");
    assert_eq!(run.task("T-2")["title"], "make work/T-2");
    assert_eq!(run.statuses(), ["done", "pending", "pending"]);
    Ok(())
}

#[test]
fn a_plan_that_says_all_of_it_already_is_left_alone() -> Tested {
    let run = half_done()?;
    let before = run.read("work/.ralph/plan.json");
    drafts(&run, 1, &json!({"summary": "all planned", "tasks": [], "questions": []}))?;
    let planned = run.ralph(&["plan", "the same again"])?;
    assert_code(&planned, 0);
    assert!(said(&planned).contains("nothing to change"), "{}", said(&planned));
    assert_eq!(run.read("work/.ralph/plan.json"), before);
    Ok(())
}

#[test]
fn a_planning_run_is_never_taken_for_the_last_run() -> Tested {
    let run = TestRun::new(RALPH, 1, AGENT)?.without_review(Because::ItCountsCalls)?;
    assert_code(&run.ralph(&["run"])?, 0);
    let report = String::from_utf8_lossy(&run.ralph(&["report"])?.stdout).into_owned();
    drafts(&run, 2, &json!({"tasks": [task("T-9", &[])], "prd": good()["prd"].clone()}))?;
    assert_code(&run.ralph(&["plan", "more", "--yes"])?, 0);
    let again = String::from_utf8_lossy(&run.ralph(&["report"])?.stdout).into_owned();
    assert_eq!(again, report);
    assert_code(&run.ralph(&["resume"])?, 2);
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.statuses(), ["done", "done"]);
    Ok(())
}
