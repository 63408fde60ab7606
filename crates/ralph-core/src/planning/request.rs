//! What an agent is asked to plan, pinned when a planning run starts.

use serde::{Deserialize, Serialize};

use crate::plan::Plan;

/// Everything a planner is told besides how to plan.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PlanRequest {
    /// What is wanted, in a person's words; empty where specifications say it.
    pub text: String,
    /// Specifications, in the order they were named.
    pub specs: Vec<Spec>,
    /// Requirements that are written down already; empty where there are none.
    pub prd: String,
    /// The plan as it stands.
    pub existing: Plan,
    /// What is to change in it, in a person's words.
    pub revise: Option<String>,
    /// Commands that verify the project today.
    pub verify_commands: Vec<String>,
    /// What was asked and answered so far.
    pub answers: Vec<Answered>,
    pub asking: Asking,
}

impl PlanRequest {
    /// Whether the requirements must be written down too.
    pub fn wants_prd(&self) -> bool {
        self.prd.trim().is_empty() && self.revise.is_none()
    }
}

/// One specification.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spec {
    /// Where the agent finds it, from the project's root.
    pub path: String,
    /// As much of it as fits.
    pub text: String,
    /// There is more in the file than `text` holds.
    pub is_cut: bool,
}

/// A question of the planner's and a person's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Answered {
    pub question: String,
    pub answer: String,
}

/// Whether somebody is there to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asking {
    /// A person answers.
    Allowed,
    /// Nobody answers: what is not known is assumed, and written down.
    #[default]
    Assume,
}
