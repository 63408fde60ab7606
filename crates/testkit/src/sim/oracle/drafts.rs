//! Planning runs on the oracle's own books: which drafts count, how they end, and that nothing else is touched.

use ralph_core::{
    effect::{AgentCall, Effect},
    ending::Ending,
    event::{Decision, Event},
    input::AgentReport,
    outcome::Outcome,
    vocabulary::Kind,
};

use super::{Invariant, Oracle, agents::Due};
use crate::sim::{planner, world::World};

/// A draft and two corrections.
const MOST: u32 = 3;

/// What planners gave so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Drafts {
    /// A draft that can be used is there.
    is_there: bool,
    /// Drafts in a row that cannot.
    unusable: u32,
    /// The last of them was none at all.
    is_shapeless: bool,
    /// What the last call had to lead to, unless it was cut.
    due: Option<Due>,
}

impl Oracle<'_> {
    pub(super) fn plans(&self) -> bool {
        planner::request(self.scenario).is_some()
    }

    /// A planning run only looks: nothing of git, of the files or of the plan changes.
    pub(super) fn check_only_looks(&mut self, effect: &Effect, world: &World<'_>) {
        let looks = match effect {
            Effect::OpenWorkspace(open) => open.only_looks,
            Effect::RunAgent(call) => is_in_copy(call, world),
            Effect::Look(_) | Effect::CloseWorkspace(_) => true,
            _ => false,
        };
        self.must(looks, Invariant::PlanningTouchesNothing, || format!("{effect:?}"));
        self.check_untouched(world);
    }

    pub(super) fn check_untouched(&mut self, world: &World<'_>) {
        let is_so =
            (world.git.head(), world.git.worktree) == world.users && world.git.refs.is_empty();
        self.must(is_so, Invariant::PlanningTouchesNothing, || {
            format!("{:?} instead of {:?}", (world.git.head(), world.git.worktree), world.users)
        });
    }

    /// A planner ended: its draft is taken if it can be used, and held against it if not.
    pub(super) fn planner_ended(
        &mut self,
        report: &AgentReport,
        decision: &Decision,
        world: &World<'_>,
    ) {
        let is_cut = self.is_cut() && report.ending != Ending::Ok;
        let due = if is_cut { None } else { Some(self.leads_to(&report.ending, 0, decision.at)) };
        self.drafts.due = due;
        let said = world.drafted.clone().filter(|_| due == Some(Due::Judged));
        let is_usable = said.as_ref().is_some_and(|said| said.is_usable);
        let taken = decision.events.iter().find_map(|event| match event {
            Event::PlanDrafted(draft) => Some(draft.tasks.iter().map(|task| task.id.clone())),
            _ => None,
        });
        let same = match (taken, said.as_ref().filter(|_| is_usable)) {
            (Some(taken), Some(said)) => taken.eq(said.tasks.iter().cloned()),
            (taken, said) => taken.is_none() && said.is_none(),
        };
        self.must(same, Invariant::DraftsAreTrue, || format!("{:?}: {:?}", said, decision.events));
        let held = decision.events.iter().find_map(|event| match event {
            Event::DraftUnusable { nth, is_shapeless, .. } => Some((*nth, *is_shapeless)),
            _ => None,
        });
        let expected =
            said.filter(|_| !is_usable).map(|said| (self.drafts.unusable + 1, said.is_shapeless));
        self.must(held == expected, Invariant::DraftsAreTrue, || {
            format!("{held:?} instead of {expected:?}")
        });
        self.drafts.is_there |= is_usable;
        if let Some((nth, is_shapeless)) = expected {
            self.drafts.unusable = nth;
            self.drafts.is_shapeless = is_shapeless;
        }
        if due == Some(Due::Judged) {
            self.failures_in_a_row = 0;
        }
    }

    /// Nobody is asked again once there is a draft, or were enough of them.
    pub(super) fn check_more_drafts(&mut self) {
        let Drafts { is_there, unusable, .. } = self.drafts;
        self.must(!is_there && unusable < MOST, Invariant::DraftsAreTrue, || {
            format!("a planner is called after {unusable} drafts, {is_there}")
        });
    }

    /// Whether a planning run may end like this; `None`: as any other.
    pub(super) fn planning_ends(&self, outcome: &Outcome) -> Option<bool> {
        let Drafts { is_there, unusable, is_shapeless, due } = self.drafts;
        let is_used_up = unusable >= MOST;
        let is_parked = due == Some(Due::Parked);
        match outcome {
            Outcome::Drafted => Some(is_there),
            Outcome::Done => Some(false),
            Outcome::NeedsPerson { why } => {
                Some(!why.is_empty() && (is_parked || (is_used_up && !is_shapeless)))
            }
            Outcome::AgentUnusable { .. } if is_used_up && is_shapeless => Some(true),
            Outcome::Limit { .. } if due == Some(Due::Ended) => Some(true),
            _ => None,
        }
    }
}

fn is_in_copy(call: &AgentCall, world: &World<'_>) -> bool {
    let copied = call.copy_of.as_ref().and_then(|commit| world.git.find(commit));
    call.kind == Kind::Plan && copied == Some(world.users.0)
}
