//! Prompts: a brief of sections with budgets, rendered to the text an agent gets.

mod brief;
mod budget;
mod render;
mod vars;

pub use brief::{Brief, Counter, Feedback, HandoffForm, ReviewWork, Section, Shift, Work};
pub use budget::{DEFAULT_BUDGET, tokens};
pub use render::{Rendered, render};
pub use vars::Vars;
