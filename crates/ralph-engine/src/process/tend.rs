//! The shim's work: start the agent, obey ralph, reap, and end all that is left once it is over.
//! Runs in a process with one thread, either as process 1 of a namespace or as a subreaper.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, PipeReader, Read, Write},
    os::{
        fd::{AsFd, OwnedFd},
        unix::process::CommandExt,
    },
    process::Command,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::{
        signal::{Signal, kill, killpg},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::Pid,
};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

use super::{
    status::{ASK, KILL, Status},
    tree,
};
use crate::unix;

/// Time for processes that are about to leave anyway, before they count as left over.
const BREATH: Duration = Duration::from_millis(100);
/// How long killed processes may take to vanish.
const PATIENCE: Duration = Duration::from_secs(3);
/// Between two looks at who is left, in case no child tells.
const GLANCE: Duration = Duration::from_millis(20);

/// What to start and the two pipes to ralph.
pub(super) struct Job {
    pub(super) program: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) control: OwnedFd,
    pub(super) status: OwnedFd,
}

/// As what a process tends the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Process 1 of a namespace: when it ends, the kernel ends all the others.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "namespaces are Linux's"))]
    Init,
    /// Adopts orphans and must end them itself.
    Reaper,
}

/// Starts the agent and stays until nothing of it is left.
pub(super) fn tend(job: Job, role: Role) -> io::Result<()> {
    let mut status = File::from(job.status);
    let children = wake_on(&[SIGCHLD])?;
    // Process 1 must have no handler: then the kernel keeps such signals of the agent away from it.
    let signals = if role == Role::Reaper { wake_on(&[SIGTERM, SIGINT, SIGHUP])? } else { None };
    let mut command = Command::new(&job.program);
    let agent = match command.args(&job.args).process_group(0).spawn() {
        Ok(child) => Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?),
        Err(error) => {
            let detail = format!("{}: {error}", job.program.to_string_lossy());
            return send(&mut status, &Status::refused(&detail));
        }
    };
    // Ralph may be gone already; the control pipe says so in a moment.
    let _ = send(&mut status, &Status::Started { contained: role == Role::Init });
    let _ = release_stdio();
    let mut tender =
        Tender { agent, end: None, children, signals, control: Some(job.control.into()) };
    let end = tender.until_the_agent_ends()?;
    let leftovers = tender.finish(role)?;
    let end = match end {
        WaitStatus::Signaled(_, signal, _) => {
            Status::Signalled { signal: signal as i32, leftovers }
        }
        WaitStatus::Exited(_, code) => Status::Exited { code, leftovers },
        other => return Err(io::Error::other(format!("unexpected {other:?}"))),
    };
    send(&mut status, &end)
}

/// Tells ralph that the agent was not started, and why.
pub(super) fn refuse(job: Job, why: &str) -> io::Result<()> {
    send(&mut File::from(job.status), &Status::refused(why))
}

/// Lets go of the agent's streams, so that their ends are seen by whom they concern.
pub(super) fn release_stdio() -> io::Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    nix::unistd::dup2_stdin(&nothing)?;
    nix::unistd::dup2_stdout(&nothing)?;
    nix::unistd::dup2_stderr(&nothing)?;
    Ok(())
}

fn send(status: &mut File, what: &Status) -> io::Result<()> {
    status.write_all(what.to_line()?.as_bytes())
}

/// A pipe that becomes readable when any of these signals arrives.
fn wake_on(signals: &[i32]) -> io::Result<Option<PipeReader>> {
    let (reader, writer) = io::pipe()?;
    for &signal in signals {
        signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
    }
    unix::set_nonblocking(&reader)?;
    Ok(Some(reader))
}

struct Tender {
    agent: Pid,
    end: Option<WaitStatus>,
    children: Option<PipeReader>,
    signals: Option<PipeReader>,
    /// Gone once ralph has closed its end.
    control: Option<PipeReader>,
}

impl Tender {
    fn until_the_agent_ends(&mut self) -> io::Result<WaitStatus> {
        loop {
            self.reap()?;
            if let Some(end) = self.end {
                return Ok(end);
            }
            let [_, signals, control] = self.wait(PollTimeout::NONE)?;
            if signals {
                self.kill_agent();
                self.signals = None;
            }
            if control {
                self.obey();
            }
        }
    }

    fn obey(&mut self) {
        let Some(control) = &mut self.control else {
            return;
        };
        let mut requests = [0; 16];
        match control.read(&mut requests) {
            Ok(0) => {
                self.control = None;
                self.kill_agent();
            }
            Ok(count) if requests[..count].contains(&KILL) => self.kill_agent(),
            Ok(count) if requests[..count].contains(&ASK) => {
                let _ = killpg(self.agent, Signal::SIGTERM);
                // Someone may have stopped it; a stopped process cannot answer.
                let _ = killpg(self.agent, Signal::SIGCONT);
            }
            Ok(_) | Err(_) => {}
        }
    }

    /// The agent is our child and not yet waited for, so its number cannot mean anyone else.
    fn kill_agent(&self) {
        let _ = killpg(self.agent, Signal::SIGKILL);
        let _ = kill(self.agent, Signal::SIGKILL);
    }

    /// Counts what the agent left and, where that is not the kernel's job, ends it.
    fn finish(&mut self, role: Role) -> io::Result<u32> {
        let mut until = Instant::now() + BREATH;
        while !self.reap()? && Instant::now() < until {
            self.wait(brief(until))?;
        }
        let count = u32::try_from(self.left()?.len()).unwrap_or(u32::MAX);
        if role == Role::Init {
            return Ok(count);
        }
        if !cfg!(target_os = "linux") {
            // Orphans do not come to us there; what stayed in the group is all we can reach.
            let _ = killpg(self.agent, Signal::SIGKILL);
        }
        until = Instant::now() + PATIENCE;
        while !self.reap()? && Instant::now() < until {
            for process in self.left()? {
                let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
            }
            self.wait(brief(until))?;
        }
        Ok(count)
    }

    fn left(&mut self) -> io::Result<Vec<tree::Process>> {
        if self.reap()? {
            return Ok(Vec::new());
        }
        Ok(tree::descendants(&tree::all()?, &[Pid::this().as_raw()]))
    }

    /// Waits for whom there is to wait for; `true` when there is no child left at all, and so,
    /// since orphans come to us, no descendant either.
    fn reap(&mut self) -> io::Result<bool> {
        loop {
            match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => return Ok(false),
                Ok(ended) if ended.pid() == Some(self.agent) => self.end = Some(ended),
                Ok(_) | Err(Errno::EINTR) => {}
                Err(Errno::ECHILD) => return Ok(true),
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Which of children, signals and control have something to say.
    fn wait(&mut self, timeout: PollTimeout) -> io::Result<[bool; 3]> {
        let pipes = [&self.children, &self.signals, &self.control];
        let mut fds: Vec<PollFd<'_>> = pipes
            .iter()
            .filter_map(|pipe| pipe.as_ref())
            .map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLIN))
            .collect();
        match poll(&mut fds, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let mut answers = fds.iter().map(|fd| fd.any().unwrap_or_default());
        let ready = pipes.map(|pipe| pipe.is_some() && answers.next().unwrap_or_default());
        if let (true, Some(children)) = (ready[0], &mut self.children) {
            // Only a wake-up: who has ended is asked of the kernel.
            let _ = children.read(&mut [0; 256]);
        }
        Ok(ready)
    }
}

fn brief(until: Instant) -> PollTimeout {
    let left = until.saturating_duration_since(Instant::now()).min(GLANCE);
    PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::ZERO)
}
