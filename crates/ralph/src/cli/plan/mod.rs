//! `ralph plan`: plans drafted by an agent, taken over from elsewhere and written back, one file for each.

mod check;
mod command;
mod export;
mod gh;
mod import;
mod origin;
mod write_back;

pub(crate) use command::exec;
