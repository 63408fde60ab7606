//! A remote for tests: a bare repository, reached as a file or by a daemon on loopback, and how to look into it.

#![expect(dead_code, reason = "each test file uses a part of it")]

use std::{
    fs,
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A bare repository with one commit on `main`.
pub(crate) struct Remote {
    pub(crate) dir: PathBuf,
    daemon: Option<(Child, u16)>,
}

impl Remote {
    pub(crate) fn new(root: &Path, ref_format: &str) -> Self {
        let dir = root.join("remote.git");
        let format = format!("--ref-format={ref_format}");
        git(root, &["init", "-q", "--bare", "-b", "main", &format, &dir.to_string_lossy()]);
        let first = root.join("first");
        git(root, &["init", "-q", "-b", "main", &first.to_string_lossy()]);
        fs::write(first.join("README.md"), "app\n").unwrap();
        fs::write(first.join(".gitignore"), ".ralph/\n").unwrap();
        git(&first, &["add", "-A"]);
        git(&first, &["commit", "-qm", "first"]);
        git(&first, &["push", "-q", &dir.to_string_lossy(), "main"]);
        Self { dir, daemon: None }
    }

    /// The same, served by a daemon.
    pub(crate) fn served(root: &Path) -> Self {
        let mut remote = Self::new(root, "files");
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new("git")
            .args(["daemon", "--reuseaddr", "--listen=127.0.0.1", "--export-all"])
            .args(["--enable=receive-pack", &format!("--port={port}")])
            .arg(format!("--base-path={}", root.display()))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        remote.daemon = Some((child, port));
        let until = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "the daemon does not listen");
            std::thread::yield_now();
        }
        remote
    }

    pub(crate) fn url(&self) -> String {
        match &self.daemon {
            Some((_, port)) => format!("git://127.0.0.1:{port}/remote.git"),
            None => self.dir.to_string_lossy().into_owned(),
        }
    }

    /// From now on it refuses every branch, until this file is gone.
    pub(crate) fn refuse_branches(&self) -> PathBuf {
        let hook = self.dir.join("hooks/pre-receive");
        let script = "#!/bin/sh\necho 'this branch is protected' >&2\n\
            while read -r old new ref; do case $ref in refs/heads/*) exit 1;; esac; done\n";
        fs::create_dir_all(self.dir.join("hooks")).unwrap();
        fs::write(&hook, script).unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
        hook
    }

    /// From now on nobody finds a repository there. Its folder stays: a push under way would leave its locks in one that
    /// is renamed.
    pub(crate) fn leave(&self) {
        fs::rename(self.dir.join("HEAD"), self.dir.join("HEAD.away")).unwrap();
    }

    /// It is there again.
    pub(crate) fn come_back(&self) {
        fs::rename(self.dir.join("HEAD.away"), self.dir.join("HEAD")).unwrap();
    }

    /// Every commit of a ref, newest first.
    pub(crate) fn commits(&self, name: &str) -> Vec<String> {
        let text = git(&self.dir, &["rev-list", name]);
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn file(&self, commit: &str, name: &str) -> String {
        git(&self.dir, &["cat-file", "blob", &format!("{commit}:{name}")])
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if let Some((child, _)) = &mut self.daemon {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// What git says there; it must succeed.
pub(crate) fn git(dir: &Path, args: &[&str]) -> String {
    let out = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args(["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "gc.auto=0"])
        .args(args)
        .env_remove("GIT_DIR")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim_end().to_owned()
}
