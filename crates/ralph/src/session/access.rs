//! What an agent could work with here: a key in a variable, or a login that lasts. Reads files and variables of the user,
//! never prints what is in them.

use std::path::PathBuf;

use ralph_agents::tokens;
use ralph_core::{agent_facts::Facts, time::Timestamp};
use ralph_engine::project_file;
use serde_json::Value;

use crate::{context::variable, env_vars};

/// What an agent would work with.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub(crate) enum Access {
    /// The key in this variable.
    Key {
        variable: &'static str,
    },
    Login,
    /// The login is there, but its token has ended: in the sandbox nothing can renew it.
    ExpiredLogin,
    Nothing,
}

impl Access {
    /// Finds it out; `says_logged_in` is the tool's own answer, `None` where it gives none.
    pub(crate) fn find(
        facts: &Facts,
        says_logged_in: Option<bool>,
        now: Timestamp,
    ) -> Option<Self> {
        let is_set = |name: &&str| variable(name).is_some_and(|value| !value.is_empty());
        let relay = facts.relay.iter().flat_map(|relay| relay.keys).map(|key| key.variable);
        // A header of the user's own is no key of the service.
        let own = facts.keys.iter().map(|key| key.variable).filter(|name| name.ends_with("_KEY"));
        if let Some(variable) = relay.chain(own).find(is_set) {
            return Some(Self::Key { variable });
        }
        let expires = facts.login_files.iter().filter_map(|name| expiry(facts, name)).min();
        match (says_logged_in, expires) {
            (Some(false), _) => Some(Self::Nothing),
            (_, Some(expires)) if expires <= now => Some(Self::ExpiredLogin),
            (None, None) => None,
            (Some(true), _) | (None, Some(_)) => Some(Self::Login),
        }
    }

    pub(crate) fn works(&self) -> bool {
        matches!(self, Self::Key { .. } | Self::Login)
    }

    /// In a few words.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Key { variable } => format!("key in {variable}"),
            Self::Login => "logged in".into(),
            Self::ExpiredLogin => "login expired".into(),
            Self::Nothing => "not logged in".into(),
        }
    }

    /// What to do about one that does not work.
    pub(crate) fn help(name: &str, facts: &Facts) -> String {
        match facts.lasting_login {
            Some((command, variable)) => format!(
                "run {name} once to log in; {command} makes a token that lasts, for {variable}"
            ),
            None => format!("run {name} once to log in"),
        }
    }
}

/// When the token in a login file ends, as far as the file tells.
fn expiry(facts: &Facts, name: &str) -> Option<Timestamp> {
    let (first, below) = name.split_once('/').unwrap_or(("", name));
    let moved = facts.config_home.and_then(|home| {
        let named = PathBuf::from(variable(home.variable).filter(|value| !value.is_empty())?);
        Some(if home.below.is_empty() { named } else { named.join(home.below) })
    });
    let folder = moved.or_else(|| Some(PathBuf::from(variable(env_vars::HOME)?).join(first)))?;
    let bytes = project_file::read(&folder.join(below), project_file::LARGEST_TEXT).ok()?;
    let file: Value = serde_json::from_slice(&bytes).ok()?;
    tokens::expiry(&file)
}
