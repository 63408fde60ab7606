//! Journaled events, folded into the oracle's own account and judged as they come.

use ralph_core::{
    ending::Ending,
    event::{Decision, Event, IterationStart},
    input::{AgentReport, By, Captured},
    outcome::Outcome,
    time::Timestamp,
    vocabulary::{Kind, Stage},
};

use super::{
    Invariant, Oracle,
    agents::Due,
    blame::Records,
    shadow::{Stop, Underway},
    truth::{Tolerated, asks, is_forbidden},
};
use crate::sim::{tree::Tree, world::World};

impl Oracle<'_> {
    /// What the journal holds now.
    pub fn decided(&mut self, decision: &Decision, world: &World<'_>) {
        self.before.clear();
        self.before.extend(self.tasks.iter().map(|task| task.status));
        self.underway_before = self.current;
        for event in &decision.events {
            self.event(event, decision, world);
        }
        self.last_at = decision.at;
    }

    fn event(&mut self, event: &Event, decision: &Decision, world: &World<'_>) {
        let at = decision.at;
        self.steering_event(event, decision);
        match event {
            Event::RunResumed { by, max_iterations, is_limit_given, .. } => {
                let said = self.said_by;
                self.must(*by == said, Invariant::HandoversForgetNothing, || {
                    format!("{said:?} is taken for {by:?}")
                });
                self.is_limit_given |= *is_limit_given;
                match by {
                    By::Person => self.resumed(*max_iterations),
                    By::Machine => self.taken_over(),
                }
            }
            Event::IterationStarted(start) => {
                let gives_up = decision.events.iter().any(gives_up);
                self.check_start(start, at, gives_up);
                self.started(start, world);
            }
            Event::WorkspaceOpened(workspace) => {
                self.head = self.head.or_else(|| world.git.find(&workspace.head));
            }
            Event::BaselineRecorded { .. } => {
                let tree = world.git.tree(world.git.head());
                self.tolerated = Tolerated::at_start(world, tree);
            }
            Event::AgentEnded(report) => {
                self.agent_ended(report, at, world);
                match self.underway.as_ref().map(|underway| underway.kind) {
                    Some(Kind::Review) => self.review_ended(report, decision, world),
                    Some(Kind::Plan) => self.planner_ended(report, decision, world),
                    _ => {}
                }
            }
            Event::TreeCaptured(captured) => self.captured(captured, decision, world),
            Event::VerdictReached(verdict) => self.verdict(verdict, world),
            Event::Committed { iteration, commit, tree, task } => {
                self.committed((task, *iteration), commit, tree, world);
            }
            Event::AttemptAccepted { task, .. } => self.accepted(task, world),
            Event::TaskMoved { task, from, to, .. } => {
                self.moved(task, (*from, *to), decision, world);
            }
            Event::AttemptRejected(rejection) => self.rejected(rejection, world),
            Event::CallSetAside(aside) => self.set_aside(aside, at, world),
            Event::MemoryCompacted(compaction) => self.compacted(compaction, decision),
            Event::IterationClosed => {
                self.iteration_told();
                self.closed_at = Some(at);
                self.again = None;
                self.underway = None;
            }
            Event::AgentRested { agent, until, .. } => self.agents.rested(agent, *until),
            Event::WaitBegan { until, .. } => self.wait_began(*until, decision),
            Event::WaitEnded => {
                let until = self.wait_until.take();
                let held = until.is_none_or(|until| at >= until) || self.stop.asked;
                self.must(held, Invariant::WaitsHold, || format!("{at} before {until:?}"));
            }
            Event::RequestTaken { request } => {
                let is_new = self.taken.insert(request.id.clone());
                self.must(is_new, Invariant::StopIsObeyed, || {
                    format!("request {} taken twice", request.id)
                });
            }
            Event::RunEnding { outcome } => {
                self.outcome = Some(outcome.clone());
                self.ending(outcome, at);
            }
            Event::RunFinished { outcome, .. } => {
                self.outcome = Some(outcome.clone());
                self.finished(outcome, at);
            }
            event => self.about_a_task(event, decision, world),
        }
    }

    fn about_a_task(&mut self, event: &Event, decision: &Decision, world: &World<'_>) {
        match event {
            Event::EvidenceRecorded { task, evidence, labels } => {
                let task = self.position(task);
                self.tasks[task].evidence.clone_from(evidence);
                self.tasks[task].labels.clone_from(labels);
                self.tasks[task].is_approved |= self.wished(decision, |wish| {
                    wish.word() == "approve"
                        && wish.task().map(|id| self.position(id)) == Some(task)
                });
            }
            Event::Proceeded { to } => {
                if let Some(underway) = &mut self.underway {
                    underway.stage = *to;
                }
            }
            Event::WorkKept { task, branch, head, .. } => {
                self.work_kept((task, branch), head, world);
            }
            Event::AmendmentsProposed { proposals, .. } => self.proposed(proposals),
            Event::AmendmentsRuled { ruled, .. } => self.ruled(ruled, decision),
            Event::ProposalDecided { number, accepted, .. } => {
                self.proposal_decided(*number, *accepted, decision);
            }
            Event::PlanChanged { wish } => self.plan_changed(wish, decision),
            Event::TaskReset { task } => {
                let task = self.position(task);
                self.tasks[task].start_over();
            }
            Event::AnswerGiven { task, .. } => {
                let task = self.position(task);
                self.tasks[task].fresh();
            }
            Event::AgentKeptFailing { task, .. } => self.kept_failing(task, decision.at),
            Event::ApprovalGiven { task } => self.approved(task, decision),
            Event::QuestionAsked { in_passing, .. } => {
                let asked = self.underway.as_ref().is_some_and(|underway| underway.asked);
                let fits = asked != *in_passing;
                self.must(fits, Invariant::QuestionsAreHeard, || "nobody asked".into());
            }
            Event::WorkReapplied { task, result } => self.reapplied(task, result, world),
            Event::Reviewed(reviewed) => self.reviewed(reviewed, world),
            Event::ReviewUnusable { task, nth, .. } => self.unusable(task, *nth),
            Event::Escalated { task, stuck, measures } => self.escalated(task, stuck, measures),
            _ => {}
        }
    }

    fn resumed(&mut self, max_iterations: Option<u32>) {
        if let Some(limit) = max_iterations {
            self.max_iterations = limit;
        }
        self.turns = self.said_turns.take().unwrap_or(self.turns);
        self.stop = Stop::default();
        self.failures_in_a_row = 0;
        self.records = Records::default();
        self.uncharged = 0;
        self.failed_in_a_row = 0;
        self.failure = None;
        let was_unusable = matches!(self.outcome.take(), Some(Outcome::AgentUnusable { .. }));
        self.agents.resumed(was_unusable);
    }

    /// Another process goes on: nothing is forgotten but the signal to the last one.
    fn taken_over(&mut self) {
        let is_open = matches!(&self.outcome, None | Some(Outcome::Interrupted { .. }));
        self.must(is_open, Invariant::HandoversForgetNothing, || "the run had ended".into());
        self.failure = None;
        if self.stop.signal.is_some() {
            let (asked, now) =
                (self.stop.by_people.is_some(), self.stop.by_people.unwrap_or_default());
            self.stop = Stop { asked, now, by_people: self.stop.by_people, ..Stop::default() };
            self.outcome = None;
        }
    }

    fn started(&mut self, start: &IterationStart, world: &World<'_>) {
        let task = self.position(&start.task);
        self.iterations = start.iteration;
        self.again = None;
        self.current = Some(task);
        let head = self.head.unwrap_or_default();
        self.tasks[task].began_at.get_or_insert(head);
        self.underway = Some(Underway {
            number: start.iteration,
            kind: start.kind,
            task,
            stage: Stage::Checkpoint,
            agent: Self::key(start),
            base: world.git.tree(head),
            report: None,
            captured: None,
            verdict: None,
            is_accepted: false,
            asked: false,
            due: Due::Judged,
            is_hopeless: false,
            proposed: Vec::new(),
        });
    }

    fn agent_ended(&mut self, report: &AgentReport, at: Timestamp, world: &World<'_>) {
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
        self.note_limit(&truth.ending, at);
        if self.underway.as_ref().is_some_and(|u| !matches!(u.kind, Kind::Review | Kind::Plan)) {
            self.told(report);
        }
        if let Some(underway) = &mut self.underway {
            underway.report = Some(truth.clone());
            let account = &mut self.tasks[underway.task];
            account.cost += truth.usage.cost.0;
            account.tokens += truth.usage.tokens();
            account.time += truth.took.0;
        }
    }

    fn captured(&mut self, captured: &Captured, decision: &Decision, world: &World<'_>) {
        let is_true = world.captured.as_ref().is_some_and(|truth| {
            (&truth.tree, &truth.head, truth.changed)
                == (&captured.tree, &captured.head, captured.changed)
                && truth.touched == captured.touched
                && truth.violations.iter().all(|one| captured.violations.contains(one))
        });
        self.must(is_true, Invariant::VerdictsAreTrue, || "another tree was recorded".into());
        let Some(underway) = &mut self.underway else {
            return;
        };
        underway.captured.clone_from(&world.captured);
        let tree = captured.tree.as_ref().and_then(Tree::read);
        let brought_back = self.tasks[underway.task].brought_back.take();
        let fits = underway.kind != Kind::Apply || brought_back.is_none() || brought_back == tree;
        let is_sound = tree.is_some()
            && captured.violations.is_empty()
            && !is_forbidden(self.scenario, captured);
        let task = underway.task;
        let report = underway.report.clone();
        let report = report.filter(|report| !(self.is_cut() && report.ending != Ending::Ok));
        let due = match &report {
            Some(report) => self.leads_to(&report.ending, task, decision.at),
            None => Due::Judged,
        };
        let asked = is_sound
            && due == Due::Judged
            && report.as_ref().is_some_and(|report| asks(report, captured));
        if let Some(underway) = &mut self.underway {
            underway.asked = asked;
            underway.due = due;
        }
        self.must(fits, Invariant::ParkedComesBack, || format!("{tree:?} is applied"));
        let has = |fits: fn(&Event) -> bool| decision.events.iter().any(fits);
        let parks = has(|event| matches!(event, Event::Proceeded { to: Stage::Park }))
            && !has(|event| matches!(event, Event::AgentKeptFailing { .. }));
        self.must(parks == asked || due == Due::Parked, Invariant::QuestionsAreHeard, || {
            format!("parked {parks} instead of {asked}")
        });
    }

    /// Whether the call under way was to end.
    pub(super) fn is_cut(&self) -> bool {
        self.stop.now || self.steering.ends_call
    }

    fn wait_began(&mut self, until: Timestamp, decision: &Decision) {
        let at = decision.at;
        self.must(!self.stop.asked, Invariant::StopIsObeyed, || "waits though told to stop".into());
        let is_retry = decision.events.iter().any(|event| matches!(event, Event::CallSetAside(_)));
        let length = until.since(at);
        if is_retry {
            self.must((1_000..=10_000).contains(&length.0), Invariant::WaitsHold, || {
                format!("a short pause of {length}")
            });
        } else if self.again.is_some() {
            let most = self.limits().max_wait.0;
            self.must(length <= most && until > at, Invariant::WaitsHold, || {
                format!("{length} is longer than allowed")
            });
            self.check_wait(at);
        }
        self.wait_until = Some(until);
    }
}

fn gives_up(event: &Event) -> bool {
    matches!(event, Event::Proceeded { to: Stage::GiveUp })
}
