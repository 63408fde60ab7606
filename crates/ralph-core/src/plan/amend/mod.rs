//! Changes that agents propose to the plan: read, judged, applied.
//!
//! Nothing here lets an agent say where a task stands. A proposal is read from a handoff or from what became
//! of the plan file, ruled on, and only what is ruled `Applied` may reach the plan without a person.

mod amendment;
mod apply;
mod changes;
mod claims;
mod diff;
mod judge;
mod read_handoff;
mod weigh;

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod integrity_tests;

pub use amendment::{Amendment, Proposal, Ruled, Ruling, Source};
pub(in crate::plan) use apply::try_apply;
pub use apply::{apply, fits};
pub use changes::{Changes, PlanChanges};
pub use diff::{from_edit, rebase};
pub use judge::{Judging, MOST_PER_ITERATION, Mode, Permits, judge, lawful};
pub use read_handoff::from_handoff;
