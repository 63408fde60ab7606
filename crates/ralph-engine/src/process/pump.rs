//! The one loop while a process runs: moves bytes, watches the clock, carries out endings.
//! Invariant: its memory does not depend on how much the process writes.

use std::{
    io::{ErrorKind, PipeReader, PipeWriter, Read, Write},
    os::fd::AsFd,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
};
use ralph_core::effect::How;

use super::{
    launch::{Running, Shim, ShimEnd},
    lines::{Line, LineSplitter},
    listen::{Attention, Flow, Listener, StopWhy, Stream},
    status::{ASK, KILL, Status},
    supervisor::{Finished, Graces, ProcessEnd, ProcessError},
};

const CHUNK: usize = 64 * 1024;
/// Longest time between two looks at people's requests.
const HEARTBEAT: Duration = Duration::from_millis(500);

/// How far the ending of the process has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    NotYet,
    /// Done with its work, may leave by itself.
    Lingering {
        until: Instant,
    },
    Asked {
        until: Instant,
    },
    Killed {
        until: Instant,
    },
}

/// Moves everything between ralph and one process.
pub(super) struct Pump<'a> {
    shim: Shim,
    stdin: Option<PipeWriter>,
    unsent: &'a [u8],
    stdout: Option<PipeReader>,
    stderr: Option<PipeReader>,
    status: Option<PipeReader>,
    told: LineSplitter,
    graces: Graces,
    buffer: Box<[u8]>,
    began: Instant,
    ending: Ending,
    /// When the shim and so the whole tree was found to be gone.
    gone: Option<Instant>,
    noticed: Instant,
    is_attention_broken: bool,
    end: Option<ProcessEnd>,
    result: Finished,
}

/// What `poll` found.
#[derive(Debug, Clone, Copy, Default)]
struct Ready {
    stdin: bool,
    stdout: bool,
    stderr: bool,
    status: bool,
    attention: bool,
}

impl<'a> Pump<'a> {
    pub(super) fn new(running: Running, stdin: &'a [u8], graces: Graces) -> Self {
        let now = Instant::now();
        Self {
            shim: running.shim,
            stdin: Some(running.stdin).filter(|_| !stdin.is_empty()),
            unsent: stdin,
            stdout: Some(running.stdout),
            stderr: running.stderr,
            status: Some(running.status),
            told: LineSplitter::with_cap(4096),
            graces,
            buffer: vec![0; CHUNK].into_boxed_slice(),
            began: now,
            ending: Ending::NotYet,
            gone: None,
            noticed: now,
            is_attention_broken: false,
            end: None,
            result: Finished::not_started("the shim ended without a word".to_owned()),
        }
    }

    pub(super) fn run(
        mut self,
        listener: &mut dyn Listener,
        attention: &mut dyn Attention,
    ) -> Result<Finished, ProcessError> {
        while !self.is_over() {
            let ready = self.wait(listener.deadline(), attention)?;
            if ready.stdin {
                self.write_stdin();
            }
            if ready.status {
                self.read_status()?;
            }
            for (stream, is_ready) in [
                (Stream::Stdout, ready.stdout),
                (Stream::Stderr, ready.stderr),
            ] {
                if is_ready && let Flow::Stop(why) = self.read_output(stream, listener)? {
                    self.stop(why);
                }
            }
            if self.gone.is_none() {
                self.attend(ready.attention, attention)?;
                if let Flow::Stop(why) = listener.tick(Instant::now()) {
                    self.stop(why);
                }
                self.escalate()?;
            }
        }
        if let Some(end) = self.end {
            self.result.end = end;
        }
        Ok(self.result)
    }

    fn is_over(&self) -> bool {
        let is_drained = self.stdout.is_none() && self.stderr.is_none();
        self.gone
            .is_some_and(|gone| is_drained || gone.elapsed() >= self.graces.drain)
    }

    fn wait(
        &mut self,
        deadline: Option<Instant>,
        attention: &dyn Attention,
    ) -> Result<Ready, ProcessError> {
        let timeout = self.timeout(deadline);
        let (input, output) = (PollFlags::POLLIN, PollFlags::POLLOUT);
        let attended = attention
            .fd()
            .filter(|_| !self.is_attention_broken && self.gone.is_none());
        let wanted = [
            self.stdin
                .as_ref()
                .map(|fd| PollFd::new(fd.as_fd(), output)),
            self.stdout
                .as_ref()
                .map(|fd| PollFd::new(fd.as_fd(), input)),
            self.stderr
                .as_ref()
                .map(|fd| PollFd::new(fd.as_fd(), input)),
            self.status
                .as_ref()
                .map(|fd| PollFd::new(fd.as_fd(), input)),
            attended.map(|fd| PollFd::new(fd, input)),
        ];
        let is_wanted = wanted.each_ref().map(Option::is_some);
        let mut fds: Vec<PollFd<'_>> = wanted.into_iter().flatten().collect();
        match poll(&mut fds, timeout) {
            Ok(_) => {}
            Err(Errno::EINTR) => return Ok(Ready::default()),
            Err(errno) => return Err(ProcessError::Io(errno.into())),
        }
        let mut found = fds
            .iter()
            .map(|fd| fd.revents().unwrap_or(PollFlags::empty()));
        let answers = is_wanted.map(|is| {
            if is {
                found.next().unwrap_or(PollFlags::empty())
            } else {
                PollFlags::empty()
            }
        });
        let [stdin, stdout, stderr, status, attention] = answers;
        // A closed descriptor is always ready; without data behind it that would never rest.
        self.is_attention_broken |= !attention.is_empty() && !attention.contains(input);
        Ok(Ready {
            stdin: !stdin.is_empty(),
            stdout: !stdout.is_empty(),
            stderr: !stderr.is_empty(),
            status: !status.is_empty(),
            attention: !attention.is_empty(),
        })
    }

    fn timeout(&self, deadline: Option<Instant>) -> PollTimeout {
        let until = match self.ending {
            Ending::NotYet => None,
            Ending::Lingering { until } | Ending::Asked { until } | Ending::Killed { until } => {
                Some(until)
            }
        };
        let drained = self.gone.map(|gone| gone + self.graces.drain);
        let next = [Some(self.noticed + HEARTBEAT), deadline, until, drained];
        let now = Instant::now();
        let earliest = next.into_iter().flatten().min().unwrap_or(now);
        let left = earliest.saturating_duration_since(now).min(HEARTBEAT);
        // Rounded up, or a deadline less than a millisecond away would make the loop spin.
        let left = if left.is_zero() {
            left
        } else {
            left + Duration::from_millis(1)
        };
        PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO)
    }

    fn write_stdin(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        match stdin.write(self.unsent) {
            Ok(count) => self.unsent = &self.unsent[count..],
            Err(error) if is_passing(error.kind()) => {}
            // It does not want the rest.
            Err(_) => self.unsent = &[],
        }
        if self.unsent.is_empty() {
            self.stdin = None;
        }
    }

    fn read_output(
        &mut self,
        stream: Stream,
        listener: &mut dyn Listener,
    ) -> Result<Flow, ProcessError> {
        let pipe = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let Some(reader) = pipe else {
            return Ok(Flow::Continue);
        };
        match reader.read(&mut self.buffer) {
            Ok(0) => *pipe = None,
            Ok(count) => return Ok(listener.output(stream, &self.buffer[..count])),
            Err(error) if is_passing(error.kind()) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Flow::Continue)
    }

    fn read_status(&mut self) -> Result<(), ProcessError> {
        let Some(status) = &mut self.status else {
            return Ok(());
        };
        let count = match status.read(&mut self.buffer) {
            Ok(count) => count,
            Err(error) if is_passing(error.kind()) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if count == 0 {
            return self.settle();
        }
        let mut lines = Vec::new();
        self.told.feed(&self.buffer[..count], |line| {
            if let Line::Whole(line) = line {
                lines.extend(Status::parse(line));
            }
        });
        for line in lines {
            self.note(line);
        }
        Ok(())
    }

    fn note(&mut self, status: Status) {
        let (end, leftovers) = match status {
            Status::Started { contained } => {
                self.result.contained = contained;
                // Until the shim says better: it can only have been killed.
                self.end = Some(ProcessEnd::Signalled { signal: 9 });
                return;
            }
            Status::Refused { detail } => (ProcessEnd::NotStarted { detail }, 0),
            Status::Exited { code, leftovers } => (ProcessEnd::Exited { code }, leftovers),
            Status::Signalled { signal, leftovers } => {
                (ProcessEnd::Signalled { signal }, leftovers)
            }
        };
        self.end = Some(end);
        self.result.leftovers = leftovers;
        self.result.took = self.began.elapsed();
    }

    fn settle(&mut self) -> Result<(), ProcessError> {
        self.status = None;
        self.stdin = None;
        if let ShimEnd::Killed = self.shim.settle()? {
            self.result.took = self.began.elapsed();
        }
        self.gone = Some(Instant::now());
        Ok(())
    }

    fn attend(
        &mut self,
        is_ready: bool,
        attention: &mut dyn Attention,
    ) -> Result<(), ProcessError> {
        if !is_ready && self.noticed.elapsed() < HEARTBEAT {
            return Ok(());
        }
        self.noticed = Instant::now();
        let Some(how) = attention.notice().map_err(ProcessError::Attention)? else {
            return Ok(());
        };
        self.result.interrupted = self.result.interrupted.max(Some(how));
        match how {
            How::Ask => self.ask(self.graces.request),
            How::Kill => self.kill(),
        }
        Ok(())
    }

    fn stop(&mut self, why: StopWhy) {
        if self.gone.is_some() || self.result.stopped.as_ref() == Some(&why) {
            return;
        }
        match why {
            StopWhy::Done if self.ending == Ending::NotYet => {
                self.ending = Ending::Lingering {
                    until: Instant::now() + self.graces.linger,
                };
            }
            StopWhy::Done => {}
            _ => self.ask(self.graces.timeout),
        }
        self.result.stopped.get_or_insert(why);
    }

    fn ask(&mut self, grace: Duration) {
        let until = Instant::now() + grace;
        self.ending = match self.ending {
            Ending::NotYet | Ending::Lingering { .. } => {
                self.shim.request(ASK);
                Ending::Asked { until }
            }
            Ending::Asked { until: earlier } => Ending::Asked {
                until: earlier.min(until),
            },
            killed @ Ending::Killed { .. } => killed,
        };
    }

    fn kill(&mut self) {
        if !matches!(self.ending, Ending::Killed { .. }) {
            self.shim.request(KILL);
            self.ending = Ending::Killed {
                until: Instant::now() + self.graces.kill,
            };
        }
    }

    /// Takes the next step where the time for the last one is over.
    fn escalate(&mut self) -> Result<(), ProcessError> {
        let now = Instant::now();
        match self.ending {
            Ending::Lingering { until } if now >= until => self.ask(self.graces.timeout),
            Ending::Asked { until } if now >= until => self.kill(),
            Ending::Killed { until } if now >= until => return Err(ProcessError::Unkillable),
            _ => {}
        }
        Ok(())
    }
}

fn is_passing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
