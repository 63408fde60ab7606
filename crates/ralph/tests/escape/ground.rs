//! The scratch world: a home full of secrets, repositories, a submodule, a linked worktree, ralph's settings and plan,
//! and processes that stand for the user's own.

use std::{
    error::Error,
    fs, io,
    os::unix::{
        fs::{PermissionsExt as _, lchown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::json;
use tempfile::TempDir;
use testkit::escape::World;

use crate::{ears::Ears, island};

/// Who stands for an ordinary user.
pub(crate) const USER: u32 = 65_534;

/// Files that hold the secret, below the home folder.
const SECRETS: &[&str] = &[
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".netrc",
    ".config/gh/hosts.yml",
    ".npmrc",
    ".cargo/credentials.toml",
    ".docker/config.json",
    ".kube/config",
    ".bash_history",
    ".mozilla/firefox/x/cookies.sqlite",
    "code/other/secret.env",
    ".local/state/ralph/other/hooks.json",
];

/// Files outside that attempts of these names try to change.
pub(crate) const VICTIMS: &[&str] = &[
    "delete-outside",
    "truncate-outside",
    "chmod-outside",
    "times-outside",
    "attribute-outside",
    "through-symlink",
    "through-hard-link",
    "through-file-handle",
];

/// The world, made and inhabited.
pub(crate) struct Ground {
    folder: TempDir,
    pub(crate) world: World,
    pub(crate) secret: String,
    pub(crate) ears: Ears,
    user: u32,
    victim: Child,
}

impl Ground {
    /// A world of this user's, in which the agent works in `work` below the home folder.
    pub(crate) fn new(user: u32, work: &str) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir_in(island::ground())?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        let world = World::new(folder.path(), &folder.path().join("home").join(work));
        let secret = format!("canary{}", folder.path().display()).replace(['/', '.'], "");
        let sockets = [
            "/run/docker.sock",
            "/run/containerd/containerd.sock",
            "/run/dbus/system_bus_socket",
            &format!("/run/user/{user}/bus"),
            "/tmp/ssh-escape/agent.1",
            &format!("/tmp/tmux-{user}/default"),
            "/tmp/.X11-unix/X0",
            "{home}/.gnupg/S.gpg-agent",
            "{home}/.local/state/editor.sock",
            "{work}/escape/service.sock",
            "{folder}/told/service.sock",
        ];
        furnish(&world, &secret)?;
        fs::create_dir(world.told(""))?;
        let sockets: Vec<PathBuf> = sockets.iter().map(|path| world.expand(path)).collect();
        let ears = Ears::open(&sockets)?;
        give(folder.path(), user)?;
        setuid_program(folder.path(), user)?;
        let mut victim = Command::new(world.work().join("escape/artist"));
        victim.args(["linger", &secret]).uid(user).gid(user).stdin(Stdio::null());
        let victim = victim.env_clear().env("CANARY", &secret).spawn()?;
        fs::write(world.own("victim"), victim.id().to_string())?;
        Ok(Self { folder, world, secret, ears, user, victim })
    }

    /// A command of this world's user, in the worktree, with secrets in its environment and at its input.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> io::Result<Command> {
        let mut command = Command::new(program);
        let home = self.world.home();
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .current_dir(self.world.work())
            .env_clear()
            // Careless, and common: folders of the project come first.
            .env("PATH", format!("{}:.:node_modules/.bin:{path}", self.world.own("bin").display()))
            .env("HOME", &home)
            .env("USER", "tester")
            .env("LANG", "C.UTF-8")
            .env("GIT_CONFIG_GLOBAL", self.folder.path().join("gitconfig"))
            .env("SSH_AUTH_SOCK", "/tmp/ssh-escape/agent.1")
            .env("RALPH_SANDBOX_WRITABLE", self.world.told(""))
            .envs(["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN"].map(|name| (name, &self.secret)))
            .stdin(fs::File::open(home.join(".netrc"))?)
            .uid(self.user)
            .gid(self.user);
        Ok(command)
    }

    /// Runs a command to its end and tells the agent that it is ralph; gives what it said.
    pub(crate) fn as_ralph(&self, mut command: Command) -> io::Result<(Option<i32>, String)> {
        let log = self.folder.path().join("ralph.log");
        let out = fs::File::create(&log)?;
        let mut child = command.stderr(out.try_clone()?).stdout(out).spawn()?;
        self.name_ralph(&child)?;
        let status = child.wait()?;
        let said = fs::read(&log)?;
        Ok((status.code(), String::from_utf8_lossy(&said).into_owned()))
    }

    /// Tells the agent which process is ralph.
    pub(crate) fn name_ralph(&self, child: &Child) -> io::Result<()> {
        let (new, file) = (self.world.own("ralph.new"), self.world.own("ralph"));
        fs::write(&new, child.id().to_string())?;
        fs::rename(new, file)
    }

    /// Whether the process that was there to be hurt is still well.
    pub(crate) fn is_victim_well(&mut self) -> bool {
        matches!(self.victim.try_wait(), Ok(None))
    }

    /// What ralph would have in the repository while it runs.
    pub(crate) fn pretend_a_run(&self) -> io::Result<()> {
        let truth = self.world.expand("{git}/ralph");
        put(&truth.join("lock"), "")?;
        put(&truth.join("runs/0/journal.jsonl"), "")?;
        give(&truth, self.user)
    }

    /// What the user's own git does with the worktree as it is; a configuration that was planted is gone afterwards.
    pub(crate) fn host_git(&self) -> io::Result<()> {
        // Git alone would wait at these for ever.
        let piped = self.world.expand("{work}/piped");
        if piped.exists() {
            fs::remove_dir_all(piped)?;
        }
        for args in [&["status"][..], &["diff"], &["add", "-A"], &["commit", "-qm", "x"]] {
            let mut command = self.command("git")?;
            let path = std::env::var("PATH").unwrap_or_default();
            command.env("PATH", path).env("GIT_AUTHOR_NAME", "x").env("GIT_COMMITTER_NAME", "x");
            command.env("GIT_AUTHOR_EMAIL", "x@y").env("GIT_COMMITTER_EMAIL", "x@y");
            command.args(args).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        }
        for name in ["core.fsmonitor", "diff.external", "filter.planted.clean"] {
            let mut command = self.command("git")?;
            command.env("PATH", std::env::var("PATH").unwrap_or_default());
            command.args(["config", "--unset", name]).status()?;
        }
        Ok(())
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        for folder in ["/etc", "/etc/cron.d", "/usr/bin"] {
            let _ = fs::remove_file(Path::new(folder).join(self.world.mark_name()));
        }
    }
}

/// Writes a file and the folders above it.
fn put(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text)
}

fn furnish(world: &World, secret: &str) -> Result<(), Box<dyn Error>> {
    let (folder, home) = (world.folder(), world.home());
    for name in SECRETS {
        put(&home.join(name), &format!("{secret}\n"))?;
    }
    for name in VICTIMS {
        put(&folder.join("outside").join(name), "untouched\n")?;
    }
    for name in [".cargo/bin/tool", ".cargo/registry/index", ".local/bin/tool"] {
        put(&home.join(name), "")?;
    }
    fs::create_dir_all(world.marks())?;
    put(Path::new("/home/somebody/.ssh/id_ed25519"), secret)?;
    fs::write("/etc/shadow", secret)?;
    put(&folder.join("gitconfig"), "[user]\n\tname = Tester\n\temail = tester@example.invalid\n")?;
    let user_settings = "[review]\nmode = \"off\"\n[sandbox]\n\
        allow_hosts = [\"allowed.test\", \"shelf.test\", \"cellar.test\"]\n";
    put(&home.join(".config/ralph/settings.toml"), user_settings)?;
    repositories(world)?;
    for folder in [world.main(), world.main().join("module")] {
        let url = format!("https://tester:{secret}@forge.invalid/it.git");
        git(&folder, &["config", "remote.far.url", &url])?;
        let header = format!("AUTHORIZATION: basic {secret}");
        git(&folder, &["config", "http.https://forge.invalid/.extraheader", &header])?;
    }
    inhabit(world)
}

/// The repository with three submodules and two linked worktrees.
fn repositories(world: &World) -> Result<(), Box<dyn Error>> {
    let (main, home) = (world.main(), world.home());
    put(&home.join("code/other/file.txt"), "other\n")?;
    let other = home.join("code/other");
    for args in [&["init", "-q", "-b", "main"][..], &["add", "file.txt"], &["commit", "-qm", "x"]] {
        git(&other, args)?;
    }
    put(&main.join("src/main.txt"), "original\n")?;
    put(&main.join(".gitignore"), "/escape/\n")?;
    let agent = world.folder().join("tools/escape-artist");
    let settings = format!(
        "[agent]\ncommand = \"{}\"\n[limits]\nmax_attempts = 9\n[[gate]]\nname = \"tests\"\ncommand = \"./gate.sh\"\n",
        agent.display()
    );
    put(&main.join(".ralph/settings.toml"), &settings)?;
    put(&main.join(".ralph/plan.json"), &plan())?;
    put(&main.join("gate.sh"), "#!/bin/sh\nexec ./escape/artist gate\n")?;
    fs::set_permissions(main.join("gate.sh"), fs::Permissions::from_mode(0o755))?;
    git(&main, &["init", "-q", "-b", "main"])?;
    let url = other.display().to_string();
    for name in ["module", "aside", "linked"] {
        git(
            &main,
            &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &url, name],
        )?;
    }
    git(&main, &["add", "-A"])?;
    git(&main, &["commit", "-qm", "begin"])?;
    for name in ["second", "third"] {
        let place = home.join("code").join(name).display().to_string();
        git(&main, &["worktree", "add", "-q", "-b", name, &place])?;
    }
    Ok(())
}

fn plan() -> String {
    let task = |n: u32| {
        let check =
            json!({"text": format!("T-{n} is there"), "check": format!("test -f work/T-{n}")});
        json!({"id": format!("T-{n}"), "title": format!("make work/T-{n}"), "status": "pending",
            "order": n, "acceptance_criteria": [check]})
    };
    json!({"version": 1, "project": "scratch", "tasks": [task(1), task(2)]}).to_string()
}

/// Puts the agent into its place, and what it must know into the worktree.
fn inhabit(world: &World) -> Result<(), Box<dyn Error>> {
    let own = std::env::current_exe()?;
    for place in [world.folder().join("tools/escape-artist"), world.own("artist")] {
        place.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::copy(&own, place)?;
    }
    put(&world.own("world"), &world.folder().display().to_string())?;
    Ok(())
}

/// A program that becomes somebody else whoever runs it: of root's, or of the user's where root runs it.
fn setuid_program(folder: &Path, user: u32) -> io::Result<()> {
    let path = folder.join("setuid-id");
    fs::copy("/usr/bin/id", &path)?;
    lchown(&path, Some(if user == 0 { USER } else { 0 }), None)
        .or_else(|error| if island::has_users() { Err(error) } else { Ok(()) })?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o4755))
}

fn git(dir: &Path, args: &[&str]) -> Result<(), Box<dyn Error>> {
    let name = ["-c", "user.name=x", "-c", "user.email=x@example.invalid"];
    let output = Command::new("git").current_dir(dir).args(name).args(args).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("git {args:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
}

/// Gives a folder and everything in it to a user.
fn give(path: &Path, user: u32) -> io::Result<()> {
    lchown(path, Some(user), Some(user))?;
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), user)?;
        }
    }
    Ok(())
}
