//! The Claude Code plugin: the committed files are those that are made, and the binary answers what they call.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use testkit::plugin;

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin")
}

/// Answers an event as an agent's CLI would call it: by a shell, with nothing else in the environment.
fn hook(words: &str, said: &str, env: &[(&str, &Path)]) -> io::Result<Output> {
    let mut command = Command::new("sh");
    command.args(["-c", words]).env_clear();
    let beside = Path::new(RALPH).parent().map(Path::to_path_buf).unwrap_or_default();
    command.env("PATH", format!("{}:/usr/bin:/bin", beside.display()));
    for (name, value) in env {
        command.env(name, value);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(said.as_bytes())?;
    }
    child.wait_with_output()
}

/// Set `RALPH_UPDATE=1` to write the files anew.
#[test]
fn the_committed_plugin_is_what_is_made() -> io::Result<()> {
    for (name, wanted) in plugin::files() {
        let path = folder().join(name);
        if std::env::var_os("RALPH_UPDATE").is_some() {
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(&path, &wanted)?;
        }
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            committed, wanted,
            "plugin/{name} is out of date; run this test with RALPH_UPDATE=1"
        );
    }
    Ok(())
}

#[test]
fn every_command_of_the_plugin_is_answered_with_exit_0_whatever_it_is_told() -> io::Result<()> {
    let home = tempfile::tempdir()?;
    let text = plugin::files().into_iter().find(|(name, _)| *name == "hooks/hooks.json");
    let hooks: Value = serde_json::from_str(&text.unwrap_or_default().1)?;
    let events = hooks["hooks"].as_object().cloned().unwrap_or_default();
    assert_eq!(events.len(), 5);
    for (event, entries) in events {
        let words = entries[0]["hooks"][0]["command"].as_str().unwrap_or_default();
        for said in ["", "{", "{}", "[1]", r#"{"tool_input": 7, "session_id": []}"#] {
            let ended = hook(words, said, &[("HOME", home.path())])?;
            assert_eq!(ended.status.code(), Some(0), "{event} {said}");
            assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{event} {said} {ended:?}");
        }
    }
    Ok(())
}

#[test]
fn the_hooks_of_a_run_say_nothing_without_one_and_the_plugin_nothing_within_one() -> io::Result<()>
{
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let call = json!({"kind": "implement", "agent": "claude", "worktree": path("w"), "scratch": folder.path()});
    fs::write(path("call.json"), call.to_string())?;
    // More than a pipe holds: a hook that ended without reading would break it every time.
    let input = json!({"file_path": path("w/.git/config"), "content": "x".repeat(1 << 20)});
    let said = json!({"tool_name": "Write", "tool_input": input}).to_string();
    let (within, nowhere) = (path("call.json"), path("nothing.json"));
    for (words, call, is_denied) in [
        ("ralph hook pre-tool-use", Some(&within), true),
        ("ralph hook pre-tool-use", Some(&nowhere), false),
        ("ralph hook pre-tool-use", None, false),
        ("ralph hook pre-tool-use --plugin", Some(&within), false),
        ("ralph hook pre-tool-use --plugin", None, false),
    ] {
        let mut env = vec![("HOME", folder.path())];
        env.extend(call.map(|file| ("RALPH_CALL", file.as_path())));
        let ended = hook(words, &said, &env)?;
        assert_eq!(ended.status.code(), Some(0), "{words}");
        let told = String::from_utf8_lossy(&ended.stdout);
        assert_eq!(
            told.contains("\"permissionDecision\":\"deny\""),
            is_denied,
            "{words} {call:?} {told}"
        );
        assert!(is_denied || told.is_empty(), "{words} {call:?} {told}");
    }
    Ok(())
}

#[test]
fn the_plan_that_the_skill_shows_is_a_sound_one() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let init = Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status()?;
    assert!(init.success());
    let file = folder.path().join("plan.json");
    fs::write(&file, plugin::example().to_string())?;
    let mut check = Command::new(RALPH);
    check.args(["plan", "--check"]).arg(&file).current_dir(folder.path());
    check.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder.path());
    let ended = check.output()?;
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
    Ok(())
}
