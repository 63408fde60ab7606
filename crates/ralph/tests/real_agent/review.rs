//! A whole review cycle with the real CLI: it hands its verdict over in the form that ralph gave it as a schema.

use ralph_core::review::REVIEW_SCHEMA;
use serde_json::{Value, json};
use testkit::{
    model::{Asked, Step},
    test_run::TestRun,
};

use crate::{
    Tested,
    ground::{Caller, FIXES, Ground, does, report, verdict},
    island::on_island,
};

const REVIEWS: &str = "# Review of task T-1";

fn is_review(asked: &Asked) -> bool {
    asked.conversation.contains(REVIEWS)
}

fn with_reviews(run: &TestRun) -> std::io::Result<()> {
    run.set("[review]\nmode = \"on\"")?;
    let mut plan = run.plan();
    plan["tasks"][0]["acceptance_criteria"] = json!(["work/T-1 says that it is complete"]);
    run.write("work/.ralph/plan.json", &plan.to_string())
}

/// The first review asks for a change, the second one looks again; each answer follows from what was read.
fn cycle(work: &str) -> Vec<Step> {
    let looks = || Step::runs("cat work/T-1; echo scribble > scribble.txt").when(REVIEWS);
    let fixed = Step::writes(&format!("{work}/work/T-1"), "now complete\n").when(FIXES);
    let refused = verdict(false, "work/T-1:1", "it says half-done");
    let approved = verdict(true, "`cat work/T-1` prints `now complete`", "");
    [
        does(work, "T-1", "half-done\n"),
        vec![looks(), Step::reports(refused).when("half-done")],
        // The CLI wants the file read before it is written over.
        vec![Step::runs("cat work/T-1").when(FIXES), Step::runs("rm work/T-1").when(FIXES)],
        vec![fixed, Step::reports(report("T-1")).when(FIXES)],
        // Approval that does not fit the schema is not let through by the CLI.
        vec![looks(), Step::reports(json!({"approved": true})).when("now complete")],
        vec![Step::reports(approved).when("now complete")],
    ]
    .concat()
}

#[test]
fn work_is_implemented_sent_back_fixed_and_approved() -> Tested {
    on_island("review::work_is_implemented_sent_back_fixed_and_approved", || {
        let ground = Ground::with(1, Caller::KeyHolder, cycle, with_reviews)?;
        let ended = ground.ralph(&["run"])?;
        ended.assert_code(0);
        assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{}", ended.said);
        let run = &ground.run;
        assert_eq!(
            (run.statuses(), &run.task("T-1")["review_count"]),
            (vec!["done".into()], &2.into())
        );
        assert_eq!(run.git(&["show", "ralph/scratch:work/T-1"])?, "now complete");
        assert_eq!(run.git(&["rev-list", "--count", "main..ralph/scratch"])?, "2");
        let began = run.events("iteration_started")?;
        let kinds: Vec<_> = began.iter().map(|event| event["kind"].clone()).collect();
        assert_eq!(kinds, ["implement", "review", "fix", "review"]);
        let reviewed = run.events("reviewed")?;
        let approved: Vec<_> = reviewed.iter().map(|one| &one["judgement"]["approved"]).collect();
        assert_eq!(approved, [false, true], "{reviewed:?}");
        let (evidence, labels) = run.evidence("T-1")?;
        assert_eq!(evidence[0]["by"]["evidence"], "`cat work/T-1` prints `now complete`");
        assert_eq!(evidence[0]["tree"], ground.tree()?.as_str());
        assert!(labels.is_empty(), "{labels:?}");
        assert!(!run.work().join("scribble.txt").exists(), "a review left something behind");
        let asked = ground.model.asked();
        assert!(asked.iter().any(|one| one.conversation.contains("it says half-done")));
        let wanted: Value = serde_json::from_str(REVIEW_SCHEMA)?;
        let schemas: Vec<_> =
            asked.iter().filter(|one| is_review(one)).map(|one| &one.schema).collect();
        assert!(!schemas.is_empty());
        for schema in schemas {
            assert_eq!(schema["properties"], wanted["properties"], "the CLI changed the schema");
            assert_eq!(schema["required"], wanted["required"]);
        }
        assert_eq!(ground.processes(), [""; 0]);
        Ok(())
    })
}

#[test]
fn a_reviewer_that_says_approved_in_prose_approves_nothing() -> Tested {
    on_island("review::a_reviewer_that_says_approved_in_prose_approves_nothing", || {
        let praise = || Step::says("All criteria are met. Approved.").when(REVIEWS);
        let steps = |work: &str| {
            let praises = (0..8).map(|_| praise()).collect();
            [does(work, "T-1", "half-done\n"), praises].concat()
        };
        let ground = Ground::with(1, Caller::KeyHolder, steps, with_reviews)?;
        let ended = ground.ralph(&["run"])?;
        ended.assert_code(3);
        assert_eq!(ground.run.statuses(), ["parked"], "{}", ended.said);
        assert_eq!(ground.run.events("review_unusable")?.len(), 2);
        assert!(ground.run.git(&["rev-parse", "ralph/parked/T-1"]).is_ok());
        Ok(())
    })
}
