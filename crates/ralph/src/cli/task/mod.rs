//! `ralph task`: shows the tasks of the plan and changes them, whether a run is under way or not.

mod add;
pub(crate) mod ask;
mod dispatch;
pub(crate) mod facts;
mod list;
pub(crate) mod proposals;
mod show;

pub(crate) use dispatch::exec;
