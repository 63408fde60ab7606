//! Short questions to other programs, bounded in time: versions, and where git stands. Changes nothing.

use std::{
    ffi::OsString,
    io::Read as _,
    path::{Path, PathBuf},
    process::Stdio,
    sync::mpsc,
    time::Duration,
};

use ralph_engine::{
    git::{GitError, Repository, Standing, agents_folders},
    outside::{Outside, is_program},
};

use super::project::Project;
use crate::context::variable;

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a program answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) succeeded: bool,
    pub(crate) stdout: String,
}

/// Runs a program outside every sandbox, and waits at most some seconds; `None` if it cannot be run or is too slow.
pub(crate) fn ask(program: &Path, args: &[&str], outside: &Outside) -> Option<Answer> {
    let mut child = outside
        .command_for(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut pipe = child.stdout.take()?;
    let (send, answers) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What could be read counts, even if the pipe broke.
        let _ = pipe.by_ref().take(1 << 20).read_to_end(&mut bytes);
        send.send(String::from_utf8_lossy(&bytes).into_owned())
    });
    let Ok(stdout) = answers.recv_timeout(PATIENCE) else {
        // Too slow: it is ended, and whatever it said does not count.
        let _ = child.kill();
        let _ = child.wait();
        return None;
    };
    let succeeded = child.wait().is_ok_and(|status| status.success());
    Some(Answer { succeeded, stdout })
}

/// How programs are started outside every sandbox for the project of a folder.
pub(crate) fn outside(folder: &Path) -> Outside {
    outside_with(folder, variable("PATH").as_deref())
}

/// The same with another search path.
pub(crate) fn outside_with(folder: &Path, path: Option<&str>) -> Outside {
    let mut environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
    environment.retain(|(name, _)| name != "PATH");
    environment.extend(path.map(|path| ("PATH".into(), path.into())));
    Outside::new(environment, agents_folders(folder, &Project::state_home()))
}

/// Every place on the given search path where a program is. What the path names relatively would be looked for in the
/// worktree, where an agent may have put it.
pub(crate) fn find_all(program: &str, path: Option<&str>) -> Vec<PathBuf> {
    let Some(path) = path else {
        return Vec::new();
    };
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .filter(|file| is_program(file))
        .collect()
}

/// Whether a program is on this process's search path.
pub(crate) fn is_installed(program: &str) -> bool {
    !find_all(program, variable("PATH").as_deref()).is_empty()
}

/// Whether the search path leads to a program of the project: only what runs in a box may use that.
pub(crate) fn is_in_project(program: &str, root: &Path, path: Option<&str>) -> bool {
    let folders = std::env::split_paths(path.unwrap_or_default());
    folders.filter(|folder| folder.is_relative()).any(|it| is_program(&root.join(it).join(program)))
}

/// Where a program is: on the search path, or at the place that its own path names.
pub(crate) fn find(program: &str, folder: &Path, path: Option<&str>) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(folder.join(program)).filter(|file| is_program(file));
    }
    find_all(program, path).into_iter().next()
}

/// The version a program tells about itself: the first word that begins with a digit.
pub(crate) fn version(program: &Path, outside: &Outside) -> Option<String> {
    let answer = ask(program, &["--version"], outside)?;
    answer
        .stdout
        .split_whitespace()
        .map(|word| word.trim_start_matches(['v', '(']).trim_end_matches([',', ')']))
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
}

/// Where git stands in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GitState {
    Missing,
    NoRepository,
    /// There is one, and git does not work in it.
    Refused {
        why: String,
        help: String,
    },
    Bare,
    Repository {
        branch: Option<String>,
        /// Tracked files with changes.
        changed: usize,
        untracked: usize,
        has_commits: bool,
    },
}

/// Asks git about a folder.
pub(crate) fn git_state(folder: &Path) -> GitState {
    let found = Repository::discover(folder).and_then(|repository| repository.standing());
    match found {
        Ok(Standing { branch, changed, untracked, has_commits }) => {
            GitState::Repository { branch, changed, untracked, has_commits }
        }
        Err(GitError::NotInstalled) => GitState::Missing,
        Err(GitError::Bare { .. }) => GitState::Bare,
        Err(GitError::NoRepository { .. }) => GitState::NoRepository,
        Err(error) => GitState::Refused { why: error.to_string(), help: error.help() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_answer_is_not_waited_for() {
        let here = outside(Path::new("."));
        let begun = std::time::Instant::now();
        assert_eq!(ask(Path::new("sleep"), &["600"], &here), None);
        assert!(begun.elapsed() < Duration::from_mins(5));
        assert_eq!(ask(Path::new("no-such-program-anywhere"), &[], &here), None);
    }

    #[test]
    fn a_link_that_leads_into_the_project_is_not_started() -> std::io::Result<()> {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir()?;
        let (bin, project) = (folder.path().join("bin"), folder.path().join("project"));
        for place in [&bin, &project] {
            std::fs::create_dir(place)?;
        }
        let program = project.join("tool");
        std::fs::write(&program, "#!/bin/sh\n")?;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
        symlink(&program, bin.join("tool"))?;
        let path = bin.to_string_lossy().into_owned();
        let found = |folder: &Path| outside_with(folder, Some(&path)).find("tool");
        assert_eq!(found(&project), None);
        assert!(found(&bin).is_none(), "nor one of the folder itself");
        assert!(find("tool", &project, Some(&path)).is_some());
        Ok(())
    }

    #[test]
    fn versions_are_found_in_what_programs_say() -> std::io::Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir()?;
        let table = [
            ("2.1.325 (Claude Code)", Some("2.1.325")),
            ("codex-cli 0.166.0", Some("0.166.0")),
            ("tool v3.4", Some("3.4")),
            ("no number here", None),
        ];
        for (nth, (says, expected)) in table.into_iter().enumerate() {
            let program = folder.path().join(format!("agent{nth}"));
            std::fs::write(&program, format!("#!/bin/sh\necho '{says}'\n"))?;
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))?;
            let found = version(&program, &outside(Path::new("/nonexistent")));
            assert_eq!(found.as_deref(), expected, "{says}");
        }
        Ok(())
    }
}
