//! The console reporter: folds news and says what to print. Never talks to the engine.

use std::io::Write;

use ralph_agents::live_event::{Chatter, News, Reporter, Said};
use ralph_core::{
    agent_facts::short_name,
    event::{Decision, Event},
    ids::TaskId,
    input::AgentReport,
    plan::Status,
    run::Phase,
    time::Timestamp,
    timeline::Timeline,
    vocabulary::Kind,
};

use super::{
    agent::AgentView,
    call, finale,
    frame::Frame,
    header,
    options::Options,
    people, planning, review,
    status_line::{Moment, Now},
    steering, task, verdict,
    wait::Wait,
};
use crate::{
    reporters::{
        block::{Block, Entry},
        budget, clock,
        line::{Line, Sign, Tone},
        screen::Screen,
    },
    words,
};

/// Shows a run to a person.
pub(crate) struct Console {
    frame: Frame,
    options: Options,
    timeline: Timeline,
    view: AgentView,
    doing: Now,
    over: bool,
    /// Time of the newest news.
    last: Timestamp,
}

impl Console {
    /// `timeline` is what happened before, for a run that is resumed.
    pub(crate) fn new(
        out: Box<dyn Write + Send>,
        mut screen: Screen,
        options: Options,
        timeline: Timeline,
    ) -> Self {
        screen.look.emoji = options.display.emoji;
        screen.live = options.has_bar(&screen);
        Self {
            frame: Frame::new(out, screen).with_timestamps(options.display.timestamps),
            options,
            timeline,
            view: AgentView::default(),
            doing: Now::default(),
            over: false,
            last: Timestamp::default(),
        }
    }

    fn decided(&mut self, decision: &Decision) {
        let paused = self.timeline.paused_since();
        self.timeline.apply(decision);
        for event in &decision.events {
            let block = match event {
                Event::Steered { .. }
                | Event::PauseRequested { .. }
                | Event::Paused
                | Event::Unpaused => {
                    let (is_live, is_elsewhere) =
                        (self.frame.screen().live, self.timeline.is_elsewhere);
                    steering::shown(event, decision, (paused, is_live, is_elsewhere))
                }
                event => self.event(decision, event),
            };
            let always = matches!(
                event,
                Event::RunStarted(_)
                    | Event::IsolationChanged { .. }
                    | Event::Warned { .. }
                    | Event::TaskMoved { .. }
                    | Event::QuestionAsked { .. }
                    | Event::WaitBegan { .. }
                    | Event::WaitEnded
                    | Event::StopRequested { .. }
                    | Event::Steered { .. }
                    | Event::PauseRequested { .. }
                    | Event::Paused
                    | Event::Unpaused
                    | Event::RunFinished { .. }
            );
            if always || self.options.has_details() {
                self.frame.print(decision.at, &block);
            }
        }
    }

    fn event(&mut self, decision: &Decision, event: &Event) -> Block {
        match event {
            Event::RunStarted(start) => {
                header::started(&decision.run, start, (&self.timeline, &self.options))
            }
            Event::RunResumed { .. } => self.resumed(decision),
            Event::IsolationChanged { isolation } => {
                vec![header::isolation(isolation, &self.options)]
            }
            Event::WorkspaceOpened(workspace) => {
                let mut block = header::workspace(workspace);
                block.extend(self.under_way());
                block
            }
            Event::BaselineRecorded { results, .. } => header::baseline(results, &self.timeline),
            Event::IterationStarted(start) => {
                self.view.begin();
                self.doing.gate = None;
                vec![task::begun(start)]
            }
            Event::CheckpointTaken(taken) => self.kept_aside(taken.kept.as_deref()),
            Event::AgentEnded(report) => self.agent_ended(report, decision.at),
            Event::GatesRan { results, .. } => {
                self.doing.gate = None;
                verdict::gates(results, &self.timeline, &self.options)
            }
            Event::Committed { task, iteration, commit, .. } => match &self.timeline.current {
                Some(current) if current.start.kind == Kind::Prompt => {
                    task::committed(*iteration, commit, task, &self.timeline)
                }
                _ => Vec::new(),
            },
            Event::TaskMoved { task, to, .. } => self.moved(task, *to, decision),
            Event::ScmTasksRan { reports } => reports.iter().flat_map(call::scm).collect(),
            Event::AttemptRejected(rejection) => {
                verdict::rejected(rejection, decision, (&self.timeline, &self.options))
            }
            Event::CallSetAside(aside) => call::set_aside(aside, decision),
            Event::AgentRested { agent, until, why, is_waited_for: false } => {
                let zone = &self.frame.screen().zone;
                let until = until.map(|until| clock::soon(until, decision.at, zone));
                vec![call::rested(&short_name(agent), until, why)]
            }
            Event::WaitBegan { until, why } => self.wait(*until, why, decision),
            Event::WorkKept { task, branch, .. } => self.work_kept(task, branch, decision),
            Event::StopRequested { how } => {
                self.doing.stopping = true;
                vec![call::stop(*how, self.timeline.current.as_ref())]
            }
            Event::Warned { text } => vec![Entry::signed(Sign::Warning, text)],
            Event::WaitEnded => self.waited(decision.at),
            Event::RunFinished { outcome, notes } => {
                self.over = true;
                self.doing.wait = None;
                finale::finished(outcome, notes, &self.timeline)
            }
            Event::Reviewed(_) | Event::ReviewUnusable { .. } | Event::Escalated { .. } => {
                review::shown(event, decision, (&self.timeline, &self.options))
            }
            Event::PlanDrafted(draft) => planning::drafted(draft),
            Event::DraftUnusable { nth, why, .. } => planning::unusable(*nth, why),
            Event::CompactionBegan(_) | Event::MemoryCompacted(_) if !self.options.verbose => {
                Vec::new()
            }
            // What is to be told of a captured tree comes as warnings, of a wait or a parked task on its own line.
            other => people::shown(other, &self.timeline),
        }
    }

    /// The iteration that a resumed run continues with.
    fn under_way(&self) -> Option<Entry> {
        let phase = &self.timeline.state()?.phase;
        let current = self.timeline.current.as_ref()?;
        matches!(phase, Phase::Iterating(_)).then(|| task::begun(&current.start))
    }

    fn agent_ended(&mut self, report: &AgentReport, at: Timestamp) -> Block {
        let agent = self.timeline.current.as_ref().map(|current| current.start.agent.as_str());
        let mut block = self.view.close(at);
        block.retain(|_| self.options.display.stream);
        block.extend(call::ended(report, agent.unwrap_or("agent"), &self.options));
        block
    }

    fn kept_aside(&self, kept: Option<&str>) -> Block {
        let new = kept.into_iter().filter(|kept| !self.is_known(kept));
        let text = |kept| {
            format!(
                "leftover changes, whoever made them, are saved as {kept}; git checkout {kept} -- FILE restores a file"
            )
        };
        new.map(|kept| Entry::signed(Sign::Neutral, text(kept))).collect()
    }

    /// Whether a ref keeps a rejected attempt that was told of already.
    fn is_known(&self, reference: &str) -> bool {
        let branch = reference.strip_prefix("refs/heads/");
        self.timeline.tasks.iter().any(|(task, known)| {
            let on = self.timeline.detail(task).and_then(|detail| detail.branch.as_deref());
            known.kept.as_deref() == Some(reference) || (on.is_some() && on == branch)
        })
    }

    fn resumed(&mut self, decision: &Decision) -> Block {
        self.over = false;
        self.doing.wait = (self.timeline.waiting.clone())
            .map(|(until, why)| Wait::new((until, &why), decision, &self.timeline));
        let counts = self.timeline.counts;
        let (iterations, most) = self.timeline.iterations();
        let lead = Line::new().add(Tone::Bold, format!("run {}", decision.run));
        let mut text =
            format!("resumed after {iterations} of {}", words::count(most.into(), "iteration"));
        if counts.total > 0 {
            text = format!("{text} · {}", words::progress(counts));
        }
        let mut block = vec![Entry::led(lead.plain(" · "), text)];
        let is_other = |event: &Event| matches!(event, Event::IsolationChanged { .. });
        if !decision.events.iter().any(is_other) {
            let start = self.timeline.start();
            block.extend(start.map(|start| header::isolation(&start.isolation, &self.options)));
        }
        block
    }

    fn moved(&mut self, task: &TaskId, to: Status, decision: &Decision) -> Block {
        if is_passed_through(task, to, decision) {
            return Vec::new();
        }
        let mut block = task::moved(task, to, &self.timeline);
        let finished = to.satisfies() || matches!(to, Status::Failed | Status::Parked);
        let counts = self.timeline.counts;
        if finished && counts.total > 0 && self.options.has_counter(self.frame.screen()) {
            block.push(Entry::Cut(Line::new().dim(format!(
                "  {}  {}  {}",
                words::progress(counts),
                self.timeline.took(self.timeline.last()),
                budget::of_run(&self.timeline).money(&self.timeline.usage()).unwrap_or_default()
            ))));
        }
        block
    }

    /// On a live screen the line that counts down says it all; elsewhere the wait gets a line of its own.
    fn wait(&mut self, until: Timestamp, why: &str, decision: &Decision) -> Block {
        let wait = Wait::new((until, why), decision, &self.timeline);
        let screen = self.frame.screen();
        let block = if screen.live { Vec::new() } else { vec![wait.begun(&screen.zone)] };
        self.doing.wait = Some(wait);
        block
    }

    fn waited(&mut self, now: Timestamp) -> Block {
        let wait = self.doing.wait.take().filter(|_| self.frame.screen().live);
        wait.and_then(|wait| wait.over(now)).into_iter().collect()
    }

    fn work_kept(&self, task: &TaskId, branch: &str, decision: &Decision) -> Block {
        let told_with_the_task = decision
            .events
            .iter()
            .any(|event| matches!(event, Event::TaskMoved { task: moved, .. } if moved == task));
        let already_failed = self.timeline.status(task) == Some(Status::Failed);
        if told_with_the_task || !already_failed {
            return Vec::new();
        }
        vec![task::kept_on(branch)]
    }

    fn chatter(&mut self, chatter: &Chatter) -> Block {
        match &chatter.said {
            Said::Agent(event) => {
                let screen = self.frame.screen().clone();
                let block = self.view.event(chatter.at, event, (&self.options, &screen));
                if self.options.display.stream { block } else { Vec::new() }
            }
            Said::AgentStarted { command } if self.options.verbose => {
                vec![Entry::text(4, Tone::Dim, format!("agent command: {command}"))]
            }
            Said::AgentStarted { .. } => Vec::new(),
            Said::GateStarted { gate } => {
                self.doing.gate = Some((gate.clone(), chatter.at));
                Vec::new()
            }
            Said::GateRunsAgain { gate, end } => {
                self.doing.gate = Some((gate.clone(), chatter.at));
                if !self.options.verbose {
                    return Vec::new();
                }
                let how = verdict::end(*end);
                let text = format!("gate {gate}: {how}; retrying in case it is flaky");
                vec![Entry::text(4, Tone::Dim, text)]
            }
            Said::GateFinished { gate, .. } => {
                if self.doing.gate.as_ref().is_some_and(|(name, _)| name == gate) {
                    self.doing.gate = None;
                }
                Vec::new()
            }
            Said::Slow { what, after } => {
                vec![Entry::signed(Sign::Warning, format!("{what} is slow: {after} so far"))]
            }
            Said::Noted { text } => vec![Entry::signed(Sign::Warning, text.clone())],
            Said::Dropped { count } => {
                let lines = words::count(*count, "message");
                vec![Entry::text(
                    4,
                    Tone::Dim,
                    format!("({lines} not shown: this screen was too slow)"),
                )]
            }
        }
    }

    fn draw(&mut self, now: Timestamp) -> std::io::Result<()> {
        let moment = Moment {
            timeline: &self.timeline,
            view: &self.view,
            doing: &self.doing,
            screen: self.frame.screen(),
            has_keys: self.options.has_keys,
            now,
        };
        let is_shown = !self.over && self.frame.screen().live && self.timeline.start().is_some();
        let line = is_shown.then(|| moment.line());
        self.frame.status(line);
        self.frame.flush()
    }
}

/// A person's approval leads through review to done in one decision; only the end is worth a line.
fn is_passed_through(task: &TaskId, to: Status, decision: &Decision) -> bool {
    let done = |event: &Event| matches!(event, Event::TaskMoved { task: moved, to: Status::Done, .. } if moved == task);
    to == Status::NeedsReview && decision.events.iter().any(done)
}

impl Reporter for Console {
    fn news(&mut self, news: &News) -> std::io::Result<()> {
        match news {
            News::Decided(decision) => {
                self.decided(decision);
                self.last = decision.at;
            }
            News::Chatter(chatter) => {
                let block = self.chatter(chatter);
                if self.options.has_details() {
                    self.frame.print(chatter.at, &block);
                }
                self.last = chatter.at;
            }
        }
        Ok(())
    }

    fn caught_up(&mut self) -> std::io::Result<()> {
        self.draw(self.last)
    }

    fn tick(&mut self, now: Timestamp) -> std::io::Result<()> {
        self.last = now;
        if !self.frame.screen().live {
            let mut block: Block =
                self.doing.wait.as_mut().and_then(|wait| wait.reminder(now)).into_iter().collect();
            if self.options.display.stream && self.options.has_details() {
                block.extend(self.view.long(now));
            }
            self.frame.print(now, &block);
        }
        self.draw(now)
    }

    fn finish(&mut self) -> std::io::Result<()> {
        self.frame.status(None);
        self.frame.flush()
    }
}
