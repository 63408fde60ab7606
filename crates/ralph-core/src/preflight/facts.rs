//! What is known of the machine and the settings.

use std::collections::BTreeSet;

use crate::vocabulary::ReviewMode;

/// What the rules must know beside the plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    pub review: ReviewMode,
    /// Hard gates, the plan's own included.
    pub hard_gates: usize,
    /// The agent's word counts where nothing can verify the work.
    pub trusts_agent: bool,
    /// What of [`super::wanted()`] is not there.
    pub missing: Wanted,
    /// Programs of [`super::wanted()`] that are here, but not in the box.
    pub hidden: BTreeSet<String>,
}

/// What a plan needs to be there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Programs that checks and verify commands start, see [`super::program`].
    pub programs: BTreeSet<String>,
    pub skills: BTreeSet<String>,
    pub agents: BTreeSet<String>,
}
