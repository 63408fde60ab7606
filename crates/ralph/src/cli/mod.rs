//! The command line: one file per command. Only this part of the binary talks to people.

pub(crate) mod args;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod dispatch;
pub(crate) mod doctor;
pub(crate) mod dry_run;
pub(crate) mod faces;
pub(crate) mod gate;
pub(crate) mod init;
pub(crate) mod later;
pub(crate) mod launch;
pub(crate) mod logs;
pub(crate) mod manual;
pub(crate) mod place;
pub(crate) mod probe;
pub(crate) mod project;
pub(crate) mod prompt;
pub(crate) mod replay;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod run_args;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod undo;
