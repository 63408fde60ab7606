//! `ralph task`: shows the tasks of the plan and changes them, whether a run is under way or not.

mod add;
mod ask;
mod dispatch;
mod facts;
mod list;
mod proposals;
mod show;

pub(crate) use dispatch::exec;
