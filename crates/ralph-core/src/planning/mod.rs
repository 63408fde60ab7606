//! Planning: what an agent is asked to plan, what it drafts, and whether that can be used. Pure; writes no plan.

mod draft;
mod judge;
mod prd;
mod read;
mod request;

pub use draft::{Draft, Question, Removal};
pub use judge::{Unusable, read};
pub use read::DRAFT_SCHEMA;
pub use request::{Answered, Asking, PlanRequest, Spec};

#[cfg(test)]
mod tests;
