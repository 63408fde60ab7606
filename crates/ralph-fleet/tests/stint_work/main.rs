//! Stints with real parts: the real ralph (`RALPH_BIN`) in its sandbox, a real remote, a scripted agent.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod handover;
mod lease;
mod leftover;
mod people;
mod refused;
#[path = "../remote/mod.rs"]
mod remote;
mod site;
mod taken_over;
mod takeover;
