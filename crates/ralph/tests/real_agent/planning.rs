//! From a specification to finished work with the real CLI: it hands its draft over in the form that ralph gave it
//! as a schema, and then works through the plan that came of it.

use ralph_core::planning::DRAFT_SCHEMA;
use serde_json::{Value, json};
use testkit::{model::Step, test_run::TestRun};

use crate::{
    Tested,
    ground::{Caller, Ground, PLANS, does, draft},
    island::on_island,
};

const SPEC: &str = "# Two files\n\nwork/T-1 and work/T-2 must exist.\n";

/// Without a plan, with a specification that is in no commit.
fn with_spec(run: &TestRun) -> std::io::Result<()> {
    std::fs::remove_file(run.path("work/.ralph/plan.json"))
}

/// Reads the specification in its copy, scribbles there, drafts badly once, then well; then the work.
fn steps(work: &str) -> Vec<Step> {
    let mut misfit = draft();
    misfit.as_object_mut().map(|map| map.remove("tasks"));
    let mut circle = draft();
    circle["tasks"][0]["depends_on"] = json!(["T-2"]);
    let planning = vec![
        Step::runs("cat spec.md; echo scribble > scribble.txt").when(PLANS),
        // What does not fit the schema is not let through by the CLI.
        Step::reports(misfit).when("must exist"),
        // What fits the schema and is no plan is not let through by ralph.
        Step::reports(circle).when("must exist"),
        Step::reports(draft()).when("depend on each other in a cycle"),
    ];
    [planning, does(work, "T-1", "one\n"), does(work, "T-2", "two\n")].concat()
}

#[test]
fn a_specification_becomes_requirements_and_a_valid_plan_that_a_run_finishes() -> Tested {
    on_island(
        "planning::a_specification_becomes_requirements_and_a_valid_plan_that_a_run_finishes",
        || {
            let ground = Ground::with(0, Caller::KeyHolder, steps, with_spec)?;
            let run = &ground.run;
            run.write("work/spec.md", SPEC)?;
            let planned = ground.ralph(&["plan", "spec.md", "--yes"])?;
            planned.assert_code(0);
            let prd = run.read("work/.ralph/prd.md");
            assert!(prd.contains("## 1. Summary\n\nTwo files.\n"), "{prd}");
            assert!(prd.contains("- Assumed: any content will do"), "{prd}");
            assert_eq!(run.statuses(), ["pending", "pending"], "{}", planned.said);
            assert_eq!(run.task("T-2")["depends_on"], json!(["T-1"]));
            assert_eq!(run.events("draft_unusable")?.len(), 1);
            assert!(!run.work().join("scribble.txt").exists(), "the planner left something");
            let wanted: Value = serde_json::from_str(DRAFT_SCHEMA)?;
            for asked in ground.model.asked() {
                assert_eq!(asked.schema["properties"], wanted["properties"]);
                assert_eq!(asked.schema["required"], wanted["required"]);
            }
            let ended = ground.ralph(&["run"])?;
            ended.assert_code(0);
            let left = (ground.model.left(), ground.model.unscripted());
            assert_eq!(left, (0, 0), "{}", ended.said);
            assert_eq!(run.statuses(), ["done", "done"]);
            assert_eq!(run.git(&["show", "ralph/scratch:work/T-2"])?, "two");
            assert_eq!(run.read("work/spec.md"), SPEC);
            assert_eq!(ground.processes(), [""; 0]);
            Ok(())
        },
    )
}
