//! The self-test of a sandbox: a real box, and inside it real attempts that must all fail. Canaries lie wherever a box
//! once showed too much.

use std::{
    fs::{self, File},
    io,
    net::{TcpListener, TcpStream},
    os::unix::{
        fs::{PermissionsExt as _, symlink},
        net::{UnixListener, UnixStream},
    },
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use ralph_core::ids::RunId;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Sandbox, Unfit},
    caches,
    machine::Machine,
    policy,
    profile::{RALPH_INSIDE, Reach},
    request::SandboxRequest,
};
use crate::process::{
    Enclosed, Flow, Listener, Nobody, ProcessEnd, ProcessSpec, StopWhy, Stream, Supervisor,
};

/// The hidden subcommand that makes the attempts.
pub(crate) const SUBCOMMAND: &str = "__attempt";

/// How long a box may take; far more than a loaded machine needs.
const LONGEST: Duration = Duration::from_secs(30);

/// Said last, so that silence is no success.
const FINISHED: &str = "attempted";

/// What canaries say.
const CANARY: &str = "a canary of ralph's self-test";

/// Files that only root may read, and what others cannot read in the folders around them.
const OF_ROOT: [&str; 4] = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/var/lib/dpkg/status"];

/// What is tried inside.
#[derive(Debug, Serialize, Deserialize)]
struct Targets {
    outside: PathBuf,
    /// Files that must not be read, and what it means if they can be.
    canaries: Vec<(PathBuf, String)>,
    socket: PathBuf,
    port: u16,
    dot_git: PathBuf,
    /// Where the worktree can be written, to tell what came of it.
    told: PathBuf,
}

/// Makes a box and tries to get out of it.
pub(super) fn attempt(sandbox: &dyn Sandbox, program: &'static str) -> Result<(), Unfit> {
    let refused = |detail: String| Unfit::Refused { program, detail };
    let said = stage(sandbox).map_err(|error| refused(error.to_string()))?;
    let holes: Vec<&str> = said.out.lines().filter(|line| *line != FINISHED).collect();
    if !holes.is_empty() {
        return Err(Unfit::Leaks { program, detail: holes.join(", ") });
    }
    if !said.out.lines().any(|line| line == FINISHED) {
        let lines: Vec<&str> = said.err.lines().collect();
        return Err(refused(lines.last().copied().unwrap_or("it says nothing").to_owned()));
    }
    Ok(())
}

fn stage(sandbox: &dyn Sandbox) -> io::Result<Said> {
    let folder = tempfile::tempdir()?;
    let base = fs::canonicalize(folder.path())?;
    let (home, workspace) = (base.join("home"), base.join("home/work"));
    let dot_git = workspace.join(".git");
    fs::create_dir_all(dot_git.join("objects"))?;
    fs::create_dir_all(base.join("cache"))?;
    for name in ["HEAD", "config"] {
        fs::write(dot_git.join(name), "")?;
    }
    let mut canaries = plant(&home, &dot_git)?;
    if !sandbox.has_own_view() {
        // Without mounts .git is seen as it is, and its guarantee does not say otherwise.
        canaries.retain(|(path, _)| !path.starts_with(&dot_git));
    }
    // Whoever started ralph may have left one open: nothing that ralph starts may have it.
    let inherited = File::open(&canaries[0].0)?;
    fcntl(&inherited, FcntlArg::F_SETFD(FdFlag::empty()))?;
    let tcp = TcpListener::bind(("127.0.0.1", 0))?;
    let socket = base.join("socket");
    let _unix = UnixListener::bind(&socket)?;
    let targets = Targets {
        outside: base.join("outside"),
        canaries,
        socket,
        port: tcp.local_addr()?.port(),
        dot_git: dot_git.clone(),
        told: workspace.join("told"),
    };
    let ralph = std::env::current_exe()?;
    let programs = [home.join("links"), home.join("tools"), "/usr/bin".into(), "/bin".into()];
    let path = std::env::join_paths(programs).map_err(io::Error::other)?;
    let environment = vec![("PATH".into(), path)];
    let machine = Machine {
        home,
        ralph: ralph.clone(),
        cache: base.join("cache"),
        environment,
        git_settings: String::new(),
        shut_out: Vec::new(),
    };
    let sandbox_request = SandboxRequest {
        workspace: workspace.clone(),
        protected: vec![dot_git],
        program: RALPH_INSIDE.into(),
        // With sockets of its own it must not reach the machine's either.
        unix_sockets: sandbox.has_own_view(),
        ..SandboxRequest::default()
    };
    let profile =
        policy::profile(&machine, &sandbox_request, Reach::Nowhere).map_err(io::Error::other)?;
    caches::make(&profile.mounts, &machine)?;
    let wrapping = sandbox.wrap(&profile);
    let program = wrapping.shim.clone().unwrap_or(ralph);
    let spec = ProcessSpec {
        program: program.into(),
        args: vec![SUBCOMMAND.into(), serde_json::to_string(&targets)?.into()],
        env: machine.environment.clone(),
        cwd: workspace,
        stdin: Vec::new(),
        merge_stderr: false,
        run: RunId("self-test".into()),
        enclosed: Some(Enclosed { wrapping, door: None }),
    };
    let mut said = Said { out: String::new(), err: String::new(), until: Instant::now() + LONGEST };
    let finished =
        Supervisor::default().supervise(&spec, &mut said, &mut Nobody).map_err(io::Error::other)?;
    if finished.stopped.is_some() {
        return Err(io::Error::other(format!("it timed out after {} seconds", LONGEST.as_secs())));
    }
    if let ProcessEnd::NotStarted { detail } = finished.end {
        let told = said.err.lines().last().map(str::to_owned);
        return Err(io::Error::other(told.unwrap_or(detail)));
    }
    if targets.outside.exists() {
        said.out.push_str("a file outside can be written\n");
    }
    said.out.push_str(&fs::read_to_string(&targets.told).unwrap_or_default());
    Ok(said)
}

/// Plants canaries, each with what it means if it can be read.
fn plant(home: &Path, dot_git: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let planted = [
        (home.join("secret"), "a file of the home"),
        (home.join(".config/login"), "a login of the home"),
        (home.join(".local/share/uv/credentials/c.toml"), "a login of a version manager"),
        (home.join("other/.env"), "a file beside a program that PATH leads to"),
        (home.join("tools/.env"), "a file in a folder of programs"),
        (dot_git.join("credentials"), "a login stored in .git"),
        (dot_git.join("git-crypt/keys/default"), "a key stored in .git"),
    ];
    for (path, _) in &planted {
        fs::create_dir_all(path.parent().unwrap_or(home))?;
        fs::write(path, CANARY)?;
    }
    for name in ["other/program", "tools/program"] {
        fs::write(home.join(name), "#!/bin/sh\n")?;
        fs::set_permissions(home.join(name), fs::Permissions::from_mode(0o755))?;
    }
    fs::create_dir_all(home.join("links"))?;
    symlink(home.join("other/program"), home.join("links/program"))?;
    let of_root = OF_ROOT.map(|path| (PathBuf::from(path), "a file of the system's own"));
    let told = |(path, what): (PathBuf, &str)| (path, format!("{what} can be read"));
    Ok(planted.into_iter().chain(of_root).map(told).collect())
}

/// What came out of the box.
struct Said {
    out: String,
    err: String,
    until: Instant,
}

impl Listener for Said {
    fn output(&mut self, stream: Stream, bytes: &[u8]) -> Flow {
        let text = String::from_utf8_lossy(bytes);
        if stream == Stream::Stderr {
            self.err.push_str(&text);
        }
        Flow::Continue
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.until)
    }

    fn tick(&mut self, now: Instant) -> Flow {
        if now < self.until { Flow::Continue } else { Flow::Stop(StopWhy::TimedOut) }
    }
}

/// Makes the attempts inside and names the ones that succeeded.
pub(crate) fn main() -> i32 {
    let order = std::env::args_os().nth(2).unwrap_or_default();
    let Ok(targets) = serde_json::from_slice::<Targets>(order.as_encoded_bytes()) else {
        return 2;
    };
    i32::from(fs::write(&targets.told, attempts(&targets).join("\n")).is_err())
}

fn attempts(targets: &Targets) -> Vec<String> {
    // Whether it arrives outside is seen from there: inside, a private folder may lie in its place.
    let _ = fs::write(&targets.outside, "x");
    let patience = Duration::from_secs(1);
    let address = ([127, 0, 0, 1], targets.port).into();
    let moved = |from: &Path| fs::rename(from, from.with_file_name("moved")).is_ok();
    let done = [
        (has_descriptor(), "a descriptor of the machine is open"),
        (
            TcpStream::connect_timeout(&address, patience).is_ok(),
            "a service of the machine can be reached",
        ),
        (UnixStream::connect(&targets.socket).is_ok(), "a socket of the machine can be reached"),
        (moved(&targets.dot_git), ".git can be moved"),
        (fs::write(targets.dot_git.join("config"), "x").is_ok(), ".git can be written"),
    ];
    let canaries =
        targets.canaries.iter().filter(|(path, _)| fs::read(path).is_ok_and(|it| !it.is_empty()));
    let canaries = canaries.map(|(_, what)| what.clone());
    let done = done.into_iter().filter(|(holds, _)| *holds).map(|(_, what)| what.to_owned());
    canaries.chain(done).chain([FINISHED.to_owned()]).collect()
}

/// Whether something is open that was opened outside.
fn has_descriptor() -> bool {
    let open = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    // A pipe would be read for ever.
    let may_be = |facts: fs::Metadata| facts.is_file() && facts.len() == CANARY.len() as u64;
    open.map(|entry| entry.path()).any(|path| {
        fs::metadata(&path).is_ok_and(may_be)
            && fs::read(&path).is_ok_and(|text| text == CANARY.as_bytes())
    })
}
