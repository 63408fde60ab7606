//! Real workers on the real server (`TEMPORAL_BIN`) with the real ralph (`RALPH_BIN`) in its sandbox: loops end
//! truthfully, whatever becomes of workers and waits.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod bridge;
#[path = "../support/eventually.rs"]
mod eventually;
mod fleet;
mod limits;
#[path = "../remote/mod.rs"]
mod remote;
#[path = "../support/server.rs"]
mod server;
#[expect(dead_code, reason = "a part of it is for stints without workers")]
#[path = "../stint_work/site.rs"]
mod site;
mod trouble;
mod work;

/// How a run says that it is done.
const DONE: &str = "everything is done";
/// How it says that it was stopped.
const STOPPED: &str = "stopped on request, with work left";
