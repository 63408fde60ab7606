//! The one loop while a process runs: moves bytes, watches the clock, carries out endings.
//! Invariant: its memory does not depend on how much the process writes.

use std::time::{Duration, Instant};

use nix::poll::PollTimeout;
use ralph_core::effect::How;

use super::{
    finished::{Finished, ProcessEnd, ProcessError},
    launch::{Running, Shim, ShimEnd},
    lines::{Line, LineSplitter},
    listen::{Attention, Flow, Listener, StopWhy, Stream},
    pipes::{Piece, Pipes, Source},
    status::{ASK, KILL, Status},
    supervisor::Graces,
};

/// Longest line about why nothing was started.
const BEFORE: usize = 512;
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
    pipes: Pipes<'a>,
    told: LineSplitter,
    graces: Graces,
    began: Instant,
    ending: Ending,
    /// When the shim and so the whole tree was found to be gone.
    gone: Option<Instant>,
    noticed: Instant,
    is_attention_broken: bool,
    end: Option<ProcessEnd>,
    /// What whoever was to start the shim says, as long as it has not said anything itself.
    before: LineSplitter,
    last_before: Option<String>,
    result: Finished,
}

impl<'a> Pump<'a> {
    pub(super) fn new(running: Running, stdin: &'a [u8], graces: Graces) -> Self {
        let now = Instant::now();
        Self {
            shim: running.shim,
            pipes: Pipes {
                stdin: Some(running.stdin).filter(|_| !stdin.is_empty()),
                unsent: stdin,
                stdout: Some(running.stdout),
                stderr: running.stderr,
                status: Some(running.status),
                buffer: Pipes::new_buffer(),
            },
            told: LineSplitter::with_cap(4096),
            graces,
            began: now,
            ending: Ending::NotYet,
            gone: None,
            noticed: now,
            is_attention_broken: false,
            end: None,
            before: LineSplitter::with_cap(BEFORE),
            last_before: None,
            result: Finished::not_started("the shim ended without a word".to_owned()),
        }
    }

    pub(super) fn run(
        mut self,
        listener: &mut dyn Listener,
        attention: &mut dyn Attention,
    ) -> Result<Finished, ProcessError> {
        while !self.is_over() {
            let is_attentive = self.gone.is_none() && !self.is_attention_broken;
            let attended = attention.fd().filter(|_| is_attentive);
            let ready = self.pipes.wait(attended, self.timeout(listener.deadline()))?;
            self.is_attention_broken |= ready.is_broken(Source::Attention);
            if ready.has(Source::Stdin) {
                self.pipes.write_stdin();
            }
            if ready.has(Source::Status) {
                self.read_status()?;
            }
            for (stream, source) in
                [(Stream::Stdout, Source::Stdout), (Stream::Stderr, Source::Stderr)]
            {
                if !ready.has(source) {
                    continue;
                }
                let Piece::Bytes(bytes) = self.pipes.read(stream)? else {
                    continue;
                };
                if self.end.is_none() && stream == Stream::Stderr {
                    self.before.feed(bytes, |line| {
                        if let Line::Whole(line) = line {
                            self.last_before = Some(String::from_utf8_lossy(line).into_owned());
                        }
                    });
                }
                if let Flow::Stop(why) = listener.output(stream, bytes) {
                    self.stop(why);
                }
            }
            if self.gone.is_none() {
                self.attend(ready.has(Source::Attention), attention)?;
                if let Flow::Stop(why) = listener.tick(Instant::now()) {
                    self.stop(why);
                }
                self.escalate()?;
            }
        }
        let unstarted = self.last_before.map(|detail| ProcessEnd::NotStarted { detail });
        if let Some(end) = self.end.or(unstarted) {
            self.result.end = end;
        }
        Ok(self.result)
    }

    fn is_over(&self) -> bool {
        let is_drained = self.pipes.is_drained();
        self.gone.is_some_and(|gone| is_drained || gone.elapsed() >= self.graces.drain)
    }

    fn timeout(&self, deadline: Option<Instant>) -> PollTimeout {
        let until = match (self.gone, self.ending) {
            (Some(gone), _) => Some(gone + self.graces.drain),
            (None, Ending::NotYet) => deadline,
            (
                None,
                Ending::Lingering { until } | Ending::Asked { until } | Ending::Killed { until },
            ) => Some(until),
        };
        let now = Instant::now();
        let beat = (self.noticed + HEARTBEAT).max(now);
        let next = until.filter(|until| self.gone.is_some() || *until < beat).unwrap_or(beat);
        let left = next.saturating_duration_since(now);
        // Rounded up, or a moment less than a millisecond away would make the loop spin.
        let left = left.min(HEARTBEAT) + Duration::from_millis(1);
        PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO)
    }

    fn read_status(&mut self) -> Result<(), ProcessError> {
        let mut lines = Vec::new();
        match self.pipes.read_status()? {
            Piece::Nothing => {}
            Piece::End => self.settle()?,
            Piece::Bytes(bytes) => self.told.feed(bytes, |line| {
                if let Line::Whole(line) = line {
                    lines.extend(Status::parse(line));
                }
            }),
        }
        for line in lines {
            self.note(line);
        }
        Ok(())
    }

    /// A shim that is gone while its status pipe stays open left someone behind who holds it.
    fn check_on_shim(&mut self) -> Result<(), ProcessError> {
        if self.shim.has_ended()? {
            // Its last words may have arrived since the pipe was last looked at.
            self.read_status()?;
            if self.gone.is_none() {
                self.settle()?;
            }
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
        self.pipes.stdin = None;
        self.pipes.status = None;
        if self.shim.settle()? == ShimEnd::Badly {
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
        self.check_on_shim()?;
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
        if self.gone.is_some() || self.result.stopped == Some(why) {
            return;
        }
        match why {
            StopWhy::Done if self.ending == Ending::NotYet => {
                self.ending = Ending::Lingering { until: Instant::now() + self.graces.linger };
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
            Ending::Asked { until: earlier } => Ending::Asked { until: earlier.min(until) },
            killed @ Ending::Killed { .. } => killed,
        };
    }

    fn kill(&mut self) {
        if !matches!(self.ending, Ending::Killed { .. }) {
            self.shim.request(KILL);
            self.ending = Ending::Killed { until: Instant::now() + self.graces.kill };
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

#[cfg(test)]
mod tests {
    use ralph_core::ids::RunId;

    use super::super::{
        listen::Nobody,
        spec::{Enclosed, ProcessSpec},
        supervisor::Supervisor,
    };
    use super::*;
    use crate::fence::{Fence, Wrapping};

    struct Nothing;

    impl Listener for Nothing {
        fn output(&mut self, _: Stream, _: &[u8]) -> Flow {
            Flow::Continue
        }

        fn deadline(&self) -> Option<Instant> {
            None
        }

        fn tick(&mut self, _: Instant) -> Flow {
            Flow::Continue
        }
    }

    #[test]
    fn a_box_that_cannot_be_made_says_why() -> Result<(), ProcessError> {
        let before = ["/bin/sh", "-c", "echo first >&2; echo the reason >&2; exit 1"];
        let wrapping = Wrapping {
            before: before.map(Into::into).to_vec(),
            shim: None,
            fence: Fence::default(),
        };
        let spec = ProcessSpec {
            program: "true".into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: "/".into(),
            stdin: Vec::new(),
            merge_stderr: false,
            run: RunId("run".into()),
            enclosed: Some(Enclosed { wrapping, door: None }),
        };
        let finished = Supervisor::default().supervise(&spec, &mut Nothing, &mut Nobody)?;
        assert_eq!(finished.end, ProcessEnd::NotStarted { detail: "the reason".into() });
        Ok(())
    }
}
