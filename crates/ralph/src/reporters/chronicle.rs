//! One task's record in the order in which it happened: attempts, verdicts, reviews, questions, amendments.

use ralph_core::{
    ending::Ending,
    event::{Decision, Event, IterationStart},
    evidence::{Evidence, Judged},
    ids::TaskId,
    time::Timestamp,
    timeline::{self, Timeline},
    vocabulary::Kind,
};

use super::record;

/// All that was decided about one task.
#[derive(Debug)]
pub(crate) struct Chronicle {
    task: TaskId,
    timeline: Timeline,
    /// The iteration under way is one of this task's.
    is_ours: bool,
    pub(crate) lines: Vec<(Timestamp, String)>,
}

impl Chronicle {
    /// Nothing yet.
    pub(crate) fn of(task: &TaskId) -> Self {
        Self {
            task: task.clone(),
            timeline: Timeline::default(),
            is_ours: false,
            lines: Vec::new(),
        }
    }

    /// Folds one decision.
    pub(crate) fn apply(&mut self, decision: &Decision) {
        self.timeline.apply(decision);
        for event in &decision.events {
            if let Event::IterationStarted(start) = event {
                self.is_ours = start.task == self.task;
            }
            let lines = self.event(event);
            self.lines.extend(lines.into_iter().map(|line| (decision.at, line)));
        }
    }

    fn event(&self, event: &Event) -> Vec<String> {
        let of_iteration = self.is_ours.then(|| within(event)).flatten();
        if let Some(line) = of_iteration {
            return vec![line];
        }
        let proposed = matches!(event, Event::AmendmentsProposed { .. }) && self.is_ours;
        if record::about(event, &self.timeline) != Some(&self.task)
            && !proposed
            && !concerns(event, &self.task)
        {
            return Vec::new();
        }
        match event {
            Event::TaskMoved { to, why, .. } => {
                let to = to.word().replace('_', " ");
                let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                vec![format!("now {to}{why}")]
            }
            Event::Committed { commit, .. } => vec![format!("committed as {}", commit.short())],
            Event::WorkKept { branch, .. } => vec![format!("its work is on branch {branch}")],
            Event::EvidenceRecorded { evidence, .. } => evidence.iter().map(proof).collect(),
            other => record::lines(other, &self.timeline),
        }
    }
}

/// Proposals of other tasks' iterations that are about this one, and this one's evidence.
fn concerns(event: &Event, task: &TaskId) -> bool {
    match event {
        Event::AmendmentsRuled { ruled, .. } => {
            ruled.iter().any(|one| one.proposal.amendment.task() == Some(task))
        }
        Event::EvidenceRecorded { task: about, .. } => about == task,
        _ => false,
    }
}

/// What happens inside an iteration and names no task.
fn within(event: &Event) -> Option<String> {
    Some(match event {
        Event::IterationStarted(start) => begun(start),
        Event::AgentEnded(report) if report.ending != Ending::Ok => {
            format!("agent {}", report.ending.describe())
        }
        Event::VerdictReached(_) => return timeline::result(event),
        Event::CallSetAside(_) => "not charged; the same iteration runs again".into(),
        _ => return None,
    })
}

fn begun(start: &IterationStart) -> String {
    let who = record::who(&start.agent, &start.model);
    let kind = start.kind.word();
    match start.kind {
        Kind::Apply | Kind::Compact => format!("iteration {}: {kind}", start.iteration),
        Kind::Review | Kind::Plan => format!("iteration {}: {kind} by {who}", start.iteration),
        Kind::Implement | Kind::Fix | Kind::Prompt => format!(
            "iteration {}: {kind}, attempt {}/{}, by {who}",
            start.iteration, start.attempt, start.max_attempts
        ),
    }
}

fn proof(one: &Evidence) -> String {
    let by = match &one.by {
        Judged::Check { command, exit_code, .. } => format!("check {command}: exit {exit_code}"),
        Judged::Reviewer { agent, evidence, .. } => format!("reviewer {agent}: {evidence}"),
        Judged::Person => "approved by a person".into(),
        Judged::Unreviewed => "nobody judged it".into(),
    };
    format!("evidence for \"{}\": {by}", one.criterion)
}

#[cfg(test)]
mod tests {
    use ralph_agents::live_event::News;

    use super::*;
    use crate::reporters::tests::{people, scripts::Beat};

    #[test]
    fn a_task_has_its_own_story_and_nobody_elses() {
        let mut chronicle = Chronicle::of(&"T-002".into());
        for beat in people::talked() {
            if let Beat::News(News::Decided(decision)) = beat {
                chronicle.apply(&decision);
            }
        }
        let lines: Vec<String> = chronicle.lines.into_iter().map(|(_, line)| line).collect();
        insta::assert_snapshot!("story", lines.join("\n"));
    }
}
