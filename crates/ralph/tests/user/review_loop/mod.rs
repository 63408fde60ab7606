//! Done is proved, end to end: the real binary, real git, real processes; a scripted implementer and a scripted
//! reviewer stand for the model.

mod copies;
mod cycle;
mod liar;
mod people;
mod plan_edits;
mod stuck;

use std::io;

use serde_json::Value;
use testkit::{
    test_run::TestRun,
    told::{assert_code, said, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Does the task and nothing else.
const HONEST: &str = "mkdir -p work && echo \"$TASK final\" > \"work/$TASK\"";
/// Leaves a draft first, and mends it when a reviewer asks for that.
const DRAFTS: &str = "mkdir -p work\n\
    if [ \"$KIND\" = fix ]; then echo \"$TASK final\" > \"work/$TASK\"; else echo \"$TASK draft\" > \"work/$TASK\"; fi";
/// Looks at the real file.
const STRICT: &str = "if grep -q final \"work/$TASK\"; then review true '' \"work/$TASK:1\"\n\
    else refuse \"work/$TASK still says draft\"; fi";

type Tested = Result<(), Box<dyn std::error::Error>>;

/// Changes the plan before the run.
fn edit_plan(run: &TestRun, change: impl FnOnce(&mut Value)) -> io::Result<()> {
    let mut plan = run.plan();
    change(&mut plan);
    run.write("work/.ralph/plan.json", &format!("{plan:#}\n"))?;
    run.amend()
}

/// The names below which a run branch holds a task's file.
fn files(run: &TestRun, branch: &str) -> io::Result<Vec<String>> {
    let list = run.git(&["ls-tree", "-r", "--name-only", branch, "work/"])?;
    Ok(list.lines().map(str::to_owned).collect())
}
