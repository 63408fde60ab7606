//! Journaled events, folded into the oracle's own account and judged as they come.

use ralph_core::{
    ending::Ending,
    event::{Decision, Event, IterationStart},
    ids::TaskId,
    input::{AgentReport, Captured},
    plan::{Status, check_move},
    run::Stage,
    time::{Millis, Timestamp},
};

use super::{
    Invariant, Oracle,
    shadow::{Stop, Underway},
};
use crate::sim::world::World;

impl Oracle<'_> {
    /// What the journal holds now.
    pub fn decided(&mut self, decision: &Decision, world: &World<'_>) {
        for event in &decision.events {
            self.event(event, decision, world);
        }
    }

    fn event(&mut self, event: &Event, decision: &Decision, world: &World<'_>) {
        let at = decision.at;
        match event {
            Event::RunResumed { max_iterations, .. } => self.resumed(*max_iterations),
            Event::IterationStarted(start) => {
                let gives_up = decision.events.iter().any(gives_up);
                self.check_start(start, at, gives_up);
                self.started(start, world);
            }
            Event::AgentEnded(report) => self.agent_ended(report, world),
            Event::TreeCaptured(captured) => self.captured(captured, world),
            Event::VerdictReached(verdict) => self.verdict(verdict),
            Event::Committed { iteration, commit, tree, task } => {
                self.committed((task, *iteration), commit, tree, world);
            }
            Event::AttemptAccepted { task, .. } => self.accepted(task, world),
            Event::EvidenceRecorded { task, evidence, .. } => {
                let task = self.position(task);
                self.tasks[task].evidence.clone_from(evidence);
            }
            Event::TaskMoved { task, from, to, .. } => self.moved(task, *from, *to, world),
            Event::AttemptRejected(rejection) => self.rejected(rejection, world),
            Event::CallSetAside(aside) => self.set_aside(aside, world),
            Event::IterationClosed => {
                self.closed_at = Some(at);
                self.again = None;
                self.underway = None;
            }
            Event::WaitBegan { until, .. } => self.wait_began(*until, at),
            Event::WaitEnded => {
                let until = self.wait_until.take();
                let held = until.is_none_or(|until| at >= until) || self.stop.asked;
                self.must(held, Invariant::WaitsHold, || format!("{at} before {until:?}"));
            }
            Event::WorkKept { branch, .. } => {
                let kept = world.git.refs.contains_key(branch);
                self.must(kept, Invariant::RejectedIsKept, || format!("no {branch}"));
            }
            Event::RequestTaken { request } => {
                let is_new = self.taken.insert(request.id.clone());
                self.must(is_new, Invariant::StopIsObeyed, || {
                    format!("request {} taken twice", request.id)
                });
            }
            Event::RunEnding { outcome } => self.ending(outcome, at),
            Event::RunFinished { outcome, .. } => self.finished(outcome, at),
            _ => {}
        }
    }

    fn resumed(&mut self, max_iterations: Option<u32>) {
        if let Some(limit) = max_iterations {
            self.max_iterations = limit;
        }
        self.stop = Stop::default();
        self.failures_in_a_row = 0;
        self.uncharged = 0;
        self.failed_in_a_row = 0;
        self.failure = None;
    }

    fn started(&mut self, start: &IterationStart, world: &World<'_>) {
        let task = self.position(&start.task);
        self.iterations = start.iteration;
        self.again = None;
        self.tasks[task].began_at.get_or_insert(world.git.head());
        self.underway = Some(Underway {
            number: start.iteration,
            task,
            report: None,
            captured: None,
            verdict: None,
            is_accepted: false,
        });
    }

    fn agent_ended(&mut self, report: &AgentReport, world: &World<'_>) {
        let truth = world.reported.as_ref();
        self.must(
            truth.is_some_and(|truth| truth.usage == report.usage && truth.took == report.took),
            Invariant::SpendingIsCounted,
            || format!("{:?}", report.usage),
        );
        self.must(
            truth.is_some_and(|truth| truth.ending == report.ending),
            Invariant::VerdictsAreTrue,
            || "another ending was recorded".into(),
        );
        let Some(truth) = truth else {
            return;
        };
        self.cost += truth.usage.cost.0;
        self.tokens += truth.usage.tokens();
        self.last_ending = Some(truth.ending.clone());
        if let Some(underway) = &mut self.underway {
            underway.report = Some(truth.clone());
            let account = &mut self.tasks[underway.task];
            account.cost += truth.usage.cost.0;
            account.tokens += truth.usage.tokens();
            account.time += truth.took.0;
        }
    }

    fn captured(&mut self, captured: &Captured, world: &World<'_>) {
        let is_true = world.captured.as_ref() == Some(captured);
        self.must(is_true, Invariant::VerdictsAreTrue, || "another tree was recorded".into());
        if let Some(underway) = &mut self.underway {
            underway.captured.clone_from(&world.captured);
        }
    }

    fn moved(&mut self, id: &TaskId, from: Status, to: Status, world: &World<'_>) {
        let task = self.position(id);
        let status = self.tasks[task].status;
        self.must(status == from && check_move(from, to).is_ok(), Invariant::NoTaskIsLost, || {
            format!("{id} is {status:?}, moved from {from:?} to {to:?}")
        });
        self.tasks[task].status = to;
        match to {
            Status::Done => self.check_done(task, world),
            Status::Failed => {
                self.check_failed(task, world);
                self.failed_in_a_row += 1;
            }
            _ => {}
        }
    }

    fn wait_began(&mut self, until: Timestamp, at: Timestamp) {
        self.must(!self.stop.asked, Invariant::StopIsObeyed, || "waits though told to stop".into());
        let max_wait = self.limits().max_wait.0.plus(Millis::secs(15));
        match self.again.and(self.last_ending.clone()) {
            Some(Ending::UsageLimit { resets_at, .. }) => {
                let reset = resets_at.unwrap_or(at).max(at);
                self.must(until >= reset, Invariant::WaitsHold, || {
                    format!("until {until}, reset at {reset}")
                });
                self.must(until.since(at) <= max_wait, Invariant::WaitsHold, || {
                    format!("{} is longer than allowed", until.since(at))
                });
                self.must(until > at, Invariant::WaitsHold, || "no pause".into());
            }
            Some(_) => self.must(
                (1_000..=10_000).contains(&until.since(at).0),
                Invariant::WaitsHold,
                || format!("a short pause of {}", until.since(at)),
            ),
            None => {}
        }
        self.wait_until = Some(until);
    }
}

fn gives_up(event: &Event) -> bool {
    matches!(event, Event::Proceeded { to: Stage::GiveUp })
}
