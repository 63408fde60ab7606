//! The oracle: every invariant by its words, judged from inputs, journaled events and the world's own truth.
//!
//! Must never ask the core what should have happened.

mod agents;
mod attempts;
mod blame;
mod drafts;
mod events;
mod limits;
mod memory;
mod moves;
mod outcome;
mod plan;
mod proof;
mod reviews;
mod shadow;
mod steering;
mod steps;
mod truth;

pub use shadow::Oracle;

/// What must always hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invariant {
    CommitFollowsVerdict,
    VerdictsAreTrue,
    NothingToVerifyWith,
    DoneHasEvidence,
    LimitsHold,
    CommittedOnce,
    NoTaskIsLost,
    ReplayIsIdentical,
    RepeatChangesNothing,
    EveryRunEnds,
    WaitsHold,
    ChargedRightly,
    BlameIsFair,
    OutcomeIsTruthful,
    RejectedIsKept,
    FailedGoesBack,
    StopIsObeyed,
    SameNumberAgain,
    SpendingIsCounted,
    OrderIsKept,
    ReviewsAreTrue,
    ReviewsAreCounted,
    MovesHaveReasons,
    PlanIsRalphs,
    QuestionsAreHeard,
    ParkedComesBack,
    StuckIsProved,
    WordsAreHeard,
    PausesHold,
    HandoversForgetNothing,
    MemoryIsBounded,
    MemoryKeepsConstraints,
    MemoryIsApart,
    DraftsAreTrue,
    PlanningTouchesNothing,
    SaidOnResumeHolds,
}

impl Invariant {
    /// The invariant in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::CommitFollowsVerdict => {
                "every commit directly follows an accepted verdict on the same tree"
            }
            Self::VerdictsAreTrue => "a verdict says what gates and checks say about the tree",
            Self::NothingToVerifyWith => "nothing to verify with means not accepted",
            Self::DoneHasEvidence => "done only with complete evidence",
            Self::LimitsHold => "nothing starts beyond a limit",
            Self::CommittedOnce => "a task is committed at most once per accepted attempt",
            Self::NoTaskIsLost => "no task is lost, and each moves only as it may",
            Self::ReplayIsIdentical => "replaying the journal gives the identical state",
            Self::RepeatChangesNothing => "an effect repeated after a crash changes nothing",
            Self::EveryRunEnds => "every run ends",
            Self::MemoryIsBounded => "the stored context never exceeds its budget",
            Self::MemoryKeepsConstraints => "a constraint that nobody revoked is known",
            Self::MemoryIsApart => "compacting changes no task, no count and no tree",
            Self::WaitsHold => "a wait never ends before its time, nor lasts beyond its limit",
            Self::ChargedRightly => "charged is exactly what must be charged",
            Self::BlameIsFair => {
                "calls that keep failing park one task; a second one in a row ends the run"
            }
            Self::OutcomeIsTruthful => "the outcome is truthful",
            Self::RejectedIsKept => {
                "what was not accepted is kept under a ref before anything overwrites it"
            }
            Self::FailedGoesBack => {
                "after a failed or parked task the run branch is where the task began, with all that is done"
            }
            Self::StopIsObeyed => "a stop is obeyed, once, and nothing starts after it",
            Self::SameNumberAgain => "an iteration that runs again keeps its number",
            Self::SpendingIsCounted => "all that was spent is counted",
            Self::OrderIsKept => {
                "tasks begin in their order, one at a time, after what they wait for"
            }
            Self::ReviewsAreTrue => {
                "a review is made in a copy of what is committed, and counts for what was really said"
            }
            Self::ReviewsAreCounted => "only reviews change the review count, by one each",
            Self::MovesHaveReasons => "tasks are moved by work, reviews and people, by nobody else",
            Self::PlanIsRalphs => {
                "agents propose at most three changes with accepted work, and weaken nothing"
            }
            Self::QuestionsAreHeard => "an agent that asks instead of working parks its task",
            Self::ParkedComesBack => "parked work is brought back by an answer or an approval",
            Self::WordsAreHeard => {
                "what a person says reaches every call it is for, once, and is never lost"
            }
            Self::HandoversForgetNothing => {
                "a process that takes a run over goes on as if it were the same"
            }
            Self::PausesHold => "a paused run starts nothing, and goes on when it is told to",
            Self::DraftsAreTrue => {
                "a planning run ends with a draft that can be used, as it was given, or says why there is none"
            }
            Self::PlanningTouchesNothing => "a planning run changes no file, no branch and no task",
            Self::SaidOnResumeHolds => {
                "what the command line says when a run is taken up holds from then on"
            }
            Self::StuckIsProved => "stuck is what repeats itself, and its measures end",
        }
    }
}

/// An invariant that did not hold.
#[derive(Debug, Clone)]
pub struct Broken {
    pub invariant: Invariant,
    pub detail: String,
}

impl Broken {
    pub fn new(invariant: Invariant, detail: impl Into<String>) -> Self {
        Self { invariant, detail: detail.into() }
    }
}
