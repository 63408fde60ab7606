//! The real CLIs inside the box: to the scripted model by ralph's gateway alone, with their key outside, working, and
//! denied what the guard denies.

use std::io;

use testkit::model::Step;

use crate::{
    Tested,
    clis::{BOXED_CODEX, CLAUDE, Cli},
    ground::{Ground, does},
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
            let looks = format!(
                "env | grep -q {KEY} && touch {work}/has-key; \
                 test -e {work}/../home/secret && touch {work}/has-home; \
                 touch {work}/.git/planted 2>/dev/null; true"
            );
            [vec![Step::runs(&denied), Step::runs(&looks)], does(work, "T-1", "right\n")].concat()
        },
        |run| run.write("home/secret", "secret"),
    )?;
    let mut ground = ground.humbled()?;
    ground.run = ground.run.with_env(variable, KEY).with_env("RALPH_SANDBOX", "bubblewrap");
    let ended = ground.ralph(&["run"])?;
    ended.assert_code(0);
    assert_eq!(ground.run.statuses(), ["done"], "{}", ended.said);
    assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{}", ended.said);
    assert!(ended.said.contains("bubblewrap"), "{}", ended.said);
    for mark in ["ran", "has-key", "has-home", ".git/planted"] {
        assert!(!ground.run.work().join(mark).exists(), "{mark}: {}", ended.said);
    }
    let asked = ground.model.asked().pop();
    let told = asked.map(|asked| asked.conversation + &asked.instructions).unwrap_or_default();
    assert!(told.contains("ralph's guard"), "{told}");
    Ok(())
}

#[test]
fn claude_works_in_the_box_and_is_denied_what_the_guard_denies() -> Tested {
    on_island("boxed::claude_works_in_the_box_and_is_denied_what_the_guard_denies", || {
        Ok(plays(&CLAUDE, "ANTHROPIC_API_KEY")?)
    })
}

#[test]
fn codex_works_in_the_box_and_is_denied_what_the_guard_denies() -> Tested {
    on_island("boxed::codex_works_in_the_box_and_is_denied_what_the_guard_denies", || {
        Ok(plays(&BOXED_CODEX, "CODEX_API_KEY")?)
    })
}
