//! The answer to an event of a run.

use std::{
    fs, io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use ralph_agents::hooks::{
    Answer, Call, HookEvent, HookInput, Memo, post_tool_use, pre_tool_use, session_start, stop,
    unreadable,
};

use super::{full, remember};

/// The call that a file tells of; `None` if it tells of none.
pub fn call_at(file: &Path) -> Option<Call> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

/// What to answer to this event.
pub fn answer(event: HookEvent, said: &[u8], call: &Call) -> Answer {
    guarded(event, call, || match HookInput::read(said) {
        Some(input) => remembering(&input, call, |memo| respond(event, &input, call, memo)),
        None => nothing_to_read(event, call),
    })
}

/// A mistake of ours must not let a tool call pass, nor end anything else.
pub(super) fn guarded(event: HookEvent, call: &Call, judge: impl FnOnce() -> Answer) -> Answer {
    catch_unwind(AssertUnwindSafe(judge)).unwrap_or_else(|_| nothing_to_read(event, call))
}

/// With what was said to the session before; what cannot be remembered is not said, so that nobody hears it for ever.
pub(super) fn remembering(
    input: &HookInput,
    call: &Call,
    judge: impl FnOnce(&mut Memo) -> Answer,
) -> Answer {
    let mut held = remember::open(Path::new(&call.scratch), &input.session);
    let before = held.as_mut().map(remember::Held::read).unwrap_or_default();
    let mut memo = before.clone();
    let answer = judge(&mut memo);
    let is_kept = memo == before || held.is_some_and(|held| held.write(&memo).is_ok());
    if is_kept { answer } else { Answer::Nothing }
}

fn respond(event: HookEvent, input: &HookInput, call: &Call, memo: &mut Memo) -> Answer {
    match event {
        HookEvent::PreToolUse => pre_tool_use(input, call, memo, &real),
        HookEvent::PostToolUse | HookEvent::PostToolUseFailure => {
            post_tool_use(event, full::fill(input, call), call, memo)
        }
        HookEvent::Stop => stop(input, call, memo),
        HookEvent::SessionStart => {
            session_start(memo);
            Answer::Nothing
        }
    }
}

fn nothing_to_read(event: HookEvent, call: &Call) -> Answer {
    if event == HookEvent::PreToolUse { unreadable(call) } else { Answer::Nothing }
}

/// Where a path leads: links are followed as far as there is something.
pub(super) fn real(path: &str) -> String {
    let path = Path::new(path);
    let found = path.ancestors().find_map(|ancestor| {
        let real = ancestor.canonicalize().ok()?;
        Some(real.join(path.strip_prefix(ancestor).ok()?))
    });
    dangling(&found.unwrap_or_else(|| path.to_owned())).to_string_lossy().into_owned()
}

/// A link to what is not there yet leads there all the same.
fn dangling(path: &Path) -> PathBuf {
    let target: io::Result<PathBuf> = fs::read_link(path);
    match (target, path.parent()) {
        (Ok(target), Some(folder)) => folder.join(target),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use ralph_core::vocabulary::Kind;
    use serde_json::{Value, json};

    use super::*;

    struct Scene {
        folder: tempfile::TempDir,
        call: Call,
    }

    impl Scene {
        fn new(agent: &str) -> io::Result<Self> {
            let folder = tempfile::tempdir()?;
            for name in ["work/.git", "scratch"] {
                fs::create_dir_all(folder.path().join(name))?;
            }
            let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
            let call = Call {
                kind: Some(Kind::Implement),
                agent: agent.into(),
                worktree: path("work"),
                scratch: path("scratch"),
                ..Call::default()
            };
            Ok(Self { folder, call })
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn hears(&self, event: HookEvent, said: &Value) -> Answer {
            answer(event, said.to_string().as_bytes(), &self.call)
        }
    }

    fn writes(file: &Path) -> Value {
        json!({"session_id": "s", "tool_name": "Write", "tool_input": {"file_path": file}})
    }

    #[test]
    fn a_link_into_the_folder_of_git_is_seen_through() -> io::Result<()> {
        let scene = Scene::new("claude")?;
        symlink(".git", scene.path("work/innocent"))?;
        symlink(".git/HEAD", scene.path("work/dangling"))?;
        symlink("/", scene.path("work/away"))?;
        for name in
            ["work/innocent/config", "work/innocent/new/deep", "work/dangling", "work/away/etc/x"]
        {
            let answer = scene.hears(HookEvent::PreToolUse, &writes(&scene.path(name)));
            assert!(matches!(answer, Answer::Deny { .. }), "{name}");
        }
        let fine = writes(&scene.path("work/src/new/a.rs"));
        assert_eq!(scene.hears(HookEvent::PreToolUse, &fine), Answer::Nothing);
        Ok(())
    }

    #[test]
    fn what_cannot_be_read_breaks_nothing_and_lets_no_tool_call_pass() -> io::Result<()> {
        let scene = Scene::new("codex")?;
        for said in [&b""[..], b"{", b"[]", b"\xff"] {
            for event in HookEvent::ALL {
                let is_denied = matches!(answer(event, said, &scene.call), Answer::Deny { .. });
                assert_eq!(is_denied, event == HookEvent::PreToolUse);
            }
        }
        assert_eq!(call_at(&scene.path("nowhere")), None);
        Ok(())
    }

    #[test]
    fn an_end_is_held_only_where_that_can_be_remembered() -> io::Result<()> {
        let mut scene = Scene::new("codex")?;
        let said = json!({"session_id": "s", "last_assistant_message": "done"});
        assert!(matches!(scene.hears(HookEvent::Stop, &said), Answer::Block { .. }));
        let held =
            json!({"session_id": "s", "last_assistant_message": "done", "stop_hook_active": true});
        assert_eq!(scene.hears(HookEvent::Stop, &held), Answer::Nothing);
        scene.call.scratch = scene.path("nowhere").to_string_lossy().into_owned();
        assert_eq!(scene.hears(HookEvent::Stop, &said), Answer::Nothing);
        Ok(())
    }

    #[test]
    fn a_threshold_is_told_once_to_each_session_even_to_hooks_that_run_at_once() -> io::Result<()> {
        let scene = Scene::new("codex")?;
        let usage = json!({"last_token_usage": {"total_tokens": 60}, "model_context_window": 100});
        let line = json!({"payload": {"type": "token_count", "info": usage}});
        fs::write(scene.path("rollout"), format!("{line}\n"))?;
        let told = |session: &str| {
            let said = json!({"session_id": session, "transcript_path": scene.path("rollout")});
            matches!(scene.hears(HookEvent::PostToolUse, &said), Answer::Context { .. })
        };
        let heard = std::thread::scope(|scope| {
            let hooks: Vec<_> = (0..8).map(|_| scope.spawn(|| told("s"))).collect();
            hooks.into_iter().filter_map(|hook| hook.join().ok()).filter(|told| *told).count()
        });
        assert_eq!(heard, 1);
        assert!(told("another"));
        scene.hears(HookEvent::SessionStart, &json!({"session_id": "s"}));
        assert!(told("s"));
        Ok(())
    }
}
