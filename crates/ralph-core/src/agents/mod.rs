//! Agents: how each is started, how its stream is read, how its endings are told apart.

pub mod event;
