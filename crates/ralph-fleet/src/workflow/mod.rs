//! What is decided durably: when a stint is handed out, what is waited for, who is told what. Nothing here may look at
//! a clock, a file or the environment: what is not recorded in a history decides nothing.

pub mod account;
mod book;
pub mod budget;
mod errand;
mod handing;
mod history;
mod ledger;
pub mod looping;
mod telling;
mod waiting;

pub(crate) use book::{is_pause, is_stop};
