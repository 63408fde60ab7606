//! Runs `git` for the truth: a cleaned environment, no hooks, nothing that a repository's content could start, and an
//! end to every wait. Credentials come from the operator's own configuration. In a folder that an agent wrote it may
//! list refs and nothing else.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context as _, Result, bail};

use super::child;

/// What of the worker's environment `git` and its helpers get.
const PASSED_ON: [&str; 18] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "SSH_AUTH_SOCK",
    "GIT_SSH_COMMAND",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
];

/// What holds whatever a configuration says.
const FIXED: [&str; 15] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "gc.auto=0",
    "maintenance.auto=false",
    "push.gpgSign=false",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "protocol.ext.allow=never",
    "protocol.allow=never",
    "protocol.file.allow=always",
    "protocol.git.allow=always",
    "protocol.http.allow=always",
    "protocol.https.allow=always",
    "protocol.ssh.allow=always",
];

/// How to run `git` on this machine.
#[derive(Debug, Clone)]
pub struct Program {
    /// The program; normally just `git`.
    pub path: PathBuf,
    /// The operator's credential helper, as git understands one, and the hosts that it is asked for.
    pub credentials: Option<(String, Vec<String>)>,
    /// How long one command may take.
    pub patience: Duration,
}

impl Default for Program {
    fn default() -> Self {
        Self { path: "git".into(), credentials: None, patience: Duration::from_mins(5) }
    }
}

/// `git` in one repository.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    program: Program,
    dir: PathBuf,
    /// The most bytes that it may say.
    most: usize,
}

/// The most that is taken of a list of refs or of what a remote has to say: 100,000 refs have about 15 MB.
const CHATTER: usize = 32 << 20;

impl Git {
    /// In the repository whose git folder this is.
    pub(crate) fn new(program: &Program, dir: &Path) -> Self {
        Self { program: program.clone(), dir: dir.to_owned(), most: CHATTER }
    }

    /// The same where it answers with up to so many bytes.
    pub(crate) fn up_to(&self, most: usize) -> Self {
        Self { most, ..self.clone() }
    }

    /// The same, less patient.
    pub(crate) fn within(&self, patience: Duration) -> Self {
        let mut other = self.clone();
        other.program.patience = other.program.patience.min(patience);
        other
    }

    /// The same, in another repository.
    pub(crate) fn in_place(&self, dir: &Path) -> Self {
        Self::new(&self.program, dir)
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// What it says; an error if it fails.
    pub(crate) fn ask(&self, args: &[&str]) -> Result<String> {
        let out = self.feed(args, b"")?;
        Ok(String::from_utf8_lossy(&out).trim_end().to_owned())
    }

    /// What it answers to this input; an error if it fails.
    pub(crate) fn feed(&self, args: &[&str], input: &[u8]) -> Result<Vec<u8>> {
        let left = self.run(args, input)?;
        if !left.status.success() {
            bail!("git {} failed: {}", named(args), said(&left));
        }
        Ok(left.out)
    }

    /// Whether it says yes; an error if it says anything but yes or no.
    pub(crate) fn agrees(&self, args: &[&str]) -> Result<bool> {
        let left = self.run(args, b"")?;
        match left.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => bail!("git {} failed: {}", named(args), said(&left)),
        }
    }

    /// What it leaves, success or not; an error if it could not be run, took too long or said too much.
    pub(crate) fn run(&self, args: &[&str], input: &[u8]) -> Result<child::Left> {
        let mut command = self.command(args);
        let patience = self.program.patience;
        let left = child::finish(&mut command, input, patience, self.most).with_context(|| {
            format!("cannot run {} {}", self.program.path.display(), named(args))
        })?;
        left.with_context(|| {
            format!("git {} timed out after {} s", named(args), patience.as_secs())
        })
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program.path);
        command.env_clear();
        for name in PASSED_ON {
            command.envs(env::var_os(name).map(|value| (name, value)));
        }
        command
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_OPTIONAL_LOCKS", "0");
        for fixed in FIXED {
            command.args(["-c", fixed]);
        }
        if let Some((helper, hosts)) = &self.program.credentials {
            // An empty one first, so that none of another configuration is asked.
            command.args(["-c", "credential.helper="]);
            for host in hosts {
                command.args(["-c", &format!("credential.{host}.helper={helper}")]);
            }
        }
        command.arg("--git-dir").arg(&self.dir).args(args);
        command
    }
}

/// What a failed command said, as one line.
pub(crate) fn said(left: &child::Left) -> String {
    let text = [left.err.as_slice(), left.out.as_slice()].concat();
    let text = String::from_utf8_lossy(&text);
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

/// The subcommand alone: addresses may hold what nobody else should read.
fn named<'a>(args: &[&'a str]) -> &'a str {
    args.first().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_too_long_is_not_taken() -> Result<()> {
        let git = Git::new(&Program::default(), Path::new("nowhere"));
        assert!(git.ask(&["version"])?.starts_with("git version"));
        let error = git.up_to(5).ask(&["version"]).map_err(|error| format!("{error:#}"));
        assert_eq!(error, Err("cannot run git version: it said more than 5 bytes".to_owned()));
        Ok(())
    }

    #[test]
    fn credentials_are_given_to_hosts_they_are_for_and_to_no_other() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let helper = "!printf 'username=u\\npassword=p\\n'".to_owned();
        let hosts = vec!["https://git.example.com".to_owned()];
        let program = Program { credentials: Some((helper, hosts)), ..Program::default() };
        let git = Git::new(&program, folder.path());
        let fill = |host: &str| {
            let asked = format!("protocol=https\nhost={host}\npath=a.git\n\n");
            git.feed(&["credential", "fill"], asked.as_bytes())
        };
        assert!(String::from_utf8(fill("git.example.com")?)?.contains("password=p"));
        for other in ["evil.example", "git.example.com.evil.example", "git.example.com:8443"] {
            assert!(fill(other).is_err(), "{other}");
        }
        Ok(())
    }
}
