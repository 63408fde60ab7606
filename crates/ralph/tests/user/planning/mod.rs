//! From an idea to a plan: `ralph plan` with the real binary, real git and a scripted planner.

mod crashes;
mod drafts;
mod existing;
#[cfg(target_os = "linux")]
mod on_terminal;
mod refusals;
#[cfg(target_os = "linux")]
mod start;

use std::io;

use serde_json::{Value, json};
use testkit::{
    test_run::TestRun,
    told::{assert_code, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

/// Hands over `state/draft.N` in its Nth call where a plan is wanted, and does the task where that is wanted.
const AGENT: &str = "if grep -q '^# Draft a plan\\|^# Revise the plan' \"$PROMPT\"; then\n\
    pwd > \"$STATE/folder.$N\"; cat src/main.txt > \"$STATE/seen.$N\"; ls specs >> \"$STATE/seen.$N\" 2>/dev/null\n\
    echo scribble > src/main.txt\n\
    if [ -e \"$STATE/draft.$N\" ]; then handoff \"$(cat \"$STATE/draft.$N\")\"; else echo 'no idea'; fi\n\
    else mkdir -p work && echo \"$TASK final\" > \"work/$TASK\"; fi";

type Tested = Result<(), Box<dyn std::error::Error>>;

/// A project with settings and without a plan.
fn project() -> io::Result<TestRun> {
    let run = TestRun::new(RALPH, 0, AGENT)?;
    std::fs::remove_file(run.path("work/.ralph/plan.json"))?;
    run.amend()?;
    Ok(run)
}

/// What the planner hands over in its nth call.
fn drafts(run: &TestRun, nth: usize, draft: &Value) -> io::Result<()> {
    run.write(&format!("state/draft.{nth}"), &draft.to_string())
}

fn task(id: &str, after: &[&str]) -> Value {
    json!({
        "id": id, "title": format!("make work/{id}"), "description": "make the file", "depends_on": after,
        "acceptance_criteria": [{"text": format!("work/{id} exists"), "check": format!("test -f work/{id}")}],
    })
}

/// A draft of two tasks with requirements.
fn good() -> Value {
    json!({
        "summary": "two files", "questions": [], "assumptions": ["files may be empty"], "project": "demo",
        "description": "makes files", "verify_commands": [], "remove": [],
        "prd": {"summary": "Two files.", "problem_statement": "There are none.", "technical_design": "Make them."},
        "tasks": [task("T-1", &[]), task("T-2", &["T-1"])],
    })
}

fn asks(question: &str, options: &[&str], default: &str) -> Value {
    let question = json!({"question": question, "why": "it decides the format", "options": options,
                          "default": default});
    json!({"questions": [question], "summary": "a question first"})
}

/// The folder of the only planning run.
fn planning_run(run: &TestRun) -> io::Result<String> {
    let runs = std::fs::read_dir(run.path("work/.ralph/runs"))?.flatten();
    let mut names: Vec<String> =
        runs.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with("-plan"));
    names.sort();
    names.pop().ok_or_else(|| io::Error::other("no planning run"))
}
