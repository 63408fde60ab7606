//! `ralph watch`: a run on the whole terminal, in a process of its own. Reads what the run leaves on disk and decides
//! nothing; what changes something goes through the functions of the commands.

mod app;
mod asks;
mod command;
mod deeds;
mod follow;
mod keys;
mod listing;
mod log_search;
mod model;
mod mouse;
mod pager;
mod paint;
mod patch;
mod plain;
mod presence;
mod prompt;
mod search;
mod stream;
mod tab;
mod terminal;
mod theme;
mod update;
mod view;
mod watched;
mod window;

pub(crate) use command::exec;

#[cfg(test)]
mod act_tests;
#[cfg(test)]
mod past_tests;
#[cfg(test)]
mod tests;
