//! Simulated agents: what one call does to the tree, and how it ends. From honest to hostile.

use ralph_core::{
    ending::Ending,
    handoff::{Handoff, TaskCompleted},
    input::AgentReport,
    time::{Millis, Timestamp},
    usage::{MicroUsd, Usage},
};

use super::{
    rng::Rng,
    tree::{PARTS, Tree, broken, feature, part},
};

const QUESTION: &str = "I looked at both.\n\nWhich of the two shall I take?";

/// What one call of an agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Honest,
    HalfDone,
    /// Says done, did nothing.
    Lies,
    BreaksTests,
    BreaksBuild,
    DeletesTests,
    FixesOldFailures,
    BreaksOldTests,
    /// All done, yet it says it is not.
    SaysUnfinished,
    /// Makes commits of its own.
    Commits,
    MovesRef,
    NestedRepository,
    /// A nested repository that makes it unsafe to write any tree.
    UnsafeRepository,
    Crashes,
    Empty,
    Malformed,
    Overloaded,
    TimesOutFinished,
    TimesOutHalfway,
    Stalls,
    MaxTurns,
    Refuses,
    Overflows,
    NoStructure,
    Asks,
    UsageLimit,
    UsageLimitPast,
    UsageLimitForever,
    RateLimit,
    AuthFails,
    NotFound,
    Budget,
    /// Ended by someone, though nobody asked ralph to stop.
    Killed,
    /// Says done, and did something that nobody wanted.
    FakesWork,
    AsksInHandoff,
    /// Changes nothing, and its last words are a question.
    AsksAtTheEnd,
    TouchesLocked,
    Proposes,
    ProposesMuch,
    ProposesCycle,
    ApprovesItself,
    Weakens,
    Removes,
    EmptiesPlan,
    CutsPlan,
    ReplacesPlan,
    ApprovesInPlan,
    DropsTasks,
    AddsInPlan,
}

/// How bad the agents of a run are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mood {
    Decent,
    Sloppy,
    Hostile,
    /// The provider is unwell.
    Unwell,
}

impl Mood {
    pub const ALL: [Self; 4] = [Self::Decent, Self::Sloppy, Self::Hostile, Self::Unwell];

    /// What the next call does.
    pub fn act(self, rng: &mut Rng) -> Act {
        use Act as A;
        let sloppy = [
            A::HalfDone,
            A::Lies,
            A::BreaksTests,
            A::SaysUnfinished,
            A::TimesOutFinished,
            A::TimesOutHalfway,
            A::Stalls,
            A::MaxTurns,
            A::NoStructure,
            A::Asks,
            A::Commits,
            A::FixesOldFailures,
            A::FakesWork,
            A::AsksInHandoff,
            A::AsksAtTheEnd,
            A::Proposes,
            A::Proposes,
        ];
        let hostile = [
            A::BreaksBuild,
            A::DeletesTests,
            A::BreaksOldTests,
            A::MovesRef,
            A::NestedRepository,
            A::UnsafeRepository,
            A::Lies,
            A::Refuses,
            A::Commits,
            A::BreaksTests,
            A::FakesWork,
            A::TouchesLocked,
            A::ProposesMuch,
            A::ProposesCycle,
            A::ApprovesItself,
            A::Weakens,
            A::Removes,
            A::EmptiesPlan,
            A::CutsPlan,
            A::ReplacesPlan,
            A::ApprovesInPlan,
            A::DropsTasks,
            A::AddsInPlan,
        ];
        let unwell = [
            A::Crashes,
            A::Empty,
            A::Malformed,
            A::Overloaded,
            A::Overflows,
            A::UsageLimit,
            A::UsageLimitPast,
            A::UsageLimitForever,
            A::RateLimit,
            A::RateLimit,
            A::Crashes,
            A::AuthFails,
            A::NotFound,
            A::Budget,
            A::Killed,
        ];
        let (honest, own): (u64, &[A]) = match self {
            Self::Decent => (800, &sloppy),
            Self::Sloppy => (350, &sloppy),
            Self::Hostile => (350, &hostile),
            Self::Unwell => (350, &unwell),
        };
        let list: &[A] = match rng.below(20) {
            0 => &sloppy,
            1 => &hostile,
            2 => &unwell,
            _ => own,
        };
        if rng.chance(honest) { A::Honest } else { rng.pick(list).unwrap_or(A::Honest) }
    }
}

impl Act {
    /// The files it leaves.
    pub fn edit(self, task: usize, from: Tree, rng: &mut Rng) -> Tree {
        let whole = from.with(feature(task)).without(broken(task));
        let some = from.with(part(task, u32::try_from(rng.below(u64::from(PARTS))).unwrap_or(0)));
        match self {
            Self::Honest
            | Self::SaysUnfinished
            | Self::Commits
            | Self::MovesRef
            | Self::NestedRepository
            | Self::UnsafeRepository
            | Self::NoStructure
            | Self::TimesOutFinished
            | Self::MaxTurns => whole.without(Tree::NO_BUILD),
            Self::Proposes
            | Self::ProposesMuch
            | Self::ProposesCycle
            | Self::ApprovesItself
            | Self::Weakens
            | Self::Removes
            | Self::EmptiesPlan
            | Self::CutsPlan
            | Self::ReplacesPlan
            | Self::ApprovesInPlan
            | Self::DropsTasks
            | Self::AddsInPlan
                if rng.chance(700) =>
            {
                whole.without(Tree::NO_BUILD)
            }
            // Some say nothing and have done it all the same.
            Self::Empty if task.is_multiple_of(2) => whole.without(Tree::NO_BUILD),
            Self::TouchesLocked => whole.with(Tree::LOCKED),
            Self::FakesWork => Tree(from.0 ^ Tree::UGLY.0),
            Self::HalfDone
            | Self::AsksInHandoff
            | Self::Proposes
            | Self::ProposesMuch
            | Self::ProposesCycle
            | Self::ApprovesItself
            | Self::Weakens
            | Self::Removes
            | Self::EmptiesPlan
            | Self::CutsPlan
            | Self::ReplacesPlan
            | Self::ApprovesInPlan
            | Self::DropsTasks
            | Self::AddsInPlan
            | Self::TimesOutHalfway
            | Self::Stalls
            | Self::Asks
            | Self::Killed
            | Self::Overflows
            | Self::Budget
            | Self::UsageLimit
            | Self::UsageLimitPast
            | Self::UsageLimitForever
            | Self::RateLimit => some,
            Self::Crashes | Self::Malformed => some.with(Tree::UGLY),
            Self::BreaksTests => whole.with(broken(task)),
            Self::BreaksBuild => whole.with(Tree::NO_BUILD),
            Self::DeletesTests => whole.with(Tree::NO_TESTS),
            Self::FixesOldFailures => whole.without(Tree::OLD_A).without(Tree::NO_BUILD),
            Self::BreaksOldTests => whole.with(Tree::OLD_A),
            Self::Lies
            | Self::AsksAtTheEnd
            | Self::Empty
            | Self::Overloaded
            | Self::Refuses
            | Self::AuthFails
            | Self::NotFound => from,
        }
    }

    /// How its process ends.
    pub fn ending(self, now: Timestamp, rng: &mut Rng) -> Ending {
        let detail = String::new();
        match self {
            Self::Crashes => Ending::Crashed { detail },
            Self::Empty => Ending::Empty,
            Self::Malformed => Ending::Malformed { detail },
            Self::Overloaded => Ending::Overloaded { detail },
            Self::TimesOutFinished | Self::TimesOutHalfway => Ending::TimedOut,
            Self::Stalls => Ending::Stalled,
            Self::MaxTurns => Ending::MaxTurns,
            Self::Refuses => Ending::Refused { detail },
            Self::Overflows => Ending::ContextOverflow,
            Self::NoStructure => Ending::StructuredOutputMissing,
            Self::Asks => Ending::AskedQuestion { question: QUESTION.into() },
            Self::UsageLimit => Ending::UsageLimit {
                resets_at: Some(now.plus(Millis(rng.below(30_000_000)))),
                detail,
            },
            Self::UsageLimitPast => {
                Ending::UsageLimit { resets_at: Some(Timestamp(now.0 - 5_000)), detail }
            }
            Self::UsageLimitForever => {
                Ending::UsageLimit { resets_at: Some(Timestamp(i64::MAX)), detail }
            }
            Self::RateLimit => Ending::UsageLimit { resets_at: None, detail },
            Self::AuthFails => Ending::AuthFailed { detail },
            Self::NotFound => Ending::NotFound { detail },
            Self::Budget => Ending::Budget,
            Self::Killed => Ending::Interrupted,
            _ => Ending::Ok,
        }
    }

    /// What it reports.
    pub fn report(self, now: Timestamp, rng: &mut Rng) -> AgentReport {
        let ending = self.ending(now, rng);
        let says = match self {
            Self::SaysUnfinished => Some(false),
            Self::Honest | Self::Lies | Self::FakesWork | Self::ApprovesItself => Some(true),
            _ => None,
        };
        let is_silent = matches!(self, Self::HalfDone | Self::AsksAtTheEnd);
        let handoff = (ending == Ending::Ok && !is_silent).then(|| Handoff {
            task_completed: TaskCompleted { fully_complete: says, ..TaskCompleted::default() },
            question: (self == Self::AsksInHandoff).then(|| QUESTION.to_owned()),
            ..Handoff::default()
        });
        AgentReport {
            claimed: match self {
                Self::Lies | Self::FakesWork | Self::TimesOutFinished => true,
                Self::Honest | Self::BreaksTests | Self::Commits => rng.chance(600),
                _ => false,
            },
            handoff,
            last_words: if self == Self::AsksAtTheEnd { QUESTION.into() } else { String::new() },
            stderr_tail: String::new(),
            usage: Usage {
                input: rng.below(900),
                output: rng.below(300),
                cost: MicroUsd(rng.below(400_000)),
                ..Usage::default()
            },
            took: Millis(1 + rng.below(900_000)),
            session: None,
            tools: u32::try_from(rng.below(5)).unwrap_or(0),
            tool_errors: u32::try_from(rng.below(2)).unwrap_or(0),
            denials: 0,
            leftovers: 0,
            traffic: Vec::new(),
            ending,
        }
    }
}
