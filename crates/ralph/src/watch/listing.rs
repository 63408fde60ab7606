//! Which tasks are listed, and in which order.

use std::cmp::Reverse;

use ralph_core::{plan::Status, run::RunState};

/// Which tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Filter {
    #[default]
    All,
    NeedsYou,
    Failed,
    Open,
    Done,
}

/// In which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Order {
    #[default]
    Plan,
    Newest,
    Cost,
}

impl Filter {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::NeedsYou => "needs you",
            Self::Failed => "failed",
            Self::Open => "open",
            Self::Done => "done",
        }
    }

    pub(super) fn next(self) -> Self {
        match self {
            Self::All => Self::NeedsYou,
            Self::NeedsYou => Self::Failed,
            Self::Failed => Self::Open,
            Self::Open => Self::Done,
            Self::Done => Self::All,
        }
    }

    fn takes(self, status: Status) -> bool {
        match self {
            Self::All => true,
            Self::NeedsYou => matches!(status, Status::Parked | Status::Failed),
            Self::Failed => status == Status::Failed,
            Self::Open => !status.satisfies() && status != Status::Failed,
            Self::Done => status.satisfies(),
        }
    }
}

impl Order {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Plan => "plan order",
            Self::Newest => "newest first",
            Self::Cost => "by cost",
        }
    }

    pub(super) fn next(self) -> Self {
        match self {
            Self::Plan => Self::Newest,
            Self::Newest => Self::Cost,
            Self::Cost => Self::Plan,
        }
    }
}

/// The positions of the listed tasks.
pub(super) fn rows(state: &RunState, filter: Filter, order: Order) -> Vec<usize> {
    let status = |at: usize| state.tasks.get(at).map(|one| one.status).unwrap_or_default();
    let mut rows: Vec<usize> = state.selected();
    rows.retain(|at| filter.takes(status(*at)));
    sort(&mut rows, order, state);
    rows
}

fn sort(rows: &mut [usize], order: Order, state: &RunState) {
    match order {
        Order::Plan => {}
        Order::Newest => {
            let changed = |at: usize| state.detail(at).and_then(|one| one.ended.or(one.began));
            rows.sort_by_key(|at| Reverse(changed(*at)));
        }
        Order::Cost => {
            let spent =
                |at: usize| state.detail(at).map(|one| (one.usage.cost, one.usage.tokens()));
            rows.sort_by_key(|at| Reverse(spent(*at)));
        }
    }
}
