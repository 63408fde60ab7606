//! What ralph knows about an agent before it is called: for `ralph agents`, `doctor` and the brief.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One agent's abilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an ability of its own that people are shown"
)]
pub struct Facts {
    /// Version ralph was tested with; empty if with none.
    pub tested: &'static str,
    pub handoff: HandoffBy,
    pub prompt: PromptBy,
    pub spending: Spending,
    /// It can be given a most number of turns.
    pub limits_turns: bool,
    /// It can be given a most sum of money.
    pub limits_money: bool,
    /// It tells a session's id.
    pub names_session: bool,
    /// It tells when a usage limit ends.
    pub tells_reset: bool,
    /// Arguments with which the tool tells by its exit code whether it is logged in.
    pub login: Option<&'static [&'static str]>,
    /// No run with a real account was ever seen.
    pub is_experimental: bool,
}

/// How an agent hands over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffBy {
    /// By structured output of its own.
    Schema,
    /// By a fenced block in its last message.
    Block,
}

/// How an agent gets its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PromptBy {
    Stdin,
    Argument,
    File,
}

/// What an agent tells of its spending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Spending {
    Money,
    Tokens,
    Nothing,
}
