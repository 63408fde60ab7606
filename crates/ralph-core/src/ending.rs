//! How an agent process ended, and what each ending means for the attempt and the run.
//!
//! The adapters tell endings apart; the policy here is the only place that says what follows.

use serde::{Deserialize, Serialize};

use crate::time::{Millis, Timestamp};

/// Every way an agent call can end. One of these, never two.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Ending {
    /// It finished its turn.
    Ok,
    /// The program is missing, cannot start, or refuses our command line.
    NotFound { detail: String },
    /// Login or billing does not work.
    AuthFailed { detail: String },
    /// The account's allowance is used up.
    UsageLimit { resets_at: Option<Timestamp>, detail: String },
    /// The provider could not serve the call.
    Overloaded { detail: String },
    /// The conversation no longer fits the model.
    ContextOverflow,
    /// The agent's own limit of turns was reached.
    MaxTurns,
    /// The agent's own limit of money was reached.
    Budget,
    /// Asked-for structured output is missing where it is required.
    StructuredOutputMissing,
    /// The model declined.
    Refused { detail: String },
    /// Ended without finishing its turn.
    Crashed { detail: String },
    /// The hard time limit was reached and ralph ended it.
    TimedOut,
    /// Silent for too long and ralph ended it.
    Stalled,
    /// Nothing came out.
    Empty,
    /// What came out could not be read.
    Malformed { detail: String },
    /// It asked instead of working.
    AskedQuestion { question: String },
    /// A person or a signal ended it.
    Interrupted,
}

/// What an ending leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Reaction {
    /// Gates judge what is in the tree; a rejection is charged to the task.
    Judge,
    /// Not charged: the same iteration runs again after a short back-off, from the checkpoint.
    Retry,
    /// Not charged: the same iteration runs again after a growing pause, its partial work kept.
    BackOff,
    /// Not charged: the same iteration runs again at this time, its partial work kept.
    WaitUntil(Timestamp),
    /// Not charged, once per task: the same iteration runs again with a smaller prompt.
    Shrink,
    /// Not charged: the same iteration runs again with another agent, its partial work kept.
    Switch,
    /// Not charged: a limit of the run or the task cut it short, its partial work is kept.
    Suspend,
    /// The task waits for a person, the run continues.
    Park,
    /// The task cannot continue (its budget is used up), the run can.
    StopTask,
    /// The run cannot continue.
    StopRun,
    /// A person ended it; the run is already stopping.
    Stop,
}

impl Ending {
    /// The one policy of this ending.
    pub fn reaction(&self) -> Reaction {
        match self {
            Self::Ok
            | Self::MaxTurns
            | Self::StructuredOutputMissing
            | Self::Refused { .. }
            | Self::TimedOut
            | Self::Stalled
            | Self::AskedQuestion { .. } => Reaction::Judge,
            Self::Crashed { .. } | Self::Empty | Self::Malformed { .. } => Reaction::Retry,
            Self::UsageLimit { resets_at: Some(at), .. } => Reaction::WaitUntil(*at),
            Self::UsageLimit { resets_at: None, .. } | Self::Overloaded { .. } => Reaction::BackOff,
            Self::ContextOverflow => Reaction::Shrink,
            Self::Budget => Reaction::StopTask,
            Self::NotFound { .. } | Self::AuthFailed { .. } => Reaction::StopRun,
            Self::Interrupted => Reaction::Stop,
        }
    }

    /// A few words for people.
    pub fn describe(&self) -> String {
        match self {
            Self::Ok => "finished".into(),
            Self::NotFound { detail } => format!("could not be started: {detail}"),
            Self::AuthFailed { detail } => format!("is not logged in: {detail}"),
            Self::UsageLimit { detail, .. } => format!("usage limit reached: {detail}"),
            Self::Overloaded { detail } => format!("provider overloaded: {detail}"),
            Self::ContextOverflow => "ran out of context".into(),
            Self::MaxTurns => "reached its limit of turns".into(),
            Self::Budget => "reached its own budget".into(),
            Self::StructuredOutputMissing => "gave no structured answer".into(),
            Self::Refused { detail } => format!("refused: {detail}"),
            Self::Crashed { detail } => format!("crashed: {detail}"),
            Self::TimedOut => "ran past its hard time limit and was ended".into(),
            Self::Stalled => "was silent for too long and was ended".into(),
            Self::Empty => "said nothing".into(),
            Self::Malformed { detail } => format!("could not be understood: {detail}"),
            Self::AskedQuestion { question } => format!("asked: {question}"),
            Self::Interrupted => "was interrupted".into(),
        }
    }
}

/// Pause before uncharged retry number `nth` (from 1): 1, 2, 4, 8, 10, 10 … seconds.
pub fn short_back_off(nth: u32) -> Millis {
    Millis::secs((1u64 << nth.saturating_sub(1).min(4)).min(10))
}

/// Pause before retry number `nth` (from 1) of an outage or a limit without a reset time: 15 s doubling to 10 min.
pub fn long_back_off(nth: u32) -> Millis {
    Millis::secs((15u64 << nth.saturating_sub(1).min(6)).min(600))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_offs_grow_and_stay_bounded() {
        let short: Vec<_> = (1..=6).map(|n| short_back_off(n).0 / 1000).collect();
        assert_eq!(short, [1, 2, 4, 8, 10, 10]);
        let long: Vec<_> = (1..=8).map(|n| long_back_off(n).0 / 1000).collect();
        assert_eq!(long, [15, 30, 60, 120, 240, 480, 600, 600]);
    }
}
