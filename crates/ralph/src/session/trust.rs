//! How the repository's agent configuration stands, for commands that speak of it.

use std::collections::BTreeSet;

use ralph_agents::trust;
use ralph_engine::{
    git::Repository,
    trust::{Ledger, Standing},
};

use super::project::Project;
use crate::{
    context::{Context, Entry, Tone},
    diagnostics::CommandError,
    words,
};

/// What the user trusts in this repository.
pub(crate) fn ledger(repository: &Repository) -> Ledger {
    Ledger::of(repository, &Project::state_home())
}

/// How the configuration in the folder of this command stands.
pub(crate) fn standing(repository: &Repository) -> Standing {
    ledger(repository).standing(repository.root())
}

/// Agents that load their part of it although it is not trusted, in words.
pub(crate) fn unheld(standing: &Standing) -> Option<String> {
    let (Standing::Unknown(config) | Standing::Changed { config, .. }) = standing else {
        return None;
    };
    let loads = |agent: &&str| !trust::is_held_back(agent) && !config.loaded_by(agent).is_empty();
    let agents = trust::ORIGINS.iter().flat_map(|origin| origin.agents.iter().copied());
    let agents: BTreeSet<&str> = agents.filter(loads).collect();
    let agents: Vec<&str> = agents.into_iter().collect();
    let all = words::list(&agents);
    let text = format!("without a sandbox to hide it, {all} would still load it");
    (!agents.is_empty()).then_some(text)
}

/// Tells once, before a run, what of the repository's agent configuration is not loaded.
pub(crate) fn tell(repository: &Repository, context: &Context) -> Result<(), CommandError> {
    match standing(repository) {
        Standing::Nothing | Standing::Trusted(_) => Ok(()),
        standing => {
            let state = standing.words().unwrap_or_default();
            let text = format!("project agent configuration: {state}");
            context.tell(&[Entry::text(0, Tone::Warn, text)])
        }
    }
}
