//! The self-test of a sandbox: a real box, and inside it real attempts that must all fail.

use std::{
    fs, io,
    net::{TcpListener, TcpStream},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use ralph_core::ids::RunId;
use serde::{Deserialize, Serialize};

use super::{
    backend::{Sandbox, Unfit},
    caches,
    policy::{self, Errand, Machine},
    profile::Reach,
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

/// What is tried inside.
#[derive(Debug, Serialize, Deserialize)]
struct Targets {
    outside: PathBuf,
    secret: PathBuf,
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
    fs::create_dir_all(&dot_git)?;
    fs::create_dir_all(base.join("cache"))?;
    fs::write(home.join("secret"), "secret")?;
    fs::write(dot_git.join("config"), "")?;
    let tcp = TcpListener::bind(("127.0.0.1", 0))?;
    let socket = base.join("socket");
    let _unix = UnixListener::bind(&socket)?;
    let targets = Targets {
        outside: base.join("outside"),
        secret: home.join("secret"),
        socket,
        port: tcp.local_addr()?.port(),
        dot_git: dot_git.clone(),
        told: workspace.join("told"),
    };
    let ralph = std::env::current_exe()?;
    let environment = vec![("PATH".into(), "/usr/bin:/bin".into())];
    let machine = Machine {
        home,
        ralph: ralph.clone(),
        cache: base.join("cache"),
        environment,
        git_settings: String::new(),
        shut_out: Vec::new(),
    };
    let errand = Errand {
        workspace: workspace.clone(),
        protected: vec![dot_git],
        program: super::bubblewrap::RALPH_INSIDE.into(),
        ..Errand::default()
    };
    let profile = policy::profile(&machine, &errand, Reach::Nowhere).map_err(io::Error::other)?;
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
        return Err(io::Error::other(format!(
            "it did not end within {} seconds",
            LONGEST.as_secs()
        )));
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

fn attempts(targets: &Targets) -> Vec<&'static str> {
    // Whether it arrives outside is seen from there: inside, a private folder may lie in its place.
    let _ = fs::write(&targets.outside, "x");
    let patience = Duration::from_secs(1);
    let address = ([127, 0, 0, 1], targets.port).into();
    let moved = |from: &Path| fs::rename(from, from.with_file_name("moved")).is_ok();
    let done = [
        (fs::read(&targets.secret).is_ok(), "a file of the home can be read"),
        (
            TcpStream::connect_timeout(&address, patience).is_ok(),
            "a service of the machine can be reached",
        ),
        (UnixStream::connect(&targets.socket).is_ok(), "a socket of the machine can be reached"),
        (moved(&targets.dot_git), ".git can be moved"),
        (fs::write(targets.dot_git.join("config"), "x").is_ok(), ".git can be written"),
    ];
    done.into_iter().filter_map(|(holds, what)| holds.then_some(what)).chain([FINISHED]).collect()
}
