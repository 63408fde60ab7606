//! The agent that a call or a name means: a built-in one, or one of the user's own.

use ralph_core::{effect::AgentCall, settings::Settings};

use super::{built_in::of_command, custom::Custom, port::Agent};

/// The agent of a call: one of the user's own, or what its command means.
pub fn of_call(call: &AgentCall) -> Known {
    match &call.custom {
        Some(custom) => Known::Custom(Custom::new(&call.agent, custom)),
        None => Known::BuiltIn(of_command(&call.agent)),
    }
}

/// The agent that a name or a command means in these settings.
pub fn of_name(name: &str, settings: &Settings) -> Known {
    match settings.agents.get(name) {
        Some(custom) => Known::Custom(Custom::new(name, custom)),
        None => Known::BuiltIn(of_command(name)),
    }
}

/// An agent that ralph can call.
pub enum Known {
    BuiltIn(&'static dyn Agent),
    Custom(Custom),
}

impl std::ops::Deref for Known {
    type Target = dyn Agent;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::BuiltIn(agent) => *agent,
            Self::Custom(custom) => custom,
        }
    }
}
