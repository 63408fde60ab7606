//! `ralph plan` from specifications or a sentence: what to plan from, rounds of drafts and questions, and the plan
//! that comes of it once a person agrees.

mod decision;
mod edit;
mod proposal;
mod questions;
mod rounds;
mod shown;
mod sources;
mod unfinished_planning;
mod write;

pub(crate) use decision::{Planned, Purpose};
pub(crate) use rounds::{plan, settle};
