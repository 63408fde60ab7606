//! Real agent CLIs, driven by the real binary against a scripted model: as an ordinary user, on an empty network,
//! with a cleared environment, a home of its own and a key that opens nothing.

mod boxed;
mod clis;
mod demo;
mod evening;
mod first_minute;
mod ground;
mod hooks;
mod island;
mod kinds;
mod main_road;
mod matrix;
mod memory;
mod night;
mod planning;
mod review;
mod scenarios;

use std::time::{Duration, UNIX_EPOCH};

use clis::CODEX;
use ground::{Caller, Ground, does, report, signal};
use island::{Arrival, on_island, on_island_as};
use ralph_core::time::Timestamp;
use testkit::{
    model::{Failure, Step, USAGE},
    test_run::Because,
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// How soon after ralph's death everything it started is dead, on a machine that has much else to do.
const SOON: Duration = Duration::from_secs(30);

type Tested = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_plan_of_three_tasks_is_finished_though_a_gate_is_red_at_first() -> Tested {
    on_island("a_plan_of_three_tasks_is_finished_though_a_gate_is_red_at_first", || {
        let ground = Ground::new(3, |work| {
            let broken = format!("{work}/src/BROKEN");
            let wrong = [
                Step::writes(&broken, "oops\n").when("# Task T-2"),
                Step::reports(report("T-2")).when("# Task T-2"),
                Step::runs("rm src/BROKEN").when("FAILED src/BROKEN exists"),
            ];
            let done = ["T-1", "T-3"].map(|task| does(work, task, "right\n"));
            let right = does(work, "T-2", "right\n");
            wrong.into_iter().chain(right).chain(done.into_iter().flatten()).collect()
        })?;
        let ended = ground.ralph(&["run"])?;
        ended.assert_code(0);
        assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{}", ended.said);
        assert_eq!(ground.run.statuses(), ["done", "done", "done"]);
        assert_eq!(ground.run.git(&["rev-list", "--count", "main..ralph/scratch"])?, "3");
        assert_eq!(ground.run.git(&["show", "ralph/scratch:work/T-2"])?, "right");
        let subjects =
            ground.run.git(&["log", "--format=%s", "--reverse", "main..ralph/scratch"])?;
        for (task, subject) in ["T-1", "T-2", "T-3"].iter().zip(subjects.lines()) {
            assert!(subject.contains(&format!("write {task} as the model puts it")), "{subjects}");
        }
        let told = ground.model.asked().into_iter().filter(|asked| {
            asked.conversation.contains("# Task T-2")
                && asked.conversation.contains("FAILED src/BROKEN exists")
        });
        assert_eq!(told.count(), 3, "the gate's output did not reach the model");
        let status = ground.status()?;
        let requests = ground.model.asked().len() as u64;
        let each = USAGE.input + USAGE.output + USAGE.cache_read + USAGE.cache_write;
        assert_eq!(status["run"]["tokens"], requests * each, "{status}");
        assert!(status["run"]["cost_usd_micros"].as_u64() > Some(0), "{status}");
        assert_eq!(status["run"]["iterations"], 7, "four of work, three reviews: {status}");
        assert_eq!(status["run"]["rejected"], 1, "{status}");
        assert_eq!(ground.processes(), [""; 0]);
        Ok(())
    })
}

#[test]
fn a_run_killed_inside_a_tool_call_resumes_to_the_same_tree() -> Tested {
    on_island("a_run_killed_inside_a_tool_call_resumes_to_the_same_tree", || {
        let whole = |work: &str| ["T-1", "T-2"].map(|task| does(work, task, "right\n")).concat();
        let undisturbed = Ground::new(2, whole)?;
        undisturbed.ralph(&["run"])?.assert_code(0);
        let ground = Ground::new(2, |work| {
            let command = "mkdir -p work; echo half > work/T-2; touch ../state/in; sleep 3000";
            let mut steps = vec![Step::runs(command).when("# Task T-2")];
            steps.extend(whole(work));
            steps
        })?;
        let child = ground.run.spawn(&["run"])?;
        ground.until_exists("state/in")?;
        assert!(ground.processes().iter().any(|line| line.contains("sleep 3000")));
        signal(&child, "KILL")?;
        ground.end_of(child)?.assert_code(128 + 9);
        let took = ground.until_nobody_is_left()?;
        assert!(took <= SOON, "{took:?}");
        let ended = ground.ralph(&["run"])?;
        ended.assert_code(0);
        assert_eq!(ground.run.statuses(), ["done", "done"]);
        assert_eq!(ground.tree()?, undisturbed.tree()?);
        assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{}", ended.said);
        Ok(())
    })
}

#[test]
fn a_run_killed_inside_a_model_call_resumes() -> Tested {
    on_island("a_run_killed_inside_a_model_call_resumes", || {
        let ground =
            Ground::new(1, |work| [vec![Step::hangs()], does(work, "T-1", "right\n")].concat())?;
        let child = ground.run.spawn(&["run"])?;
        ground.model.wait_for(1, Duration::from_mins(1))?;
        signal(&child, "KILL")?;
        ground.end_of(child)?.assert_code(128 + 9);
        let took = ground.until_nobody_is_left()?;
        assert!(took <= SOON, "{took:?}");
        ground.ralph(&["run"])?.assert_code(0);
        assert_eq!(ground.run.statuses(), ["done"]);
        Ok(())
    })
}

#[test]
fn a_usage_limit_is_waited_for_and_costs_no_attempt() -> Tested {
    on_island("a_usage_limit_is_waited_for_and_costs_no_attempt", || {
        let steps = |work: &str| {
            [vec![Step::fails(Failure::UsageLimit { seconds: 8 })], does(work, "T-1", "right\n")]
                .concat()
        };
        let ground = Ground::with(1, Caller::Subscriber, steps, |run| {
            run.set("[limits]\nmax_attempts = 1")
        })?;
        let ended = ground.ralph(&["run"])?;
        ended.assert_code(0);
        let asked = ground.model.asked();
        let resets_at = asked[0].resets_at.ok_or("the first answer was no usage limit")?;
        assert!(asked[1].at >= resets_at, "{:?}", resets_at.duration_since(asked[1].at));
        let resets_at =
            Timestamp(i64::try_from(resets_at.duration_since(UNIX_EPOCH)?.as_millis())?);
        let resets_at = serde_json::to_value(resets_at)?;
        assert_eq!(ground.run.events("call_set_aside")?[0]["ending"]["resets_at"], resets_at);
        // Times of one form and one zone are ordered as texts.
        let (began, over) = (ground.run.events("wait_began")?, ground.run.events("wait_ended")?);
        assert!(began[0]["until"].as_str() >= resets_at.as_str(), "{began:?}");
        assert!(over[0]["at"].as_str() >= began[0]["until"].as_str(), "{began:?} {over:?}");
        assert_eq!(ground.run.events("attempt_accepted")?[0]["attempt"], 1);
        let calls = ground.run.events("agent_ended")?;
        assert_ne!(calls[0]["session"], calls[1]["session"], "a session id is never used twice");
        assert_eq!(ground.run.statuses(), ["done"]);
        assert_eq!(ground.model.unscripted(), 0);
        assert!(ended.said.contains("limit"), "{}", ended.said);
        Ok(())
    })
}

#[test]
fn configuration_in_the_repository_is_not_obeyed() -> Tested {
    on_island("configuration_in_the_repository_is_not_obeyed", || {
        let ground = Ground::with(
            1,
            Caller::KeyHolder,
            |work| does(work, "T-1", "right\n"),
            |run| {
                let hooks = |file: &str| {
                    let touch = format!("touch {}", run.path(&format!("state/{file}")).display());
                    let hook =
                        serde_json::json!([{"hooks": [{"type": "command", "command": touch}]}]);
                    serde_json::json!({"hooks": {"SessionStart": hook, "Stop": hook}}).to_string()
                };
                let canary = run.path("state/server").display().to_string();
                let server = serde_json::json!({"command": "touch", "args": [canary]});
                let servers = serde_json::json!({"mcpServers": {"planted": server}});
                run.write("home/.claude/settings.json", &hooks("user"))?;
                run.write("work/.claude/settings.json", &hooks("project"))?;
                run.write("work/.claude/settings.local.json", &hooks("local"))?;
                run.write("work/.mcp.json", &servers.to_string())?;
                let skill = "---\nname: planted\ndescription: nougat\n---\nDo it.\n";
                run.write("work/.claude/skills/planted/SKILL.md", skill)?;
                run.write("work/CLAUDE.md", "The planted word is marzipan.\n")
            },
        )?;
        ground.ralph(&["run"])?.assert_code(0);
        // The user's own hook shows that a hook of this form runs when it is read.
        assert!(ground.run.path("state/user").exists());
        for canary in ["project", "local", "server"] {
            assert!(!ground.run.path("state").join(canary).exists(), "{canary}");
        }
        let asked = &ground.model.asked()[0];
        assert!(asked.conversation.contains("marzipan"), "CLAUDE.md is text, not configuration");
        assert!(!asked.conversation.contains("nougat"), "skills are configuration");
        Ok(())
    })
}

#[test]
fn an_overload_and_a_full_context_cost_no_attempt() -> Tested {
    on_island("an_overload_and_a_full_context_cost_no_attempt", || {
        let ground = Ground::with(
            1,
            Caller::KeyHolder,
            |work| {
                let trouble = vec![Step::fails(Failure::Overloaded), Step::fails(Failure::TooLong)];
                [trouble, does(work, "T-1", "right\n")].concat()
            },
            |run| run.set("[limits]\nmax_attempts = 1"),
        )?;
        let ended = ground.ralph(&["run"])?;
        ended.assert_code(0);
        assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{}", ended.said);
        assert_eq!(ground.run.statuses(), ["done"]);
        Ok(())
    })
}

#[test]
fn codex_writes_files_in_its_code_mode_too() -> Tested {
    on_island("codex_writes_files_in_its_code_mode_too", || {
        let ground = Ground::of(&CODEX, 1, |work| does(work, "T-1", "right\n"), |_| Ok(()))?;
        let ground = ground.humbled()?;
        let ended = ground.ralph(&["run", "--model", "gpt-6.1-sol"])?;
        ended.assert_code(0);
        assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{}", ended.said);
        assert_eq!(ground.run.git(&["show", "ralph/scratch:work/T-1"])?, "right");
        Ok(())
    })
}

#[test]
fn root_is_told_why_the_agent_does_not_work_and_what_to_do() -> Tested {
    on_island_as(Arrival::Root, "root_is_told_why_the_agent_does_not_work_and_what_to_do", || {
        let steps = |work: &str| does(work, "T-1", "right\n");
        let mut ground = Ground::with(1, Caller::Root, steps, |_| Ok(()))?;
        // In the sandbox it works as root: only what keeps nothing in is refused.
        ground.run = ground.run.without_sandbox(Because::ItIsAboutThat);
        let ended = ground.ralph(&["run"])?;
        ended.assert_code(4);
        assert!(ended.said.contains("run ralph as an ordinary user"), "{}", ended.said);
        assert_eq!(ground.model.asked().len(), 0);
        Ok(())
    })
}
