//! The console reporter: folds news and says what to print. Never talks to the engine.

use std::{io::Write, sync::Arc};

use ralph_core::{
    event::{Decision, Event},
    ids::TaskId,
    news::{Chatter, News, Reporter, Said},
    plan::Status,
    run::Kind,
    time::{Millis, Timestamp},
};

use super::{
    agent::AgentView,
    call, finale,
    frame::Frame,
    header,
    options::Options,
    people, review,
    status_line::{self, Now},
    task, verdict,
};
use crate::{
    reporters::{
        block::{Block, Entry, dots},
        clock,
        line::{Line, Sign, Tone},
        screen::Screen,
        tally::{Tally, is_detail},
    },
    words,
};

/// Without a live line, a wait is mentioned again this often.
const REMINDER: Millis = Millis::secs(300);

/// Shows a run to a person.
pub(crate) struct Console {
    frame: Frame,
    options: Options,
    tally: Tally,
    view: AgentView,
    doing: Now,
    reminded: Timestamp,
    over: bool,
}

impl Console {
    /// `tally` is what happened before, for a run that is taken up again.
    pub(crate) fn new(
        out: Box<dyn Write + Send>,
        mut screen: Screen,
        options: Options,
        tally: Tally,
    ) -> Self {
        screen.look.emoji = options.display.emoji;
        screen.live = options.has_bar(&screen);
        Self {
            frame: Frame::new(out, screen).with_timestamps(options.display.timestamps),
            options,
            tally,
            view: AgentView::default(),
            doing: Now::default(),
            reminded: Timestamp::default(),
            over: false,
        }
    }

    fn decided(&mut self, decision: &Arc<Decision>) {
        // What belongs to a task's line is folded first, wherever it stands in the decision.
        for event in decision.events.iter().filter(|e| is_detail(e)) {
            self.tally.note(decision, event);
        }
        for event in &decision.events {
            if !is_detail(event) {
                self.tally.note(decision, event);
            }
            let block = self.event(decision, event);
            let always = matches!(
                event,
                Event::RunStarted(_)
                    | Event::Warned { .. }
                    | Event::TaskMoved { .. }
                    | Event::QuestionAsked { .. }
                    | Event::WaitBegan { .. }
                    | Event::StopRequested { .. }
                    | Event::RunFinished { .. }
            );
            if always || self.options.has_details() {
                self.frame.print(decision.at, &block);
            }
        }
    }

    fn event(&mut self, decision: &Decision, event: &Event) -> Block {
        match event {
            Event::RunStarted(start) => header::started(&decision.run, start, &self.tally),
            Event::RunResumed { .. } => self.resumed(decision),
            Event::WorkspaceOpened(workspace) => header::workspace(workspace),
            Event::BaselineRecorded { results, .. } => header::baseline(results),
            Event::IterationStarted(start) => {
                self.view.begin();
                self.doing.gate = None;
                vec![task::begun(start)]
            }
            Event::CheckpointTaken(taken) => taken
                .kept
                .iter()
                .filter(|kept| !self.is_known(kept))
                .map(|kept| call::neutral(format!("what was in the way is kept as {kept}")))
                .collect(),
            Event::AgentEnded(report) => {
                let agent = self.tally.current.as_ref().map(|c| c.start.agent.as_str());
                call::ended(report, agent.unwrap_or("agent"), &self.options)
            }
            Event::TreeCaptured(captured) => captured.notes.iter().map(call::warning).collect(),
            Event::GatesRan { results, .. } => {
                self.doing.gate = None;
                verdict::gates(results)
            }
            Event::Committed { task, iteration, commit, .. } => match &self.tally.current {
                Some(current) if current.start.kind == Kind::Prompt => {
                    task::committed(*iteration, commit, self.tally.rows.get(task))
                }
                _ => Vec::new(),
            },
            Event::TaskMoved { task, to, .. } => self.moved(task, *to, decision),
            Event::ScmTasksRan { reports } => reports.iter().flat_map(call::scm).collect(),
            Event::AttemptRejected(rejection) => {
                verdict::rejected(rejection, decision, (&self.tally, &self.options))
            }
            Event::CallSetAside(aside) => call::set_aside(aside, decision),
            Event::WaitBegan { until, why } => self.wait(*until, why, decision),
            Event::WorkKept { task, branch, .. } => self.work_kept(task, branch, decision),
            Event::StopRequested { how } => {
                self.doing.stopping = true;
                vec![call::stop(*how)]
            }
            Event::Warned { text } => vec![call::warning(text)],
            Event::RunFinished { outcome, notes } => {
                self.over = true;
                finale::finished(outcome, notes, &self.tally)
            }
            Event::Reviewed(reviewed) => {
                review::reviewed(reviewed, decision, (&self.tally, &self.options))
            }
            Event::ReviewUnusable { task, why, .. } => {
                vec![review::unusable(task, why, decision)]
            }
            Event::Escalated { task, stuck, measures } => {
                vec![review::stuck(task, stuck, measures)]
            }
            Event::AmendmentsProposed { .. }
            | Event::AmendmentsRuled { .. }
            | Event::ProposalDecided { .. }
            | Event::PlanChanged { .. }
            | Event::TaskReset { .. }
            | Event::QuestionAsked { .. }
            | Event::AnswerGiven { .. }
            | Event::ApprovalGiven { .. }
            | Event::WorkReapplied { .. } => people::shown(event, &self.tally),
            Event::PromptRead { .. }
            | Event::VerdictReached(_)
            | Event::EvidenceRecorded { .. }
            | Event::WaitEnded
            | Event::AttemptAccepted { .. }
            | Event::Proceeded { .. }
            | Event::IterationClosed
            | Event::RequestTaken { .. }
            | Event::RunEnding { .. } => Vec::new(),
        }
    }

    /// Whether a ref keeps a rejected attempt that was told of already.
    fn is_known(&self, reference: &str) -> bool {
        self.tally.rows.values().any(|row| row.kept.as_deref() == Some(reference))
    }

    fn resumed(&mut self, decision: &Decision) -> Block {
        self.over = false;
        let counts = self.tally.counts;
        let lead = Line::new().add(Tone::Bold, format!("run {}", decision.run));
        let mut text = format!(
            "taken up again after {} of {}",
            words::count(self.tally.iterations.into(), "iteration"),
            self.tally.max_iterations
        );
        if counts.total > 0 {
            text = format!("{text} · {}/{} done", counts.satisfied(), counts.total);
        }
        vec![Entry::led(lead.plain(" · "), text)]
    }

    fn moved(&mut self, task: &TaskId, to: Status, decision: &Decision) -> Block {
        if is_passed_through(task, to, decision) {
            return Vec::new();
        }
        let mut block = task::moved(task, to, &self.tally);
        let finished = to.satisfies() || matches!(to, Status::Failed | Status::Parked);
        if finished && self.options.has_counter(self.frame.screen()) {
            let counts = self.tally.counts;
            block.push(Entry::Cut(Line::new().dim(format!(
                "  {}/{} done  {}  {}",
                counts.satisfied(),
                counts.total,
                self.tally.last.since(self.tally.began),
                status_line::cost(&self.tally)
            ))));
        }
        block
    }

    fn wait(&mut self, until: Timestamp, why: &str, decision: &Decision) -> Block {
        self.reminded = decision.at;
        let uncharged = decision.events.iter().any(|event| matches!(event, Event::CallSetAside(_)));
        let agent = self.tally.current.as_ref().filter(|_| uncharged);
        let mut parts = vec![
            agent.map_or_else(
                || why.to_owned(),
                |current| format!("{}: {why}", current.start.agent),
            ),
            format!(
                "goes on at {}, in {}",
                clock::soon(until, decision.at, &self.frame.screen().zone),
                until.since(decision.at)
            ),
        ];
        if uncharged {
            parts.push("this iteration is not charged".into());
        }
        vec![Entry::led(Line::signed(Sign::Waiting), dots(&parts))]
    }

    fn work_kept(&self, task: &TaskId, branch: &str, decision: &Decision) -> Block {
        let told_with_the_task = decision
            .events
            .iter()
            .any(|event| matches!(event, Event::TaskMoved { task: moved, .. } if moved == task));
        let already_failed =
            self.tally.rows.get(task).is_some_and(|row| row.status == Some(Status::Failed));
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
            Said::GateStarted { gate } => {
                self.doing.gate = Some((gate.clone(), chatter.at));
                Vec::new()
            }
            Said::GateRunsAgain { gate, end } => {
                self.doing.gate = Some((gate.clone(), chatter.at));
                let how = verdict::end(*end);
                let text = format!("gate {gate}: {how}; it runs again, in case that was chance");
                vec![Entry::text(4, Tone::Dim, text)]
            }
            Said::GateFinished { gate, .. } => {
                if self.doing.gate.as_ref().is_some_and(|(name, _)| name == gate) {
                    self.doing.gate = None;
                }
                Vec::new()
            }
            Said::Slow { what, after } => {
                vec![call::warning(format!("{what} is slow: {after} so far"))]
            }
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
        let line = (!self.over && self.tally.start().is_some())
            .then(|| status_line::status(&self.tally, &self.view, &self.doing, now));
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
        let at = match news {
            News::Decided(decision) => {
                self.decided(decision);
                decision.at
            }
            News::Chatter(chatter) => {
                let block = self.chatter(chatter);
                if self.options.has_details() {
                    self.frame.print(chatter.at, &block);
                }
                chatter.at
            }
        };
        self.draw(at)
    }

    fn tick(&mut self, now: Timestamp) -> std::io::Result<()> {
        if let Some((until, why)) = &self.tally.waiting
            && !self.frame.screen().live
            && now.since(self.reminded) >= REMINDER
            && until.0 > now.0
        {
            let text = format!("{why} · {} left", until.since(now));
            self.frame.print(now, &[Entry::led(Line::signed(Sign::Waiting), text)]);
            self.reminded = now;
        }
        self.draw(now)
    }

    fn finish(&mut self) -> std::io::Result<()> {
        self.frame.status(None);
        self.frame.flush()
    }
}
