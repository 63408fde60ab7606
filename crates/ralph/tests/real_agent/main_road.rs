//! What a new user does first, with the real CLIs and nothing but defaults: the default sandbox, the default review, an
//! agent found by its name. If one of these tests fails, ralph does not work for anyone. `just nightly` plays the roads
//! also as the other user, and with the sandbox switched off.

use std::{fs, io};

use serde_json::{Value, json};
use testkit::{
    model::{Failure, Step},
    pty::Size,
    test_run::TestRun,
};

use crate::{
    Tested,
    clis::{CLAUDE, CODEX, Cli, MEMORY_SERVER, RELAYED_CODEX},
    ground::{
        Ended, FIXES, Ground, LONGEST, PLANS, REVIEWS, does, draft, report, signal, until, verdict,
    },
    island::{Arrival, on_island_as},
    kinds,
    matrix::Cell,
};

const WIDE: Size = Size(100, 50);
const ENTER: &str = "\r";
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
const COMPACTS: &str = "# Compact what is known";

const PROMPT: &str = "make one more file";

/// Which agent does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Agent {
    Claude,
    Codex,
}

/// Who runs ralph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    User,
    Root,
}

/// What keeps the agents in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sandbox {
    Default,
    Off,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
struct Row(Agent, Who, Sandbox);

impl Row {
    fn cli(self) -> &'static Cli {
        match self {
            Self(Agent::Claude, ..) => &CLAUDE,
            Self(Agent::Codex, _, Sandbox::Default) => &RELAYED_CODEX,
            // Without ralph's gateway only its own file tells it of its model.
            Self(Agent::Codex, _, Sandbox::Off) => &CODEX,
        }
    }

    /// What the user types, with what switches the sandbox off where that is what the row is about.
    fn typed<'a>(self, words: &[&'a str]) -> Vec<&'a str> {
        let off = (self.2 == Sandbox::Off).then_some("--sandbox=off");
        words.iter().copied().chain(off).collect()
    }

    /// Plays a road and writes into the table what its kinds of call came to.
    fn plays(self, test: &str, road: fn(Self) -> io::Result<Ground>, kinds: &[&str]) -> Tested {
        let Self(agent, who, sandbox) = self;
        let arrival = if who == Who::Root { Arrival::Root } else { Arrival::Oneself };
        on_island_as(arrival, test, || {
            let cell = |kind: &str| {
                Cell::named(&format!("road.{agent:?}.{who:?}.{sandbox:?}.{kind}").to_lowercase())
            };
            kinds.iter().try_for_each(|kind| cell(kind).write("FAILED"))?;
            let seen = kinds::of(&road(self)?.run)?;
            for kind in kinds {
                let endings =
                    seen.get(*kind).ok_or_else(|| format!("{kind}: not seen in {seen:?}"))?;
                assert!(endings.contains_key("ok"), "{kind}: {seen:?}");
                cell(kind).write(&kinds::words(endings))?;
            }
            Ok(())
        })
    }
}

/// An empty repository of this row's user, with the CLI in `PATH` under its own name and a key that opens nothing.
fn beginning(row: Row, steps: impl FnOnce(&str) -> Vec<Step>) -> io::Result<Ground> {
    let cli = row.cli();
    let ground = Ground::by_default(cli, steps)?;
    let mut ground = if row.1 == Who::User { ground.humbled()? } else { ground };
    if let Row(Agent::Claude, Who::Root, Sandbox::Off) = row {
        // It refuses to work otherwise, and ralph says what to do (`root_is_told_why_the_agent_does_not_work…`).
        ground.run =
            ground.run.with_env("IS_SANDBOX", "1").with_env("RALPH_AGENT_ENV", "IS_SANDBOX");
    }
    let key = if cli.name == CLAUDE.name { "ANTHROPIC_API_KEY" } else { "OPENAI_API_KEY" };
    let path = format!("{}:{PATH}", folder_of_cli(&ground.run));
    ground.run = ground.run.with_env(key, "sk-ant-api03-dummy").with_env("PATH", path);
    Ok(ground)
}

/// The folder in which the CLI is found.
fn folder_of_cli(run: &TestRun) -> String {
    run.path("bin").display().to_string()
}

fn review_of(task: &str) -> String {
    format!("{REVIEWS}{task}")
}

/// One sentence in an empty repository: a question, a plan, a usage limit, a review that asks for a change, the fix, a
/// second review, and two verified tasks.
fn from_an_empty_folder(row: Row) -> io::Result<Ground> {
    let ground = beginning(row, |work| {
        let question = json!({"question": "Which words?", "why": "it is the content", "options": [], "default": ""});
        let mut asks = draft();
        asks["questions"] = json!([question]);
        asks["tasks"] = json!([]);
        let path = format!("{work}/work/T-1");
        let fix = [
            Step::runs("cat work/T-1").when(FIXES),
            Step::runs("rm work/T-1").when(FIXES),
            Step::writes(&path, "now complete\n").when(FIXES),
            Step::reports(report("T-1")).when(FIXES),
        ];
        let refuses = Step::reports(verdict(false, "work/T-1:1", "it says half-done"));
        let approves = |task: &str| {
            let evidence = format!("work/{task}:1");
            Step::reports(verdict(true, &evidence, "")).when(&review_of(task))
        };
        [
            vec![
                Step::reports(asks).when(PLANS),
                Step::reports(draft()).when("these very words"),
                Step::fails(Failure::UsageLimit { seconds: 2 }).when("# Task T-1"),
            ],
            does(work, "T-1", "half-done\n"),
            vec![refuses.when(&review_of("T-1"))],
            fix.to_vec(),
            vec![approves("T-1")],
            does(work, "T-2", "two\n"),
            vec![approves("T-2")],
        ]
        .concat()
    })?;
    let mut terminal = ground.run.on_terminal(&row.typed(&["make two files"]), WIDE)?;
    terminal.wait_for("Which limits should a run have?")?;
    terminal.type_in(ENTER)?;
    terminal.wait_for("Which words?")?;
    terminal.type_in("these very words")?;
    terminal.type_in(ENTER)?;
    terminal.wait_for("Run this plan? [")?;
    terminal.type_in(ENTER)?;
    let code = terminal.finish()?;
    let screen = terminal.screen();
    assert_eq!(code, 0, "{screen}");
    assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{screen}");
    assert!(!screen.contains("crashed"), "{screen}");
    assert_verified(&ground, &screen)?;
    let began = ground.run.events("iteration_started")?;
    let kinds: Vec<_> = began.iter().filter_map(|event| event["kind"].as_str()).collect();
    let road = ["implement", "review", "fix", "review", "implement", "review"];
    assert!(kinds.ends_with(&road), "{kinds:?}: {screen}");
    assert_eq!(ground.run.git(&["show", "HEAD:work/T-1"])?, "now complete");
    Ok(ground)
}

/// A plan in which one task asks its user a question, ralph is killed in the middle of a review, and memory is compacted
/// by the agent, with the knowledge graph, after each task; then a prompt.
fn a_question_a_kill_a_compaction_and_a_prompt(row: Row) -> io::Result<Ground> {
    let ground = beginning(row, |work| {
        let mut question = report("T-1");
        question["task_completed"]["fully_complete"] = json!(false);
        question["question"] = json!("which colour?");
        let approves = |task: &str| {
            let evidence = format!("work/{task}:1");
            Step::reports(verdict(true, &evidence, "")).when(&review_of(task))
        };
        let keeps = Step::calls("mcp__memory__create_entities", entity()).when(COMPACTS);
        let compacts = Step::reports(context()).when(COMPACTS);
        let more = Step::writes(&format!("{work}/work/more"), "more\n").when(PROMPT);
        let claims = Step::says("It is there.\n<promise>COMPLETE</promise>").when(PROMPT);
        [
            vec![Step::reports(question).when("# Task T-1")],
            does(work, "T-2", "two\n"),
            vec![Step::hangs().when(&review_of("T-2")), approves("T-2")],
            vec![keeps, compacts.clone()],
            does(work, "T-1", "blue\n").into_iter().map(|step| step.when("blue, please")).collect(),
            vec![approves("T-1"), compacts.always(), more, claims],
        ]
        .concat()
    })?;
    let (ground, _server) = with_memory(ground, row.cli())?;
    let child = ground.run.spawn(&row.typed(&["run"]))?;
    let hangs = || {
        let asked = ground.model.asked();
        asked.iter().any(|asked| asked.conversation.contains(&review_of("T-2")))
    };
    until("the review is asked for", LONGEST, hangs)?;
    signal(&child, "KILL")?;
    ground.end_of(child)?.assert_code(128 + 9);
    ground.until_nobody_is_left()?;
    let ended = ground.ralph(&row.typed(&["resume"]))?;
    ended.assert_code(3);
    assert_eq!(ground.run.statuses(), ["parked", "done"], "{}", ended.said);
    ground.ralph(&["task", "answer", "T-1", "blue, please"])?.assert_code(0);
    let ended = ground.ralph(&row.typed(&["resume"]))?;
    ended.assert_code(0);
    assert!(!ended.said.contains("crashed"), "{}", ended.said);
    assert_verified(&ground, &ended.said)?;
    assert_eq!(ground.run.git(&["show", "HEAD:work/T-1"])?, "blue");
    assert_kept(&ground, &ended);
    let ended = ground.ralph(&row.typed(&["run", "-p", PROMPT]))?;
    ended.assert_code(0);
    assert_eq!(ground.run.git(&["show", "HEAD:work/more"])?, "more");
    assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{}", ended.said);
    Ok(ground)
}

/// What the agent compacted is what is remembered, and the knowledge graph is as its server left it.
fn assert_kept(ground: &Ground, ended: &Ended) {
    let stored = ground.run.read("work/.ralph/memory/context.json");
    assert!(stored.contains("one file per task, says the compactor"), "{stored}: {}", ended.said);
    let graph = ground.run.read("work/.ralph/memory/graph.jsonl");
    assert!(graph.contains("work folder"), "{graph}: {}", ended.said);
}

/// Everything is done and verified, as the report says it.
fn assert_verified(ground: &Ground, said: &str) -> io::Result<()> {
    assert_eq!(ground.run.statuses(), ["done", "done"], "{said}");
    let report = ground.run.ralph(&["report"])?;
    let report = String::from_utf8_lossy(&report.stdout);
    assert!(report.contains("verified: 2 of 2"), "{report}: {said}");
    Ok(())
}

/// A plan of two tasks, a compaction after each, and the knowledge graph's server in `PATH`.
fn with_memory(mut ground: Ground, cli: &Cli) -> io::Result<(Ground, tempfile::TempDir)> {
    let spare = tempfile::tempdir()?;
    fs::set_permissions(spare.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let server = MEMORY_SERVER.command(spare.path())?;
    let folder = server.parent().unwrap_or(spare.path()).display().to_string();
    let path = format!("{}:{folder}:{PATH}", folder_of_cli(&ground.run));
    let run = ground.run.with_env("PATH", path);
    let graph = json!({"MEMORY_FILE_PATH": ".ralph/memory/graph.jsonl"});
    let servers = json!({"mcpServers": {"memory": {"command": "mcp-server-memory", "args": [], "env": graph}}});
    run.write("work/.ralph/mcp/memory.json", &servers.to_string())?;
    let gate = "[[gate]]\nname = \"tests\"\ncommand = \"test -d .\"\n";
    let agent = format!("[agent]\ncommand = \"{}\"\n", cli.name);
    run.write("work/.ralph/settings.toml", &format!("{agent}{gate}[memory]\ninterval = 1\n"))?;
    let task = |id: &str| {
        let criterion = json!(format!("work/{id} is written"));
        json!({"id": id, "title": format!("write work/{id}"), "acceptance_criteria": [criterion]})
    };
    let plan = json!({"version": 1, "project": "scratch", "tasks": [task("T-1"), task("T-2")]});
    run.write("work/.ralph/plan.json", &plan.to_string())?;
    run.give_back()?;
    ground.run = run;
    Ok((ground, spare))
}

fn context() -> Value {
    let constraint = "one file per task, says the compactor";
    json!({
        "project_summary": "A scratch project.", "completed_work": ["T-2"],
        "active_constraints": [{"constraint": constraint, "source_iteration": "1"}],
        "architectural_decisions": [], "file_knowledge": [],
    })
}

fn entity() -> Value {
    let entity = json!({"name": "work folder", "entityType": "component", "observations": ["one file per task"]});
    json!({"entities": [entity]})
}

/// Each road is a test of its own for each row.
macro_rules! roads {
    ($module:literal: $($name:ident = $road:ident($agent:ident, $who:ident, $sandbox:ident);)+) => {
        $(
            #[test]
            fn $name() -> Tested {
                let row = Row(Agent::$agent, Who::$who, Sandbox::$sandbox);
                row.plays(concat!($module, stringify!($name)), $road, roads!($road))
            }
        )+
    };
    (from_an_empty_folder) => { &["plan", "implement", "review", "fix"] };
    (a_question_a_kill_a_compaction_and_a_prompt) => { &["compact", "prompt"] };
}

roads! { "main_road::":
    claude_from_an_empty_folder_as_a_user = from_an_empty_folder(Claude, User, Default);
    codex_from_an_empty_folder_as_root = from_an_empty_folder(Codex, Root, Default);
    claude_is_asked_killed_and_compacts_as_root =
        a_question_a_kill_a_compaction_and_a_prompt(Claude, Root, Default);
    codex_is_asked_killed_and_compacts_as_a_user =
        a_question_a_kill_a_compaction_and_a_prompt(Codex, User, Default);
}

/// The rest of the table: the default settings of the nextest profiles leave it out.
mod nightly {
    use super::*;

    roads! { "main_road::nightly::":
        claude_from_an_empty_folder_as_root = from_an_empty_folder(Claude, Root, Default);
        codex_from_an_empty_folder_as_a_user = from_an_empty_folder(Codex, User, Default);
        claude_from_an_empty_folder_as_a_user_in_no_sandbox = from_an_empty_folder(Claude, User, Off);
        claude_from_an_empty_folder_as_root_in_no_sandbox = from_an_empty_folder(Claude, Root, Off);
        codex_from_an_empty_folder_as_a_user_in_no_sandbox = from_an_empty_folder(Codex, User, Off);
        codex_from_an_empty_folder_as_root_in_no_sandbox = from_an_empty_folder(Codex, Root, Off);
        claude_is_asked_killed_and_compacts_as_a_user =
            a_question_a_kill_a_compaction_and_a_prompt(Claude, User, Default);
        codex_is_asked_killed_and_compacts_as_root =
            a_question_a_kill_a_compaction_and_a_prompt(Codex, Root, Default);
        claude_is_asked_killed_and_compacts_as_a_user_in_no_sandbox =
            a_question_a_kill_a_compaction_and_a_prompt(Claude, User, Off);
        claude_is_asked_killed_and_compacts_as_root_in_no_sandbox =
            a_question_a_kill_a_compaction_and_a_prompt(Claude, Root, Off);
        codex_is_asked_killed_and_compacts_as_a_user_in_no_sandbox =
            a_question_a_kill_a_compaction_and_a_prompt(Codex, User, Off);
        codex_is_asked_killed_and_compacts_as_root_in_no_sandbox =
            a_question_a_kill_a_compaction_and_a_prompt(Codex, Root, Off);
    }
}
