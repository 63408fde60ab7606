//! The real CLIs inside the box: to the scripted model by ralph's gateway alone, with their key outside, working, and
//! denied what the guard denies.

use std::io;

use serde_json::json;
use testkit::model::Step;

use crate::{
    Tested,
    clis::{CLAUDE, CLAUDE_AT_HOME, Cli, RELAYED_CODEX},
    ground::{Ground, LOOK, LOOKS, does},
    island::on_island,
};

/// The key that ralph has and the box must not see.
const KEY: &str = "sk-ant-api03-dummy-that-stays-outside";

/// One task: a command that is denied, one that looks for the key and for the world, and the work.
fn plays(cli: &Cli, variable: &str) -> io::Result<()> {
    let ground = Ground::of(
        cli,
        1,
        |work| {
            let denied = format!("touch {work}/ran; git push --force origin main");
            [vec![Step::runs(&denied), Step::runs(LOOKS)], does(work, "T-1", "right\n")].concat()
        },
        |run| {
            run.write("home/secret", "secret")?;
            run.write("work/look.sh", LOOK)
        },
    )?;
    let mut ground = ground.humbled()?;
    ground.run = ground.run.with_env(variable, KEY);
    let ended = ground.ralph(&["run"])?;
    ended.assert_code(0);
    assert_eq!(ground.run.statuses(), ["done"], "{}", ended.said);
    assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{}", ended.said);
    assert!(ended.said.contains("bubblewrap"), "{}", ended.said);
    assert!(!ground.run.work().join("ran").exists(), "{}", ended.said);
    ground.assert_kept_in(&ended);
    let asked = ground.model.asked();
    let is_denied = asked.iter().any(|it| it.conversation.contains("ralph's guard"));
    assert!(is_denied, "{asked:?}: {}", ended.said);
    Ok(())
}

fn boxed(test: &str, body: impl FnOnce() -> Tested) -> Tested {
    on_island(&format!("boxed::{test}"), body)
}

#[test]
fn claude_works_in_the_box_and_is_denied_what_the_guard_denies() -> Tested {
    boxed("claude_works_in_the_box_and_is_denied_what_the_guard_denies", || {
        Ok(plays(&CLAUDE, "ANTHROPIC_API_KEY")?)
    })
}

#[test]
fn codex_works_in_the_box_and_is_denied_what_the_guard_denies() -> Tested {
    boxed("codex_works_in_the_box_and_is_denied_what_the_guard_denies", || {
        Ok(plays(&RELAYED_CODEX, "CODEX_API_KEY")?)
    })
}

/// Nothing but a login file, as after `claude` and `/login`: the token is in the box, and the way is a tunnel.
#[test]
fn claude_with_a_login_reaches_its_service_by_a_tunnel() -> Tested {
    boxed("claude_with_a_login_reaches_its_service_by_a_tunnel", || {
        let login = json!({"claudeAiOauth": {
            "accessToken": "sk-ant-oat01-dummy", "refreshToken": "sk-ant-ort01-dummy",
            "expiresAt": 4_102_444_800_000_u64, "scopes": ["user:inference", "user:profile"],
            "subscriptionType": "max",
        }});
        let ground = Ground::of(
            &CLAUDE_AT_HOME,
            1,
            |work| does(work, "T-1", "right\n"),
            |run| run.write("home/.claude/.credentials.json", &login.to_string()),
        )?;
        let ground = ground.humbled()?;
        let ended = ground.ralph(&["run"])?;
        ended.assert_code(0);
        assert_eq!(ground.run.statuses(), ["done"], "{}", ended.said);
        let calls = ground.run.events("agent_ended")?;
        let traffic = calls[0]["traffic"].as_array().ok_or("no traffic was told")?;
        let service = traffic.iter().find(|contact| contact["host"] == "api.anthropic.com");
        assert!(service.is_some_and(|it| it["allowed"].as_u64() > Some(0)), "{traffic:?}");
        Ok(())
    })
}
