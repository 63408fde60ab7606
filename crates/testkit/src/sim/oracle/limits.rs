//! Nothing starts beyond a limit, before its time, after a stop, or out of order.

use ralph_core::{
    event::{IterationStart, Source},
    plan::Status,
    time::Timestamp,
    usage::MicroUsd,
    vocabulary::Kind,
};

use super::{Invariant, Oracle};

impl Oracle<'_> {
    /// An iteration begins: may it? One that only gives its task up calls no agent.
    pub(super) fn check_start(&mut self, start: &IterationStart, at: Timestamp, gives_up: bool) {
        let task = self.position(&start.task);
        let number = start.iteration;
        self.must(!self.stop.asked, Invariant::StopIsObeyed, || {
            format!("iteration {number} starts after a stop")
        });
        self.must(self.wait_until.is_none(), Invariant::WaitsHold, || {
            format!("iteration {number} starts during a wait")
        });
        let expected = self.again.unwrap_or(self.iterations + 1);
        self.must(number == expected, Invariant::SameNumberAgain, || {
            format!("{number} instead of {expected}")
        });
        self.check_order(task, start);
        let reached = self.limit_reached(at);
        self.must(reached.is_none(), Invariant::LimitsHold, || {
            format!("iteration {number} starts at the limit of {reached:?}")
        });
        if !gives_up && start.kind != Kind::Apply {
            self.check_task_limits(task, number);
        }
        if !gives_up && start.kind != Kind::Apply {
            self.check_rest(start, at);
        }
        let pause = self.limits().min_delay.0;
        let early = !gives_up
            && self.again.is_none()
            && self.closed_at.is_some_and(|end| at < end.plus(pause));
        self.must(!early, Invariant::WaitsHold, || "no pause between iterations".into());
        let (attempt, rejected) = (start.attempt, self.tasks[task].rejected);
        self.must(attempt == rejected + 1, Invariant::ChargedRightly, || {
            format!("attempt {attempt} after {rejected} rejected")
        });
    }

    /// The run's limit that forbids a start now.
    pub(super) fn limit_reached(&self, at: Timestamp) -> Option<&'static str> {
        let limits = self.limits();
        let money = MicroUsd::from_dollars(limits.max_cost_usd).0;
        let checks = [
            (self.again.is_none() && self.iterations >= self.max_iterations, "iterations"),
            (money > 0 && self.cost >= money, "money"),
            (limits.max_tokens > 0 && self.tokens >= limits.max_tokens, "tokens"),
            (!limits.max_duration.0.is_zero() && self.took(at) >= limits.max_duration.0, "time"),
            (self.too_many_failed(), "failed tasks in a row"),
            (self.failures_in_a_row > limits.max_retries, "retries"),
            (self.uncharged > limits.max_uncharged, "uncharged calls"),
        ];
        checks.into_iter().find(|(reached, _)| *reached).map(|(_, name)| name)
    }

    pub(super) fn too_many_failed(&self) -> bool {
        let most = self.limits().max_failed_in_a_row;
        most > 0 && self.failed_in_a_row >= most
    }

    fn check_task_limits(&mut self, task: usize, number: u32) {
        let reached = self.task_limit_reached(task);
        self.must(!reached, Invariant::LimitsHold, || {
            format!("iteration {number} starts beyond its task's limit")
        });
        let (rejected, most) = (self.tasks[task].rejected, self.max_attempts(task));
        self.must(rejected < most, Invariant::LimitsHold, || {
            format!("attempt {} of {most}", rejected + 1)
        });
    }

    pub(super) fn task_limit_reached(&self, task: usize) -> bool {
        let limits = self.limits();
        let account = &self.tasks[task];
        let money = MicroUsd::from_dollars(limits.max_task_cost_usd).0;
        let time = limits.max_task_duration.0.0;
        (money > 0 && account.cost >= money)
            || (limits.max_task_tokens > 0 && account.tokens >= limits.max_task_tokens)
            || (time > 0 && account.time >= time)
    }

    pub(super) fn max_attempts(&self, task: usize) -> u32 {
        let task = self.plan.tasks.get(task);
        let own =
            task.and_then(|task| task.max_attempts.or(task.max_retries.map(|retries| retries + 1)));
        let most = own.unwrap_or(self.limits().max_attempts).max(1);
        let is_prompt = matches!(self.scenario.start.source, Source::Prompt { .. });
        if is_prompt && self.is_limit_given { most.max(self.max_iterations) } else { most }
    }

    /// The task under way goes on; else what must be fixed, then what waits for a review, then what may begin.
    fn check_order(&mut self, task: usize, start: &IterationStart) {
        let is = self.before.get(task).copied().unwrap_or_default();
        let fits = match start.kind {
            Kind::Review => is == Status::NeedsReview,
            // Compactions are no iterations.
            Kind::Compact => false,
            Kind::Fix | Kind::Implement | Kind::Prompt | Kind::Apply | Kind::Plan => {
                matches!(is, Status::Pending | Status::InProgress | Status::ChangesRequested)
            }
        };
        let was_begun = self.before.iter().position(|status| *status == Status::InProgress);
        let alone = was_begun.is_none_or(|other| other == task);
        let unblocked = is != Status::Pending || self.is_unblocked(task);
        let first = match self.underway_before {
            Some(current) => current == task,
            None => self.due(task),
        };
        let own = self.is_selected(task);
        self.must(fits && alone && unblocked && own && first, Invariant::OrderIsKept, || {
            format!(
                "{} starts for {:?} from {is:?}: alone {alone}, unblocked {unblocked}, own {own}, first {first}",
                start.task, start.kind
            )
        });
    }

    /// Whether nothing comes before this task, where none is under way.
    fn due(&self, task: usize) -> bool {
        let wanted = |status: Status| {
            let with = move |at: &usize| {
                self.before.get(*at) == Some(&status)
                    && self.is_selected(*at)
                    && (status != Status::Pending || self.is_unblocked(*at))
            };
            (0..self.before.len()).filter(with).min_by_key(|&at| self.rank(at))
        };
        let next = wanted(Status::ChangesRequested)
            .or_else(|| wanted(Status::NeedsReview))
            .or_else(|| wanted(Status::Pending));
        next == Some(task)
    }

    fn rank(&self, task: usize) -> (i64, i64, usize) {
        let known = self.plan.tasks.get(task);
        (
            known.and_then(|task| task.priority).unwrap_or(i64::MAX),
            known.and_then(|task| task.order).unwrap_or(i64::MAX),
            task,
        )
    }

    /// Whether something is left that could be worked on.
    pub(super) fn could_work(&self) -> bool {
        (0..self.tasks.len()).any(|task| {
            self.is_selected(task)
                && match self.tasks[task].status {
                    Status::Pending => self.is_unblocked(task),
                    Status::InProgress | Status::NeedsReview | Status::ChangesRequested => true,
                    _ => false,
                }
        })
    }

    pub(super) fn is_unblocked(&self, task: usize) -> bool {
        self.plan.tasks.get(task).is_some_and(|task| {
            task.depends_on.iter().all(|on| {
                let on = self.position(on);
                matches!(self.tasks[on].status, Status::Done | Status::Skipped)
            })
        })
    }
}
