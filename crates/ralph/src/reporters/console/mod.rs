//! The console: what a person sees of a run, on a terminal or in a log, rendered from news alone.

mod agent;
mod call;
mod finale;
mod frame;
mod header;
mod options;
mod people;
mod planning;
mod reporter;
mod review;
mod status_line;
mod steering;
mod task;
mod tool;
mod verdict;
mod wait;

pub(crate) use finale::{exit_code, next as next_command};
pub(crate) use header::{review as review_words, words_of_limits as limits, worker};
pub(crate) use options::{Options, Progress};
pub(crate) use reporter::Console;

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;
