//! The answer to an event of a session that a person has, where the plugin is installed.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use ralph_agents::hooks::{Answer, Call, HookEvent, HookInput, uncommitted};

use super::answer::{answer, guarded, remembering};
use crate::git::Repository;

/// How long a session that says nothing is remembered.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// What to answer to this event; `home` is the user's, memos lie below `state_home`.
pub fn answer_outside(event: HookEvent, said: &[u8], home: &Path, state_home: &Path) -> Answer {
    let Some(input) = HookInput::read(said) else {
        return Answer::Nothing;
    };
    let cwd = PathBuf::from(&input.cwd);
    let root = root(&cwd);
    let scratch = state_home.join("ralph/hooks");
    // Where that fails nothing is remembered, and nothing is said that would need it.
    let _ = DirBuilder::new().recursive(true).mode(0o700).create(&scratch);
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let call = Call {
        agent: "claude".into(),
        worktree: text(root.unwrap_or(&cwd)),
        home: text(home),
        scratch: text(&scratch),
        ..Call::default()
    };
    match event {
        HookEvent::Stop => guarded(event, &call, || {
            let files = root.map(changes).unwrap_or_default();
            remembering(&input, &call, |memo| uncommitted(&files, &input, memo))
        }),
        HookEvent::SessionStart => {
            let _ = forget(&scratch);
            answer(event, said, &call)
        }
        _ => answer(event, said, &call),
    }
}

/// The repository's folder around this one.
fn root(cwd: &Path) -> Option<&Path> {
    cwd.ancestors().find(|folder| folder.is_absolute() && folder.join(".git").exists())
}

/// What is not committed, in projects that ralph works on; in others that is nobody's business.
fn changes(root: &Path) -> Vec<String> {
    if !root.join(".ralph").is_dir() {
        return Vec::new();
    }
    Repository::discover(root).and_then(|repository| repository.uncommitted()).unwrap_or_default()
}

/// Removes what was remembered of sessions of long ago.
fn forget(scratch: &Path) -> io::Result<()> {
    for entry in fs::read_dir(scratch)?.flatten() {
        let age = entry.metadata()?.modified()?.elapsed().unwrap_or_default();
        if age > KEPT {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use serde_json::json;

    use super::*;

    fn git(root: &Path, args: &[&str]) -> io::Result<()> {
        let ended = Command::new("git").current_dir(root).args(args).output()?;
        if ended.status.success() { Ok(()) } else { Err(io::Error::other(format!("{args:?}"))) }
    }

    #[test]
    fn a_session_with_uncommitted_work_is_held_once_and_only_where_ralph_works() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (root, state) = (folder.path().join("work"), folder.path().join("state"));
        fs::create_dir_all(root.join("sub"))?;
        git(&root, &["init", "-q"])?;
        fs::write(root.join("new.rs"), "")?;
        let stop = |held: bool, session: &str| {
            let said =
                json!({"session_id": session, "cwd": root.join("sub"), "stop_hook_active": held});
            answer_outside(HookEvent::Stop, said.to_string().as_bytes(), folder.path(), &state)
        };
        assert_eq!(stop(false, "a"), Answer::Nothing);
        fs::create_dir(root.join(".ralph"))?;
        let Answer::Block { reason } = stop(false, "b") else { panic!("not held") };
        assert!(reason.contains("new.rs"), "{reason}");
        assert_eq!(stop(true, "b"), Answer::Nothing);
        fs::remove_file(root.join("new.rs"))?;
        assert_eq!(stop(false, "c"), Answer::Nothing);
        Ok(())
    }

    #[test]
    fn without_a_repository_or_words_nothing_is_said() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        for event in HookEvent::ALL {
            for said in ["", "{}", "not json"] {
                let answer = answer_outside(event, said.as_bytes(), folder.path(), folder.path());
                assert_eq!(answer, Answer::Nothing, "{event:?} {said}");
            }
        }
        Ok(())
    }
}
