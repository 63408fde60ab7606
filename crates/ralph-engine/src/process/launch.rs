//! Starts the shim with all its pipes. Nothing here waits for or listens to anyone.

use std::{
    io::{self, PipeReader, PipeWriter, Write},
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::{Child, Command},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

use super::{
    finished::ProcessError,
    shim::{Order, SUBCOMMAND},
    spec::{Containment, ProcessSpec, RUN_MARKER, TREE_MARKER},
    supervisor::Supervisor,
    sweep::{sweep_marked, trees_of},
};
use crate::unix;

/// What came of a start.
pub(super) enum Launch {
    /// The process cannot be started as described.
    Refused(String),
    Running(Running),
}

/// A started shim and ralph's ends of the pipes, none of which blocks.
pub(super) struct Running {
    pub(super) shim: Shim,
    pub(super) stdin: PipeWriter,
    pub(super) stdout: PipeReader,
    /// `None` when merged into the other.
    pub(super) stderr: Option<PipeReader>,
    pub(super) status: PipeReader,
}

/// Starts `spec` through the shim.
pub(super) fn launch(supervisor: &Supervisor, spec: &ProcessSpec) -> Result<Launch, ProcessError> {
    if !spec.cwd.is_dir() {
        return Ok(Launch::Refused(format!("{}: not a directory", spec.cwd.display())));
    }
    let (stdin_of, stdin) = io::pipe()?;
    let (stdout, stdout_of) = io::pipe()?;
    let (control_of, control) = io::pipe()?;
    let (status, status_of) = io::pipe()?;
    unix::set_nonblocking(&stdin)?;
    unix::set_nonblocking(&stdout)?;
    unix::set_nonblocking(&control)?;
    unix::set_nonblocking(&status)?;
    let tree = tree_marker(supervisor, spec);

    let door = spec.enclosed.as_ref().and_then(|enclosed| enclosed.door.as_ref());
    let door = door.map(|door| door.try_clone()).transpose()?;
    let order = Order {
        control: control_of.as_raw_fd(),
        status: status_of.as_raw_fd(),
        door: door.as_ref().map(AsRawFd::as_raw_fd),
        containment: containment(supervisor, spec),
        fence: spec.enclosed.as_ref().map(|enclosed| enclosed.wrapping.fence.clone()),
    };
    let mut command = shim_command(supervisor, spec);
    command
        .arg(SUBCOMMAND)
        .arg(serde_json::to_string(&order).map_err(io::Error::from)?)
        .arg(&spec.program)
        .args(&spec.args)
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .env(RUN_MARKER, spec.run.as_str())
        .env(TREE_MARKER, &tree)
        .current_dir(&spec.cwd)
        .stdin(stdin_of);
    let stderr = if spec.merge_stderr {
        command.stderr(stdout_of.try_clone()?);
        None
    } else {
        let (stderr, stderr_of) = io::pipe()?;
        unix::set_nonblocking(&stderr)?;
        command.stderr(stderr_of);
        Some(stderr)
    };
    command.stdout(stdout_of);
    let passed = [OwnedFd::from(control_of), OwnedFd::from(status_of)].into_iter().chain(door);
    unix::start_apart_with(&mut command, passed.collect());
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return refusal(supervisor, spec, error),
    };

    let shim = Shim { child, control: Some(control), tree };
    Ok(Launch::Running(Running { shim, stdin, stdout, stderr, status }))
}

/// The shim, or what encloses it and then the shim.
fn shim_command(supervisor: &Supervisor, spec: &ProcessSpec) -> Command {
    let wrapping = spec.enclosed.as_ref().map(|enclosed| &enclosed.wrapping);
    let Some((outer, wrapping)) =
        wrapping.and_then(|wrapping| Some((wrapping.before.split_first()?, wrapping)))
    else {
        let mut command = Command::new(&supervisor.shim);
        command.arg0("ralph");
        return command;
    };
    let (program, args) = outer;
    let mut command = Command::new(program);
    command.args(args).arg(wrapping.shim.as_ref().unwrap_or(&supervisor.shim));
    command
}

/// What stands before the shim makes the namespaces, if anything does.
fn containment(supervisor: &Supervisor, spec: &ProcessSpec) -> Containment {
    match &spec.enclosed {
        Some(enclosed) if !enclosed.wrapping.before.is_empty() => Containment::Enclosed,
        _ => supervisor.containment,
    }
}

fn tree_marker(supervisor: &Supervisor, spec: &ProcessSpec) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{}{}.{number}", trees_of(supervisor.home, &spec.run), std::process::id())
}

fn refusal(
    supervisor: &Supervisor,
    spec: &ProcessSpec,
    error: io::Error,
) -> Result<Launch, ProcessError> {
    use io::ErrorKind::{ArgumentListTooLong, InvalidInput};
    if matches!(error.kind(), ArgumentListTooLong | InvalidInput) {
        return Ok(Launch::Refused(format!("{}: {error}", spec.program.display())));
    }
    Err(ProcessError::Shim { shim: supervisor.shim.display().to_string(), source: error })
}

/// The shim's process. Dropping it tells the shim to end its tree and waits for that.
pub(super) struct Shim {
    child: Child,
    control: Option<PipeWriter>,
    tree: String,
}

/// How the shim itself ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShimEnd {
    /// With its work done.
    Well,
    /// Killed, or in trouble of its own.
    Badly,
}

impl Shim {
    /// Sends one request; a shim that is gone has nothing left to do for us.
    pub(super) fn request(&mut self, what: u8) {
        if let Some(control) = &mut self.control {
            let _ = control.write(&[what]);
        }
    }

    /// Whether its process is gone, whatever became of its pipes.
    pub(super) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }

    /// Reaps the shim, which has closed its status pipe and so is as good as gone. If it
    /// ended badly, what it held together is ended here.
    pub(super) fn settle(&mut self) -> io::Result<ShimEnd> {
        let ended = self.child.wait()?;
        if ended.success() {
            return Ok(ShimEnd::Well);
        }
        // What is still there after the sweep's patience is found again by the next run's sweep.
        let _ = sweep_marked(&|tree| tree == self.tree)?;
        Ok(ShimEnd::Badly)
    }
}

impl Drop for Shim {
    fn drop(&mut self) {
        self.control = None;
        let until = Instant::now() + Duration::from_secs(5);
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
