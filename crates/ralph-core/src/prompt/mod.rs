//! Prompts: a brief of sections with budgets, laid out by a template to the text an agent gets.

mod brief;
mod budget;
mod library;
mod placeholders;
mod prd;
mod render;
mod template;
mod template_variables;
mod trim;

pub use brief::{
    Brief, CompactWork, Counter, Feedback, HandoffForm, PlanWork, ReviewWork, Section, Shift,
    SteeredWord, Steering, Work,
};
pub use budget::{DEFAULT_BUDGET, share};
pub use library::{Library, LibraryError, Shelf, is_plain_name};
pub use placeholders::Vars;
pub use prd::Prd;
pub use render::{Rendered, Used, render, task_tokens};
pub use template::{TemplateError, TemplateName, check as check_template};
pub use template_variables::VARIABLES;
