//! `ralph task`: what people see of the plan and what they may do to it, whether a run goes on or not.

mod add;
mod answer;
mod approve;
mod ask;
mod dispatch;
mod edit;
mod facts;
mod list;
mod proposals;
mod retry;
mod show;
mod skip;

pub(crate) use dispatch::exec;
