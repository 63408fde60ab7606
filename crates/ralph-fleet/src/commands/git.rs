//! Questions to git that commands of people ask: about their own checkout, and about a remote. Must never look at a
//! tree that an agent wrote.

use crate::error::{CommandError, exit};
use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

/// A git command that asks nobody for a password.
pub(super) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(args);
    git.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C").stdin(Stdio::null());
    // Short answers or an early end instead of a command that hangs on a dead address.
    git.env(
        "GIT_SSH_COMMAND",
        std::env::var("GIT_SSH_COMMAND")
            .unwrap_or("ssh -o BatchMode=yes -o ConnectTimeout=10".into()),
    );
    git
}

fn run(folder: &Path, args: &[&str]) -> Result<Output, CommandError> {
    command(folder, args).output().map_err(|error| {
        CommandError::new(
            exit::WORKSPACE,
            "cannot start git",
            "install git 2.39 or newer and put it on PATH",
        )
        .because(vec![error.to_string()])
    })
}

/// What git answers; nothing if it refuses.
pub(super) fn ask(folder: &Path, args: &[&str]) -> Option<String> {
    let output = run(folder, args).ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// What git answers, or its last words.
pub(super) fn must(
    folder: &Path,
    args: &[&str],
) -> Result<Result<String, Vec<String>>, CommandError> {
    let output = run(folder, args)?;
    if output.status.success() {
        return Ok(Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Ok(Err(said
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(5)
        .map(str::to_owned)
        .collect()))
}

/// Whether git takes it for the name of a branch.
pub(super) fn is_branch_name(name: &str) -> bool {
    let fits = run(Path::new("."), &["check-ref-format", &format!("refs/heads/{name}")]);
    !name.starts_with('-') && name != "HEAD" && fits.is_ok_and(|output| output.status.success())
}

/// What a remote is like.
pub(super) struct Remote {
    /// Where its HEAD points.
    pub(super) default_branch: Option<String>,
    pub(super) is_empty: bool,
}

/// Asks a remote for its branches.
pub(super) fn remote(folder: &Path, url: &str) -> Result<Remote, CommandError> {
    match must(folder, &["ls-remote", "--symref", "--", url, "HEAD", "refs/heads/*"])? {
        Ok(text) => {
            let head = text
                .lines()
                .find_map(|line| line.strip_prefix("ref: refs/heads/")?.strip_suffix("\tHEAD"));
            Ok(Remote { default_branch: head.map(str::to_owned), is_empty: text.is_empty() })
        }
        Err(said) => {
            let what = format!("cannot reach the repository {url}");
            let help =
                "check the address and your access; workers must be able to reach the same address";
            Err(CommandError::new(exit::WORKSPACE, what, help).because(said))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_branches_are_told_from_what_git_or_a_shell_would_misread() {
        for name in ["ralph/app", "feature-1", "a/b/c"] {
            assert!(is_branch_name(name), "{name}");
        }
        for name in ["", "-x", "a..b", "a b", "a.lock", "HEAD", "a/", "@{u}", "a\u{7}"] {
            assert!(!is_branch_name(name), "{name}");
        }
    }

    #[test]
    fn a_remote_tells_its_default_branch_and_an_empty_one_is_known_as_such() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        must(at, &["init", "-q", "--bare", "-b", "trunk", "r.git"]).unwrap().unwrap();
        let url = at.join("r.git").display().to_string();
        assert!(remote(at, &url).unwrap().is_empty);
        must(at, &["init", "-q", "-b", "trunk", "w"]).unwrap().unwrap();
        let work = at.join("w");
        let commit = [
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@x",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "first",
        ];
        must(&work, &commit).unwrap().unwrap();
        must(&work, &["push", "-q", &url, "trunk"]).unwrap().unwrap();
        let seen = remote(at, &url).unwrap();
        assert_eq!((seen.default_branch.as_deref(), seen.is_empty), (Some("trunk"), false));
        let error = remote(at, "/nowhere/x.git").err().unwrap();
        assert_eq!(error.exit_code(), exit::WORKSPACE);
    }
}
