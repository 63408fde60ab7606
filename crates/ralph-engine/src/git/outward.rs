//! Git that leaves the machine, and commands of the user after a commit: with the user's logins, so outside any box.
//!
//! Must never stand in the worktree with a program to be found there, nor run a hook, a filter or a submodule's git.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

use super::{
    environment::{COUNT, GitEnv, as_variables},
    error::GitError,
    repository::Repository,
};

/// A process that is to be started outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outward {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) cwd: PathBuf,
}

/// What git must not take from the worktree: projects keep hooks among their files, and agents write those.
const NOT_FROM_HERE: [(&str, &str); 4] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("push.recurseSubmodules", "no"),
    ("safe.bareRepository", "explicit"),
];

/// Beginnings of git's own variables that say who and how; the others would tell it to work elsewhere.
const KEPT: [&str; 12] = [
    "GIT_ASKPASS",
    "GIT_AUTHOR_",
    "GIT_COMMITTER_",
    "GIT_CONFIG_",
    "GIT_CURL_",
    "GIT_HTTP_",
    "GIT_PROXY_",
    "GIT_SSH",
    "GIT_SSL_",
    "GIT_TERMINAL_PROMPT",
    "GIT_USER_AGENT",
    "GIT_LFS_SKIP_PUSH",
];

impl Repository {
    /// Pushes a branch that is finished. Stands in the git folder: a program that the configuration names by a path of
    /// the worktree is not found there.
    pub(crate) fn push(
        &self,
        branch: &str,
        environment: &[(OsString, OsString)],
    ) -> Result<Outward, GitError> {
        let mut env = self.outward_environment(environment)?;
        env.push(("GIT_DIR".into(), self.git_dir().into()));
        let program = GitEnv::new("git", env.clone()).outside(self.root()).program.into();
        let mut args: Vec<OsString> = Vec::new();
        if let Some(far) = self.far_folder()? {
            args.extend([OsString::from("-c"), format!("remote.origin.pushurl={far}").into()]);
        }
        args.extend(["push", "--set-upstream", "origin", branch].map(OsString::from));
        Ok(Outward { program, args, env, cwd: self.git_dir().to_owned() })
    }

    /// A command of the user's, in the worktree.
    pub(crate) fn outward(
        &self,
        command: String,
        environment: &[(OsString, OsString)],
    ) -> Result<Outward, GitError> {
        let env = self.outward_environment(environment)?;
        let args = vec!["-c".into(), command.into()];
        Ok(Outward { program: "/bin/sh".into(), args, env, cwd: self.root().to_owned() })
    }

    /// The user's variables, so that no program, hook, filter or monitor of git is found among what agents wrote.
    fn outward_environment(
        &self,
        environment: &[(OsString, OsString)],
    ) -> Result<Vec<(OsString, OsString)>, GitError> {
        let mut off: Vec<(String, String)> =
            NOT_FROM_HERE.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        off.extend(self.git.configuration()?.switched_off(&self.git.manner().filters));
        let is_kept = |name: &OsStr| {
            let name = name.to_string_lossy();
            !name.starts_with("GIT_") || KEPT.iter().any(|kept| name.starts_with(kept))
        };
        let mut env = GitEnv::new("git", environment.to_vec()).outside(self.root()).vars;
        env.retain(|(name, _)| is_kept(name));
        let set = env.iter().find(|(name, _)| name == COUNT).and_then(|(_, value)| value.to_str());
        let first: usize = set.and_then(|value| value.parse().ok()).unwrap_or_default();
        env.retain(|(name, _)| name != COUNT);
        let more = as_variables(first, &off).into_iter();
        env.extend(more.map(|(name, value)| (name.into(), value.into())));
        Ok(env)
    }

    /// Where the remote is, if it is named by a path from the worktree.
    fn far_folder(&self) -> Result<Option<String>, GitError> {
        let configuration = self.git.configuration()?;
        let named = configuration.get("remote.origin.pushurl");
        let named = named.or_else(|| configuration.get("remote.origin.url"));
        // With a colon before any slash it is a host.
        let is_path = |url: &&str| !url.split('/').next().unwrap_or_default().contains(':');
        let relative = named.filter(is_path).filter(|url| Path::new(url).is_relative());
        Ok(relative.map(|url| self.root().join(url).to_string_lossy().into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs, os::unix::fs::PermissionsExt as _, process::Command};

    use super::*;

    struct Trap {
        folder: tempfile::TempDir,
        root: PathBuf,
    }

    impl Trap {
        fn mark(&self) -> PathBuf {
            self.folder.path().join("mark")
        }

        fn set(&self, name: &str) -> std::io::Result<()> {
            let trap = self.root.join(name);
            fs::create_dir_all(trap.parent().unwrap_or(&self.root))?;
            fs::write(&trap, format!("#!/bin/sh\n: > '{}'\n", self.mark().display()))?;
            fs::set_permissions(&trap, fs::Permissions::from_mode(0o755))
        }

        fn plain(&self) -> Vec<(OsString, OsString)> {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let home = self.folder.path().into();
            vec![("PATH".into(), path), ("HOME".into(), home)]
        }

        fn git(&self, args: &[&str]) -> std::io::Result<bool> {
            let who = ["-c", "user.name=x", "-c", "user.email=x@example.invalid"];
            let mut command = Command::new("sh");
            command.args(["-c", "git \"$@\"", "sh"]).args(who).args(args).current_dir(&self.root);
            Ok(command.env_clear().envs(self.plain()).output()?.status.success())
        }
    }

    #[test]
    fn a_push_runs_nothing_that_lies_in_the_worktree() -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let root = fs::canonicalize(folder.path())?.join("work");
        fs::create_dir(&root)?;
        let trap = Trap { folder, root };
        for args in [
            &["init", "-q", "-b", "main", "."][..],
            &["init", "-q", "--bare", "../far"],
            &["config", "core.hooksPath", "hooks"],
            &["commit", "-q", "--allow-empty", "-m", "x"],
            &["remote", "add", "origin", "../far"],
        ] {
            assert!(trap.git(args)?, "{args:?}");
        }
        for name in ["hooks/pre-push", "git", "bin/receive"] {
            trap.set(name)?;
        }
        let env = GitEnv::new("git", trap.plain());
        let repository = Repository::discover_with(&env, &trap.root)?;
        let careless = format!("{}:.:{}", trap.root.display(), std::env::var("PATH")?);
        let mut environment = trap.plain();
        environment[0].1 = careless.into();
        environment.push(("GIT_WORK_TREE".into(), "/".into()));
        let start = |push: Outward| {
            let mut command = Command::new(push.program);
            command.args(push.args).env_clear().envs(push.env).current_dir(push.cwd).output()
        };
        let pushed = start(repository.push("main", &environment)?)?;
        assert!(pushed.status.success(), "{}", String::from_utf8_lossy(&pushed.stderr));
        // A program that the configuration names by a path of the worktree is not found.
        assert!(trap.git(&["config", "remote.origin.receivepack", "bin/receive"])?);
        start(repository.push("main", &environment)?)?;
        assert!(!trap.mark().exists());
        // The traps are real ones.
        trap.git(&["push", "-q", "origin", "main:other"])?;
        assert!(fs::exists(trap.mark())?);
        Ok(())
    }
}
