//! Which changes of a task's status are legal, for agents and people alike.

use super::Status;

/// A change of status that must not happen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a task cannot go from {} to {}", from.word(), to.word())]
pub struct IllegalMove {
    pub from: Status,
    pub to: Status,
}

/// Says whether a task may go from one status to another.
///
/// Invariant: `done` is left only by a person's retry, and reached only through work or review.
pub fn check_move(from: Status, to: Status) -> Result<(), IllegalMove> {
    use Status as S;
    let legal = match from {
        S::Pending => matches!(to, S::InProgress | S::Skipped | S::Parked),
        S::InProgress => matches!(
            to,
            S::Pending | S::NeedsReview | S::Done | S::Failed | S::Parked | S::Skipped
        ),
        S::NeedsReview => {
            matches!(to, S::Done | S::ChangesRequested | S::Parked | S::Failed | S::Skipped)
        }
        S::ChangesRequested => {
            matches!(to, S::InProgress | S::NeedsReview | S::Parked | S::Failed | S::Skipped)
        }
        S::Done => matches!(to, S::Pending),
        S::Failed | S::Parked => matches!(to, S::Pending | S::Skipped | S::InProgress),
        S::Skipped => matches!(to, S::Pending),
    };
    if legal { Ok(()) } else { Err(IllegalMove { from, to }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_done_without_work() {
        for from in [Status::Pending, Status::Failed, Status::Parked, Status::Skipped] {
            assert_eq!(check_move(from, Status::Done), Err(IllegalMove { from, to: Status::Done }));
        }
    }

    #[test]
    fn work_leads_to_done_failed_or_back() {
        for to in [Status::Done, Status::Failed, Status::Pending, Status::Parked] {
            assert_eq!(check_move(Status::InProgress, to), Ok(()));
        }
    }
}
