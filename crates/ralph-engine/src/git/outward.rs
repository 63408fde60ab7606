//! Git that leaves the machine, and commands of the user after a commit: with the user's logins, so outside any box.
//!
//! Must never stand in the worktree with a program to be found there, nor run a hook, a filter or a submodule's git.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    process::Command,
};

use super::{
    environment::{COUNT, GitEnv, as_variables},
    error::GitError,
    repository::Repository,
    users_settings,
};
use crate::outside::Outside;

/// What git must not take from the worktree: projects keep hooks among their files, and agents write those.
const NOT_FROM_HERE: [(&str, &str); 4] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("push.recurseSubmodules", "no"),
    ("safe.bareRepository", "explicit"),
];

/// Beginnings of settings that a push never reads, or that [`NOT_FROM_HERE`] and the filters replace.
const UNREAD: &str = "alias. blame. commit. core.attributesfile core.editor core.excludesfile core.fsmonitor core.hookspath \
    core.worktree diff. difftool. filter. format. gui. maintenance. merge. mergetool. safe. submodule. \
    worktree.";

/// Beginnings of git's own variables that say who and how; the others would tell it to work elsewhere.
const KEPT: &str = "GIT_ASKPASS GIT_AUTHOR_ GIT_COMMITTER_ GIT_CONFIG_ GIT_CURL_ GIT_HTTP_ GIT_PROXY_ GIT_SSH GIT_SSL_ \
    GIT_TERMINAL_PROMPT GIT_USER_AGENT GIT_LFS_SKIP_PUSH";

impl Repository {
    /// Pushes a branch that is finished. Stands in the git folder: a program that the configuration names by a path of
    /// the worktree is not found there.
    pub(crate) fn push(&self, branch: &str, outside: Outside) -> Result<Command, GitError> {
        let outside = outside.except(&[self.git_dir(), self.common_dir()]);
        let environment = self.outward_environment(&outside)?;
        let program = GitEnv::new("git", environment.clone()).outside(self.root()).program;
        let mut command = outside.command_for(program);
        command.env_clear().envs(environment).env("GIT_DIR", self.git_dir());
        command.current_dir(self.git_dir());
        if let Some(far) = self.far_folder()? {
            command.args(["-c", &format!("remote.origin.pushurl={far}")]);
        }
        command.args(["push", "--set-upstream", "origin", branch]);
        Ok(command)
    }

    /// A command of the user's, in the worktree.
    pub(crate) fn outward(&self, line: &str, outside: Outside) -> Result<Command, GitError> {
        let outside = outside.except(&[self.git_dir(), self.common_dir()]);
        let mut command = outside.command_for("/bin/sh");
        command.env_clear().envs(self.outward_environment(&outside)?);
        command.args(["-c", line]).current_dir(self.root());
        Ok(command)
    }

    /// Refuses settings and variables of git that lead to what agents write: programs, and files that programs read.
    fn refuse_what_leads_in(&self, outside: &Outside) -> Result<(), GitError> {
        let is_in = |key: &str, value: &str| {
            let is_address = key.starts_with("remote.") && key.ends_with("url");
            let rewrites = key.strip_prefix("url.").and_then(|rest| rest.rsplit_once('.'));
            let value = rewrites.map_or(value, |(base, _)| base);
            if !is_address && rewrites.is_none() || value.contains("::") {
                return outside.leads_in(value.as_ref());
            }
            let place = value.strip_prefix("file://").unwrap_or(value);
            !is_elsewhere(value) && outside.is_agents(&self.root().join(place))
        };
        let configuration = self.git.configuration()?;
        let settings = configuration.all().filter(|(key, _)| !begins(key, UNREAD));
        let settings = settings.filter(|(key, value)| is_in(key, value));
        let is_gits = |name: &str| name.starts_with("SSH_") || begins(name, KEPT);
        let variables = outside.environment().iter();
        let variables =
            variables.map(|(name, value)| (name.to_string_lossy(), value.to_string_lossy()));
        let mut variables = variables
            .filter(|(name, value)| is_gits(name) && outside.leads_in(value.as_ref().as_ref()));
        let setting = settings.map(|(key, value)| (key.into(), value.into())).next();
        if let Some((what, value)) = setting.or_else(|| variables.next()) {
            let (what, value) = (what.into_owned(), value.into_owned());
            return Err(GitError::LeadsToAgents { what, value });
        }
        let is_address = |key: &str| key.starts_with("remote.origin.") && key.ends_with("url");
        let speaks_ssh = configuration.all().any(|(key, value)| {
            key.starts_with("url.") || is_address(key) && !value.starts_with("http")
        });
        if !speaks_ssh {
            return Ok(());
        }
        let named = ["GIT_SSH_COMMAND", "GIT_SSH"].map(|name| outside.get(name));
        let named = named.into_iter().flatten().map(|value| value.to_string_lossy().into_owned());
        let set = configuration.get("core.sshcommand").map(str::to_owned);
        users_settings::refuse_ssh(outside, &named.chain(set).collect::<Vec<_>>())
    }

    /// The user's variables, so that no program, hook, filter or monitor of git is found among what agents wrote.
    fn outward_environment(
        &self,
        outside: &Outside,
    ) -> Result<Vec<(OsString, OsString)>, GitError> {
        self.refuse_what_leads_in(outside)?;
        let mut off: Vec<(String, String)> =
            NOT_FROM_HERE.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        off.extend(self.git.configuration()?.switched_off(&self.git.manner().filters));
        let mut env = GitEnv::new("git", outside.variables()).outside(self.root()).vars;
        let stays = |name: &OsStr| {
            let name = name.to_string_lossy();
            !name.starts_with("GIT_") || begins(&name, KEPT)
        };
        env.retain(|(name, _)| stays(name));
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

/// Whether a name begins with one of these words.
fn begins(name: &str, words: &str) -> bool {
    words.split_whitespace().any(|word| name.starts_with(word))
}

/// Whether an address names another machine: by a protocol, or by a host before a colon.
fn is_elsewhere(url: &str) -> bool {
    match url.split_once("://") {
        Some((protocol, _)) => protocol != "file",
        None => url.split('/').next().unwrap_or_default().contains(':'),
    }
}

#[cfg(test)]
mod tests {
    use std::{error::Error, fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

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
        let outside = Outside::new(environment, vec![trap.root.clone()]);
        let pushed = repository.push("main", outside.clone())?.output()?;
        assert!(pushed.status.success(), "{}", String::from_utf8_lossy(&pushed.stderr));
        // A program that the configuration names by a path of the worktree is not found.
        assert!(trap.git(&["config", "remote.origin.receivepack", "bin/receive"])?);
        repository.push("main", outside)?.output()?;
        assert!(!trap.mark().exists());
        // The traps are real ones.
        trap.git(&["push", "-q", "origin", "main:other"])?;
        assert!(fs::exists(trap.mark())?);
        Ok(())
    }

    #[test]
    fn settings_of_ssh_that_lead_into_the_worktree_refuse_a_push_over_ssh()
    -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let root = fs::canonicalize(folder.path())?.join("work");
        fs::create_dir(&root)?;
        let trap = Trap { folder, root };
        let proxy = format!("ProxyCommand {}/proxy\n", trap.root.display());
        fs::create_dir(trap.folder.path().join(".ssh"))?;
        fs::write(trap.folder.path().join(".ssh/config"), proxy)?;
        assert!(trap.git(&["init", "-q", "-b", "main", "."])?);
        for (address, is_refused) in
            [("ssh://git@host.example/x", true), ("https://host.example/x", false)]
        {
            assert!(trap.git(&["config", "remote.origin.url", address])?);
            let repository =
                Repository::discover_with(&GitEnv::new("git", trap.plain()), &trap.root)?;
            let pushed =
                repository.push("main", Outside::new(trap.plain(), vec![trap.root.clone()]));
            let refused = matches!(pushed, Err(GitError::LeadsToAgents { .. }));
            assert_eq!(refused, is_refused, "{address}");
        }
        Ok(())
    }

    #[test]
    fn settings_and_variables_that_lead_into_the_worktree_refuse_a_push()
    -> Result<(), Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let root = fs::canonicalize(folder.path())?.join("work");
        fs::create_dir(&root)?;
        let trap = Trap { folder, root };
        for args in [
            &["init", "-q", "-b", "main", "."][..],
            &["commit", "-q", "--allow-empty", "-m", "x"],
            &["remote", "add", "origin", "ssh://git@host.example/x"],
        ] {
            assert!(trap.git(args)?, "{args:?}");
        }
        let root = trap.root.display().to_string();
        let refused = |environment: Vec<(OsString, OsString)>| -> Result<bool, Box<dyn Error>> {
            let repository =
                Repository::discover_with(&GitEnv::new("git", trap.plain()), &trap.root)?;
            let outside = Outside::new(environment, vec![trap.root.clone()]);
            match repository.push("main", outside) {
                Ok(_) => Ok(false),
                Err(GitError::LeadsToAgents { .. }) => Ok(true),
                Err(other) => Err(other.into()),
            }
        };
        for (key, value) in [
            ("core.sshCommand", "ssh -F ROOT/deploy/ssh_config"),
            ("core.sshCommand", "ROOT/deploy/ssh"),
            ("core.askPass", "ROOT/ask"),
            ("core.gitProxy", "ROOT/proxy for host.example"),
            ("credential.helper", "!ROOT/helper"),
            ("credential.https://host.example.helper", "store --file=ROOT/credentials"),
            ("http.cookieFile", "ROOT/cookies"),
            ("http.sslCert", "../cert.pem"),
            ("gpg.program", "ROOT/gpg"),
            ("remote.origin.receivepack", "ROOT/receive"),
            ("remote.origin.pushurl", "ext::sh ROOT/far %S"),
            ("remote.origin.pushurl", "ROOT/far"),
            ("remote.origin.pushurl", "file://ROOT/far"),
            ("url.ext::ROOT/far.insteadOf", "ssh://"),
            ("url.ROOT/.pushInsteadOf", "ssh://git@host.example/"),
        ] {
            let [key, value] = [key, value].map(|text| text.replace("ROOT", &root));
            assert!(trap.git(&["config", &key, &value])?, "{key}");
            assert!(refused(trap.plain())?, "{key} = {value}");
            assert!(trap.git(&["config", "--unset-all", &key])?, "{key}");
        }
        for (key, value) in [
            ("remote.origin.pushurl", "laptop.example:ROOT"),
            ("remote.origin.pushurl", "../far"),
            ("safe.directory", "ROOT"),
            ("commit.template", "ROOT/message"),
            ("credential.helper", "store --file=ROOT/.git/credentials"),
        ] {
            let value = value.replace("ROOT", &root);
            assert!(trap.git(&["config", key, &value])?, "{key}");
            assert!(!refused(trap.plain())?, "{key} = {value}");
            assert!(trap.git(&["config", "--unset-all", key])?, "{key}");
        }
        for (name, is_refused) in [("GIT_SSH_COMMAND", true), ("SSH_ASKPASS", true), ("OWN", false)]
        {
            let mut environment = trap.plain();
            environment.push((name.into(), format!("{root}/tool").into()));
            assert_eq!(refused(environment)?, is_refused, "{name}");
        }
        Ok(())
    }
}
