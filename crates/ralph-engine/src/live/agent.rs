//! Runs one agent call: its command line, its stream, its watch, and the report of how it went.

use std::time::{Duration, Instant};

use ralph_agents::{
    EndedBy, ExitFacts, LineParser,
    event::AgentEvent,
    live_event::{Chatter, News, Said},
    watch::{Alarm, Watch, WatchLimits},
};
use ralph_core::{
    effect::AgentCall,
    input::{AgentReport, Failure, FailureClass},
    time::{Millis, Timestamp},
    vocabulary::Kind,
};
use ralph_text::cut;

use super::{Live, reset, transcript::Transcript};
use crate::{
    clock,
    ports::Publish,
    process::{
        Attention, Finished, Flow, Line, LineSplitter, Listener, ProcessEnd, ProcessError, StopWhy,
        Stream,
    },
};

/// Most characters of an agent's last words that are journaled.
const LAST_WORDS: usize = 4_000;
/// Most bytes of error output that are remembered.
const STDERR_TAIL: usize = 4_000;
/// How a shell, and the box, end where there is no such program.
const NOT_FOUND: i32 = 127;
/// Why something may be missing that is there for the user.
const OUTSIDE: &str = "in the box are the programs of your PATH and of known toolchains: sandbox.readable in your own \
                       settings adds a folder";

impl Live {
    pub(super) fn run_agent(
        &mut self,
        call: &AgentCall,
        attention: &mut dyn Attention,
    ) -> Result<AgentReport, Failure> {
        let folder = match call.kind {
            Kind::Compact => self.layout.compaction(&self.run, call.retry),
            _ => self.layout.iteration(&self.run, call.iteration),
        };
        let transcript = Transcript::begin(&self.redacted, &folder, call)
            .map_err(|error| cannot_write(&error))?;
        let started = clock::now();
        let has_room = self.enclosure.has_room();
        if let Some(worktree) = &mut self.worktree {
            worktree.begin_work(has_room)?;
        }
        let agent = ralph_agents::of_call(call);
        let prepared = self.prepare(call, &folder, transcript.record_folder())?;
        let mut hearing = Hearing {
            iteration: call.iteration,
            folder: prepared.spec.cwd.display().to_string(),
            started,
            parser: agent.parser(call),
            watch: Watch::new(WatchLimits::from(call), started),
            lines: LineSplitter::default(),
            error_lines: LineSplitter::default(),
            events: Vec::new(),
            transcript,
            publish: self.publish.clone(),
            stdout_bytes: 0,
            stderr_tail: Vec::new(),
            ended_by: None,
        };
        let command = prepared.command_line.clone();
        hearing.say(started, Said::AgentStarted { command });
        for note in &prepared.notes {
            hearing.note(note);
        }
        let supervised = self.supervisor.supervise(&prepared.spec, &mut hearing, attention);
        // One that lingers after its last word was ended by us: what it wrote counts all the same.
        let is_whole = hearing.ended_by == Some(EndedBy::LogicalEnd)
            || supervised.as_ref().is_ok_and(|it| it.end == ProcessEnd::Exited { code: 0 });
        let left = prepared.leave(is_whole, &self.redacted);
        for note in left.notes.into_iter().chain(self.after_call(call)?) {
            hearing.note(&note);
        }
        let finished = supervised.map_err(|error| cannot_supervise(&error))?;
        let report = self.report(hearing, &finished, call);
        Ok(AgentReport { traffic: left.traffic, ..report })
    }

    /// Looks after the worktree, if there is one: somebody may have reached it.
    fn after_call(&mut self, call: &AgentCall) -> Result<Vec<String>, Failure> {
        if self.glance.is_some() {
            // The user goes on working here meanwhile: whatever moved is theirs.
            return Ok(Vec::new());
        }
        self.worktree()?.disturbed();
        Ok(match &call.copy_of {
            Some(head) => self.worktree()?.after_copy(head)?,
            None => self.carry_after_call()?,
        })
    }

    fn report(
        &mut self,
        mut hearing: Hearing,
        finished: &Finished,
        call: &AgentCall,
    ) -> AgentReport {
        hearing.last_line();
        let now = clock::now();
        let exit = hearing.exit_facts(finished);
        if self.enclosure.is_closed() && exit.code == Some(NOT_FOUND) {
            hearing.note(OUTSIDE);
        }
        let mut stream = hearing.parser.finish(&exit);
        stream.resolve_reset(now);
        reset::resolve_by_zone(&mut stream, now);
        if let Some(window) = stream.window {
            self.windows.insert((call.agent.clone(), call.model.clone()), window);
        }
        let model = if stream.model.is_empty() { &call.model } else { &stream.model };
        let handoff = stream.handed(call);
        let _ = hearing.transcript.end(handoff.as_ref());
        AgentReport {
            claimed: stream.claims_completion(&self.settings.claims),
            ending: stream.ending,
            handoff,
            last_words: cut::tail(&stream.last_message, LAST_WORDS).to_owned(),
            stderr_tail: exit.stderr_tail,
            usage: call.prices.complete(model, stream.usage),
            took: Millis(u64::try_from(finished.took.as_millis()).unwrap_or(u64::MAX)),
            session: stream.session,
            tools: stream.tools,
            tool_errors: stream.tool_errors,
            denials: stream.denials,
            leftovers: finished.leftovers,
            traffic: Vec::new(),
        }
    }
}

/// Hears an agent: bytes to the transcript, lines to the parser, events to the watch and the reporters.
struct Hearing {
    iteration: u32,
    /// Where the agent works.
    folder: String,
    started: Timestamp,
    parser: Box<dyn LineParser>,
    watch: Watch,
    lines: LineSplitter,
    error_lines: LineSplitter,
    events: Vec<AgentEvent>,
    transcript: Transcript,
    publish: Publish,
    stdout_bytes: u64,
    stderr_tail: Vec<u8>,
    ended_by: Option<EndedBy>,
}

impl Listener for Hearing {
    fn output(&mut self, stream: Stream, bytes: &[u8]) -> Flow {
        let now = clock::now();
        self.watch.on_bytes(now);
        let (parser, events) = (&mut self.parser, &mut self.events);
        if stream == Stream::Stderr {
            let bytes = self.transcript.stderr.accept(bytes);
            keep_tail(&mut self.stderr_tail, bytes);
            self.error_lines.feed(bytes, |line| {
                if let Line::Whole(line) = line {
                    parser.error_line(line, events);
                }
            });
        } else {
            self.stdout_bytes += bytes.len() as u64;
            let bytes = self.transcript.stdout.accept(bytes);
            self.lines.feed(bytes, |line| {
                if let Line::Whole(line) = line {
                    parser.line(line, events);
                }
            });
        }
        let flow = self.tell(now);
        self.transcript.show();
        flow
    }

    fn deadline(&self) -> Option<Instant> {
        let left = self.watch.deadline()?.since(clock::now());
        Some(Instant::now() + Duration::from_millis(left.0))
    }

    fn tick(&mut self, _: Instant) -> Flow {
        let now = clock::now();
        match self.watch.on_time(now) {
            None => Flow::Continue,
            Some(Alarm::End(why)) => self.end(why),
            Some(Alarm::SoftWarning) => {
                let said = Said::Slow { what: "the agent".into(), after: now.since(self.started) };
                self.say(now, said);
                self.transcript.show();
                Flow::Continue
            }
        }
    }
}

impl Hearing {
    /// Events go to the watch, the transcript and the reporters.
    fn tell(&mut self, now: Timestamp) -> Flow {
        let mut flow = Flow::Continue;
        for event in std::mem::take(&mut self.events) {
            if let Some(why) = self.watch.on_event(&event, now) {
                flow = self.end(why);
            }
            let event = event.seen_from(&self.folder);
            self.say(now, Said::Agent(event));
        }
        flow
    }

    fn say(&mut self, at: Timestamp, said: Said) {
        let chatter = Chatter { at, iteration: self.iteration, said };
        self.transcript.event(&chatter);
        (self.publish)(News::Chatter(chatter));
    }

    /// Something of ralph's own that a person may want to know.
    fn note(&mut self, text: &str) {
        self.say(clock::now(), Said::Noted { text: text.to_owned() });
        self.transcript.show();
    }

    fn end(&mut self, why: EndedBy) -> Flow {
        self.ended_by.get_or_insert(why);
        Flow::Stop(match why {
            EndedBy::LogicalEnd => StopWhy::Done,
            EndedBy::TimedOut => StopWhy::TimedOut,
            _ => StopWhy::Other,
        })
    }

    /// A last line without its newline still counts.
    fn last_line(&mut self) {
        let (parser, events) = (&mut self.parser, &mut self.events);
        let mut hear = |line: Line<'_>| {
            if let Line::Whole(line) = line {
                parser.line(line, events);
            }
        };
        self.lines.feed(self.transcript.stdout.rest(), &mut hear);
        self.lines.finish(hear);
        let rest = self.transcript.stderr.rest();
        keep_tail(&mut self.stderr_tail, rest);
        let mut hear = |line: Line<'_>| {
            if let Line::Whole(line) = line {
                parser.error_line(line, events);
            }
        };
        self.error_lines.feed(rest, &mut hear);
        self.error_lines.finish(hear);
        let _ = self.tell(clock::now());
    }

    fn exit_facts(&self, finished: &Finished) -> ExitFacts {
        let (code, signal, not_started) = match &finished.end {
            ProcessEnd::Exited { code } => (Some(*code), None, None),
            ProcessEnd::Signalled { signal } => (None, Some(*signal), None),
            ProcessEnd::NotStarted { detail } => (None, None, Some(detail.clone())),
        };
        let interrupted = finished.interrupted.map(|_| EndedBy::Interrupted);
        ExitFacts {
            code,
            signal,
            not_started,
            ended_by_us: interrupted.or(self.ended_by),
            stderr_tail: String::from_utf8_lossy(&self.stderr_tail).into_owned(),
            stdout_bytes: self.stdout_bytes,
        }
    }
}

fn keep_tail(tail: &mut Vec<u8>, bytes: &[u8]) {
    tail.extend_from_slice(
        bytes.get(bytes.len().saturating_sub(STDERR_TAIL)..).unwrap_or_default(),
    );
    if tail.len() > STDERR_TAIL {
        tail.drain(..tail.len() - STDERR_TAIL);
    }
}

pub(super) fn cannot_write(error: &std::io::Error) -> Failure {
    Failure {
        class: FailureClass::Workspace,
        what: format!("cannot write the run's files: {error}"),
        help: "check the disk space and the permissions of .ralph/runs, then ralph resume".into(),
    }
}

pub(super) fn cannot_supervise(error: &ProcessError) -> Failure {
    Failure {
        class: FailureClass::Bug,
        what: format!("cannot supervise a process: {error}"),
        help: "please report this with the run's journal; ralph resume continues the run".into(),
    }
}
