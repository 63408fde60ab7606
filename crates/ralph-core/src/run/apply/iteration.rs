//! What an iteration under way remembers, and what every agent call adds to the counts.

use crate::{
    event::{Event, IterationStart, SetAside, Uncharged},
    gates::report::{CommandEnd, GateResults, Severity},
    ids::TaskId,
    input::AgentReport,
    run::{CallRecord, Iteration, Phase, RunState, Spent},
    time::Millis,
    vocabulary::{Kind, Stage},
};

impl Spent {
    fn count(&mut self, report: &AgentReport) {
        self.calls = self.calls.saturating_add(1);
        self.usage.add(report.usage);
        self.time = self.time.plus(report.took);
    }
}

impl RunState {
    /// Facts that only the iteration under way remembers.
    pub(super) fn apply_to_iteration(&mut self, event: &Event) {
        let Phase::Iterating(iteration) = &mut self.phase else {
            return;
        };
        match event {
            Event::CheckpointTaken(taken) => iteration.checkpoint = Some(taken.clone()),
            Event::TreeCaptured(captured) => iteration.captured = Some(captured.clone()),
            Event::GatesRan { results, .. } => iteration.results = Some(results.clone()),
            Event::VerdictReached(verdict) => iteration.verdict = Some(verdict.clone()),
            Event::AmendmentsProposed { proposals, .. } => {
                iteration.proposed.clone_from(proposals);
            }
            Event::Proceeded { to } => {
                iteration.stage = *to;
                iteration.stage_since = self.last_at;
                if *to == Stage::Agent {
                    self.hear_words();
                }
            }
            _ => {}
        }
    }

    pub(super) fn started(&mut self, start: &IterationStart) {
        let Some(task) = self.position(&start.task) else {
            return;
        };
        let head = self.head.clone();
        let Some(detail) = self.detail_mut(task) else {
            return;
        };
        if detail.began_at.is_empty() {
            detail.began_at = head;
        }
        let stage =
            if detail.reapply.is_some() { Stage::Reapply } else { start.kind.first_stage() };
        self.counters.iterations = start.iteration;
        *self.counters.kinds.entry(start.kind).or_default() += u32::from(start.retry == 0);
        self.again = None;
        self.steering.ends_call = false;
        self.current = Some(task);
        self.phase = Phase::Iterating(Box::new(Iteration {
            number: start.iteration,
            retry: start.retry,
            agent: start.agent.clone(),
            model: start.model.clone(),
            stage,
            stage_since: self.last_at,
            ..Iteration::new(start.kind, task)
        }));
    }

    pub(super) fn agent_ended(&mut self, report: &AgentReport) {
        let Phase::Iterating(iteration) = &mut self.phase else {
            return;
        };
        iteration.report = Some(Box::new(report.clone()));
        iteration.stage = Stage::Capture;
        let (task, is_review) = (iteration.task, iteration.kind == Kind::Review);
        let (kind, agent) = (iteration.kind, iteration.agent.clone());
        if !is_review {
            // The prompt of the agent that ended had them.
            self.refused.clear();
        }
        self.usage.add(report.usage);
        self.count_call(kind, agent, report);
        if is_review {
            self.counters.review_time = self.counters.review_time.plus(report.took);
        }
        if let Some(detail) = self.detail_mut(task) {
            detail.usage.add(report.usage);
            detail.time = detail.time.plus(report.took);
        }
    }

    /// What a call adds to the counts by agent and by kind.
    pub(super) fn count_call(&mut self, kind: Kind, agent: String, report: &AgentReport) {
        self.counters.tools = self.counters.tools.saturating_add(report.tools);
        self.counters.tool_errors = self.counters.tool_errors.saturating_add(report.tool_errors);
        self.counters.denials = self.counters.denials.saturating_add(report.denials);
        self.counters.by_agent.entry(agent).or_default().count(report);
        self.counters.by_kind.entry(kind).or_default().count(report);
        self.counters.agent_time = self.counters.agent_time.plus(report.took);
    }

    /// What the gates took, which of them were flaky, and which may fail and did.
    pub(super) fn count_gates(&mut self, results: &GateResults) {
        let checks = results.checks.iter().map(|check| check.took);
        let took = results.gates.iter().map(|gate| gate.took).chain(checks);
        self.counters.gate_time = took.fold(self.counters.gate_time, Millis::plus);
        for gate in results.gates.iter().filter(|gate| gate.flaky) {
            *self.flaky.entry(gate.gate.clone()).or_default() += 1;
        }
        let soft = self.start.gates.iter().filter(|spec| spec.severity == Severity::Soft);
        for spec in soft {
            let report = results.gates.iter().find(|gate| gate.gate == spec.name);
            let failed = |end: CommandEnd| !end.succeeded() && end != CommandEnd::Interrupted;
            if report.is_some_and(|gate| failed(gate.end)) {
                *self.soft_failures.entry(spec.name.clone()).or_default() += 1;
            }
        }
    }

    pub(super) fn set_aside(&mut self, aside: &SetAside) {
        match aside.counts_as {
            Uncharged::Failure => self.counters.uncharged_in_a_row += 1,
            Uncharged::Limit => self.counters.back_offs_in_a_row += 1,
            Uncharged::Overflow | Uncharged::Cut | Uncharged::Interrupt => {}
        }
        self.counters.uncharged += u32::from(aside.is_counted());
        self.steering.ends_call = false;
        self.remember_iteration();
        if let Some(detail) = self.current.and_then(|task| self.detail_mut(task)) {
            detail.work.clone_from(&aside.work);
            detail.overflowed |= aside.counts_as == Uncharged::Overflow;
        }
        self.phase = Phase::Boundary;
    }

    /// A call was judged: whoever made it can be used.
    pub(super) fn call_judged(&mut self) {
        self.counters.uncharged_in_a_row = 0;
        self.counters.back_offs_in_a_row = 0;
        if let Phase::Iterating(iteration) = &self.phase
            && iteration.kind != Kind::Apply
        {
            let kind = iteration.kind;
            *self.blame.of_mut(kind) = CallRecord { has_worked: true, failed_on: None };
        }
    }

    /// The task is parked and others are tried: they have all their retries.
    pub(super) fn kept_failing(&mut self, task: &TaskId, why: &str) {
        self.counters.uncharged += 1;
        self.counters.uncharged_in_a_row = 0;
        if let Phase::Iterating(iteration) = &self.phase {
            let kind = iteration.kind;
            self.blame.of_mut(kind).failed_on = Some(task.clone());
        }
        self.with(task, |detail| detail.agent_failed = Some(why.to_owned()));
    }
}
