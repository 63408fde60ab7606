//! ralph's hooks in the real CLIs: what the guard denies does not happen although permissions are skipped, a wrong end is
//! not an end, a context that fills up is told, and the plugin is one that Claude Code takes.

use std::{fs, io, path::Path, process::Command};

use serde_json::json;
use testkit::model::Step;

use crate::{
    Tested,
    clis::{CLAUDE, CODEX, Cli},
    ground::{Ended, Ground, REVIEWS, does, report},
    island::on_island,
};

/// A project of one task for this CLI, run to its good end.
fn plays(cli: &Cli, steps: impl FnOnce(&str) -> Vec<Step>) -> io::Result<(Ground, Ended)> {
    let mut ground = Ground::of(cli, 1, steps, |_| Ok(()))?;
    if cli.name == CLAUDE.name {
        ground.run = ground.run.with_env("ANTHROPIC_API_KEY", "sk-ant-dummy");
    }
    let ground = ground.humbled()?;
    let ended = ground.ralph(&["run"])?;
    ended.assert_code(0);
    assert_eq!(ground.run.statuses(), ["done"], "{}", ended.said);
    assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{}", ended.said);
    Ok((ground, ended))
}

/// All that the worker's last request holds.
fn told(ground: &Ground) -> String {
    let asked = ground.model.asked();
    let last = asked.into_iter().rfind(|asked| !asked.conversation.contains(REVIEWS));
    last.map(|asked| asked.conversation + &asked.instructions).unwrap_or_default()
}

/// A command that the guard denies; the mark shows whether it ran.
fn pushes(work: &str) -> Step {
    Step::runs(&format!("touch {work}/../state/ran; git push --force origin main"))
}

fn assert_denied(ground: &Ground, ended: &Ended) {
    assert!(!ground.run.path("state/ran").exists(), "{}", ended.said);
    assert!(told(ground).contains("ralph's guard"), "{}", told(ground));
}

#[test]
fn claude_is_denied_a_command_and_a_file_although_permissions_are_skipped() -> Tested {
    on_island(
        "hooks::claude_is_denied_a_command_and_a_file_although_permissions_are_skipped",
        || {
            let (ground, ended) = plays(&CLAUDE, |work| {
                let planted = Step::writes(&format!("{work}/.git/hooks/planted"), "x\n");
                [vec![pushes(work), planted], does(work, "T-1", "right\n")].concat()
            })?;
            assert_denied(&ground, &ended);
            assert!(!ground.run.work().join(".git/hooks/planted").exists(), "{}", ended.said);
            assert!(
                told(&ground).contains("belongs to the repository itself"),
                "{}",
                told(&ground)
            );
            assert_eq!(ground.run.events("agent_ended")?[0]["denials"], 2, "{}", ended.said);
            Ok(())
        },
    )
}

#[test]
fn codex_is_denied_a_command_although_permissions_are_skipped() -> Tested {
    on_island("hooks::codex_is_denied_a_command_although_permissions_are_skipped", || {
        let (ground, ended) =
            plays(&CODEX, |work| [vec![pushes(work)], does(work, "T-1", "right\n")].concat())?;
        assert_denied(&ground, &ended);
        Ok(())
    })
}

#[test]
fn claude_hands_over_again_what_it_may_not_propose() -> Tested {
    on_island("hooks::claude_hands_over_again_what_it_may_not_propose", || {
        let (ground, ended) = plays(&CLAUDE, |work| {
            let mut wrong = report("T-1");
            let changes = json!({"title": "easier", "status": "done"});
            wrong["plan_amendments"] =
                json!([{"action": "modify", "task_id": "T-1", "changes": changes, "reason": "r"}]);
            [vec![Step::reports(wrong)], does(work, "T-1", "right\n")].concat()
        })?;
        assert!(told(&ground).contains("cannot set a task's status"), "{}", told(&ground));
        assert_eq!(
            ground.run.events("agent_ended")?.len(),
            2,
            "the work, its review: {}",
            ended.said
        );
        Ok(())
    })
}

#[test]
fn codex_goes_on_until_it_hands_over() -> Tested {
    on_island("hooks::codex_goes_on_until_it_hands_over", || {
        let (ground, ended) = plays(&CODEX, |work| {
            [vec![Step::says("All is done.")], does(work, "T-1", "right\n")].concat()
        })?;
        assert!(told(&ground).contains("the last message is not a handoff"), "{}", told(&ground));
        assert_eq!(
            ground.run.events("agent_ended")?.len(),
            2,
            "the work, its review: {}",
            ended.said
        );
        Ok(())
    })
}

#[test]
fn a_context_that_fills_up_is_told_once() -> Tested {
    on_island("hooks::a_context_that_fills_up_is_told_once", || {
        for (cli, expected) in [
            (&CLAUDE, "Warning from ralph: about 75 % of your context window"),
            (&CODEX, "Notice from ralph: 58 % of your context window"),
        ] {
            let (ground, ended) = plays(cli, |work| {
                let busy = [Step::runs("true").after(150_000), Step::runs("false").after(150_000)];
                [busy.to_vec(), does(work, "T-1", "right\n")].concat()
            })?;
            assert_eq!(told(&ground).matches(expected).count(), 1, "{}", told(&ground));
            assert_eq!(told(&ground).matches("from ralph:").count(), 1, "{}", ended.said);
        }
        Ok(())
    })
}

#[test]
fn claude_takes_the_plugin() -> Tested {
    on_island("hooks::claude_takes_the_plugin", || {
        let spare = tempfile::tempdir()?;
        let home = spare.path().join("home");
        fs::create_dir(&home)?;
        let program = CLAUDE.command(spare.path())?;
        let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin").canonicalize()?;
        let manifest = plugin.join(".claude-plugin/plugin.json").to_string_lossy().into_owned();
        let plugin = plugin.to_string_lossy().into_owned();
        for words in [
            vec!["validate", "--strict", &manifest],
            vec!["validate", "--strict", &plugin],
            vec!["marketplace", "add", &plugin],
            vec!["install", "ralph@ralph"],
        ] {
            let mut command = Command::new(&program);
            command.arg("plugin").args(&words).env_clear().env("HOME", &home);
            let ended = command.env("PATH", "/usr/local/bin:/usr/bin:/bin").output()?;
            let said = String::from_utf8_lossy(&ended.stdout).into_owned();
            assert!(
                ended.status.success(),
                "{words:?}: {said}{}",
                String::from_utf8_lossy(&ended.stderr)
            );
        }
        Ok(())
    })
}
