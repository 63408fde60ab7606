//! How many iterations and how much money the open tasks will take: from past runs, else by rule.

use serde::Serialize;

use super::finding::open;
use crate::{plan::Plan, usage::MicroUsd, vocabulary::ReviewMode};

/// What one run took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastRun {
    pub review: ReviewMode,
    pub iterations: u32,
    /// Tasks that it brought to done.
    pub done: u32,
    /// `None` where its agents told nothing.
    pub cost: Option<MicroUsd>,
}

/// A range, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Estimate {
    pub tasks: u32,
    pub least_iterations: u32,
    pub most_iterations: u32,
    pub least_cost_usd_micros: Option<MicroUsd>,
    pub most_cost_usd_micros: Option<MicroUsd>,
    /// In words: `3 past runs of this repository`.
    pub from: String,
}

/// The estimate for the open tasks. Only past runs with the same review tell how many iterations a task takes.
pub fn estimate(plan: &Plan, review: ReviewMode, past: &[PastRun]) -> Estimate {
    let tasks = count(open(plan).count());
    let alike: Vec<f64> = past
        .iter()
        .filter(|run| run.review == review && run.done > 0)
        .map(|run| f64::from(run.iterations) / f64::from(run.done))
        .collect();
    let (least, most, from) = if alike.is_empty() {
        let reviewed = count(open(plan).filter(|(_, task)| task.is_reviewed(review)).count());
        let others = tasks - reviewed;
        let why =
            "no similar past run; assuming 1 to 2 iterations per task, 2 to 3 if it is reviewed";
        (f64::from(reviewed * 2 + others), f64::from(reviewed * 3 + others * 2), why.to_owned())
    } else {
        let (low, high) = range(&alike);
        let runs = alike.len();
        let which = if runs == 1 { "1 past run".into() } else { format!("{runs} past runs") };
        (f64::from(tasks) * low, f64::from(tasks) * high, format!("{which} of this repository"))
    };
    let paid: Vec<f64> = past.iter().filter_map(per_iteration).collect();
    let money = (!paid.is_empty() && tasks > 0).then(|| range(&paid));
    let cost = |each: Option<f64>, iterations: f64| {
        each.map(|each| MicroUsd::from_dollars(each * iterations / 1_000_000.0))
    };
    Estimate {
        tasks,
        least_iterations: whole(least),
        most_iterations: whole(most),
        least_cost_usd_micros: cost(money.map(|(low, _)| low), least),
        most_cost_usd_micros: cost(money.map(|(_, high)| high), most),
        from,
    }
}

/// The lowest and the highest; one value alone says little, so it gets room on both sides.
fn range(values: &[f64]) -> (f64, f64) {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    if values.len() == 1 { (low * 0.75, high * 1.5) } else { (low, high) }
}

fn per_iteration(run: &PastRun) -> Option<f64> {
    let cost = run.cost.filter(|_| run.iterations > 0)?;
    Some(f64::from(u32::try_from(cost.0).unwrap_or(u32::MAX)) / f64::from(run.iterations))
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX / 4)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before")]
fn whole(value: f64) -> u32 {
    value.ceil().clamp(0.0, f64::from(u32::MAX)) as u32
}
