//! What `ralph init` will write: decided by flags, by what was found, and by a person where one is asked.

use ralph_agents::Agent;
use ralph_core::settings::Length;

use super::args::InitArgs;
use crate::{
    args::run::Review,
    session::{
        agents::{Found, best},
        gate_detection::FoundGate,
        gate_trial::Tried,
    },
};

/// The settings of a project that is set up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Choices {
    /// A built-in name or a program.
    pub(crate) agent: String,
    /// What is said to the program each time; one entry, split like shell words.
    pub(crate) flags: String,
    pub(crate) model: String,
    pub(crate) gates: Vec<FoundGate>,
    /// Gates that cannot run here, for a comment.
    pub(crate) left_out: Vec<FoundGate>,
    pub(crate) max_iterations: u32,
    pub(crate) max_cost: f64,
    pub(crate) max_duration: Length,
    pub(crate) review: Review,
    /// Accepted work is pushed.
    pub(crate) pushes: bool,
    /// Nothing of `.ralph` goes into git.
    pub(crate) is_private: bool,
    /// The folder becomes a git repository.
    pub(crate) makes_repository: bool,
}

impl Choices {
    /// What flags and findings say.
    pub(crate) fn new(args: &InitArgs, agents: &[Found], tried: Tried) -> Self {
        let found = |agent: &dyn Agent| {
            agents.iter().any(|one| one.name == agent.name() && one.path.is_some())
        };
        let (agent, flags) = split(args.agent.as_deref().unwrap_or_else(|| best(&found)));
        Self {
            agent,
            flags,
            model: args.model.clone().unwrap_or_default(),
            gates: tried.gates,
            left_out: tried.left_out,
            max_iterations: args.max_iterations.unwrap_or(0),
            max_cost: args.max_cost.unwrap_or(0.0),
            max_duration: args.max_duration.unwrap_or_default(),
            review: args.review.unwrap_or(Review::On),
            pushes: args.push,
            is_private: args.private,
            makes_repository: args.git_init,
        }
    }

    /// Names another agent, with its flags behind it.
    pub(crate) fn set_agent(&mut self, typed: &str) {
        (self.agent, self.flags) = split(typed);
    }
}

/// A program and what is said to it.
fn split(typed: &str) -> (String, String) {
    match typed.trim().split_once(char::is_whitespace) {
        Some((program, flags)) => (program.to_owned(), flags.trim().to_owned()),
        None => (typed.trim().to_owned(), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_agent_is_a_program_and_its_flags() {
        assert_eq!(split(" my-agent "), ("my-agent".into(), String::new()));
        assert_eq!(split("./a.sh  --fast -x"), ("./a.sh".into(), "--fast -x".into()));
    }

    #[test]
    fn where_no_agent_is_installed_the_usual_one_is_named() {
        let choices = Choices::new(&InitArgs::default(), &[], Tried::default());
        assert_eq!((choices.agent.as_str(), choices.review), ("claude", Review::On));
    }
}
