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
        S::InProgress => {
            matches!(to, S::Pending | S::NeedsReview | S::Done | S::Failed | S::Parked | S::Skipped)
        }
        S::NeedsReview => {
            matches!(to, S::Done | S::ChangesRequested | S::Parked | S::Failed | S::Skipped)
        }
        S::ChangesRequested => {
            matches!(to, S::InProgress | S::NeedsReview | S::Parked | S::Failed | S::Skipped)
        }
        S::Done | S::Skipped => matches!(to, S::Pending),
        S::Failed | S::Parked => matches!(to, S::Pending | S::Skipped | S::InProgress),
    };
    if legal { Ok(()) } else { Err(IllegalMove { from, to }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Status; 8] = [
        Status::Pending,
        Status::InProgress,
        Status::NeedsReview,
        Status::ChangesRequested,
        Status::Done,
        Status::Failed,
        Status::Skipped,
        Status::Parked,
    ];

    /// From each row's status to each column's, in the order of `ALL`.
    #[test]
    fn the_whole_table_of_moves() {
        let table = [
            // pend prog need chan done fail skip park
            ". x . . . . x x", // pending
            "x . x . x x x x", // in_progress
            ". . . x x x x x", // needs_review
            ". x x . . x x x", // changes_requested
            "x . . . . . . .", // done
            "x x . . . . x .", // failed
            "x . . . . . . .", // skipped
            "x x . . . . x .", // parked
        ];
        for (from, row) in ALL.into_iter().zip(table) {
            for (to, cell) in ALL.into_iter().zip(row.split(' ')) {
                let expected = if cell == "x" { Ok(()) } else { Err(IllegalMove { from, to }) };
                assert_eq!(check_move(from, to), expected);
            }
        }
    }

    #[test]
    fn nothing_becomes_done_without_work() {
        let ways: Vec<Status> =
            ALL.into_iter().filter(|from| check_move(*from, Status::Done).is_ok()).collect();
        assert_eq!(ways, [Status::InProgress, Status::NeedsReview]);
    }
}
