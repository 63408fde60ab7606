//! The commands, one file each.

pub(crate) mod agents;
pub(crate) mod archive;
pub(crate) mod clean;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod fleet;
pub(crate) mod gate;
pub(crate) mod guard;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod logs;
pub(crate) mod notify;
pub(crate) mod pause;
pub(crate) mod plan;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod runs;
pub(crate) mod start;
pub(crate) mod status;
pub(crate) mod steer;
pub(crate) mod stop;
pub(crate) mod task;
pub(crate) mod trust;
pub(crate) mod undo;
