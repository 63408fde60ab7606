//! A whole night with a real CLI: of twelve tasks one crashes the agent, one asks, one has a red gate for two tries, one
//! meets an outage of the provider and one a usage limit. All others are done by the morning, and then the rest.

use std::io;

use serde_json::{Value, json};
use testkit::model::{Failure, Step};

use crate::{
    Tested,
    clis::{CLAUDE, CODEX, Cli},
    ground::{Ground, LONGEST, does, report, until},
    island::on_island,
};

/// Ends the CLI that runs it, whoever is in between.
const CRASH: &str = r#"pid=$$
while [ "$pid" -gt 1 ]; do
  pid=$(awk '/^PPid:/ {print $2}' "/proc/$pid/status")
  case "$(tr '\0' ' ' < "/proc/$pid/cmdline")" in
    *sh\ *|*crash.sh*) ;;
    *) kill -9 "$pid"; exit ;;
  esac
done
"#;

const RED: &str = "T-3";
const CRASHES: &str = "T-5";
const ASKS: &str = "T-7";
const OUTAGE: &str = "T-9";
const LIMIT: &str = "T-10";

#[test]
fn claude() -> Tested {
    on_island("night::claude", || night(&CLAUDE))
}

#[test]
fn codex() -> Tested {
    on_island("night::codex", || night(&CODEX))
}

fn night(cli: &Cli) -> Tested {
    let mut ground = Ground::of(cli, 12, evening, |run| {
        run.write("work/work/README.md", "# work\n")?;
        run.write("work/src/README.md", "# src\n")?;
        run.write("work/crash.sh", CRASH)
    })?;
    if cli.name == CLAUDE.name {
        ground.run = ground.run.with_env("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-dummy");
    }
    let ground = ground.humbled()?;
    let child = ground.run.spawn(&["run"])?;
    let is_out = || {
        let asides = ground.run.events("call_set_aside").unwrap_or_default();
        asides.iter().any(|call| call["ending"]["how"] == "overloaded")
    };
    // Eight tasks and their reviews come before it.
    until("the provider is out", LONGEST * 3, is_out)?;
    ground.goes_on(after_the_outage(&ground.run.work().to_string_lossy()));
    let ended = ground.end_of(child)?;
    ended.assert_code(3);
    let waits = [CRASHES, ASKS];
    for (number, status) in (1..).zip(ground.run.statuses()) {
        let task = format!("T-{number}");
        let wanted = if waits.contains(&task.as_str()) { "parked" } else { "done" };
        assert_eq!(status, wanted, "{task}: {}", ended.said);
    }
    let of = |kind: &str, task: &str| -> io::Result<Vec<Value>> {
        let events = ground.run.events(kind)?.into_iter();
        Ok(events.filter(|event| event["task"] == task).collect())
    };
    assert_eq!(of("attempt_rejected", RED)?.len(), 2, "{}", ended.said);
    assert_eq!(ground.run.events("attempt_rejected")?.len(), 2, "nobody else pays for the night");
    let asked = ground.model.asked();
    let limited = asked.iter().position(|it| it.resets_at.is_some()).unwrap_or(usize::MAX);
    let after = asked.get(limited.saturating_add(1)).ok_or("no limit was met")?;
    assert!(Some(after.at) >= asked[limited].resets_at, "asked before the allowance was back");
    for words in ["which colour", "T-5 waits for you", "T-7 waits for you"] {
        assert!(ended.said.contains(words), "{words}: {}", ended.said);
    }
    assert_eq!(ground.processes(), [""; 0]);
    Ok(morning(&ground)?)
}

/// What was asked is answered, what crashed is tried again, and the same run comes to its end.
fn morning(ground: &Ground) -> io::Result<()> {
    let work = ground.run.work().to_string_lossy().into_owned();
    let answered = does(&work, ASKS, "blue\n").into_iter().map(|step| step.when("blue, please"));
    ground.goes_on(answered.chain(does(&work, CRASHES, "right\n")).collect());
    ground.ralph(&["task", "answer", ASKS, "blue, please"])?.assert_code(0);
    ground.ralph(&["task", "retry", CRASHES])?.assert_code(0);
    let ended = ground.ralph(&["resume"])?;
    ended.assert_code(0);
    assert_eq!(ground.run.statuses(), ["done"; 12], "{}", ended.said);
    // Claude asks by itself again while the provider is out: what it asks then is in no script.
    assert_eq!(ground.model.left(), 0, "{}", ended.said);
    assert_eq!(ground.run.git(&["rev-list", "--count", "main..ralph/scratch"])?, "12");
    Ok(())
}

fn evening(work: &str) -> Vec<Step> {
    let broken = format!("{work}/src/BROKEN");
    let on = |task: &str, step: Step| step.when(&format!("# Task {task}"));
    let mut question = report(ASKS);
    question["task_completed"]["fully_complete"] = json!(false);
    question["question"] = json!("which colour?");
    let mut steps = vec![
        on(RED, Step::writes(&broken, "once\n")),
        on(RED, Step::reports(report(RED))),
        on(RED, Step::writes(&broken, "twice\n")),
        on(RED, Step::reports(report(RED))),
        on(RED, Step::runs("rm src/BROKEN")),
        on(CRASHES, Step::runs("sh crash.sh")).always(),
        on(ASKS, Step::reports(question)),
        on(OUTAGE, Step::fails(Failure::Overloaded)).always(),
    ];
    let calm = [RED, "T-1", "T-2", "T-4", "T-6", "T-8"];
    steps.extend(calm.iter().flat_map(|task| does(work, task, "right\n")));
    steps
}

fn after_the_outage(work: &str) -> Vec<Step> {
    let limit = Step::fails(Failure::UsageLimit { seconds: 8 }).when(&format!("# Task {LIMIT}"));
    let rest = [OUTAGE, LIMIT, "T-11", "T-12"];
    [limit].into_iter().chain(rest.iter().flat_map(|task| does(work, task, "right\n"))).collect()
}
