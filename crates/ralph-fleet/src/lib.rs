//! Many loops on many machines: who works on a run, where its truth lies, and how people reach it. A run itself stays
//! what it is, the work of an ordinary `ralph` process.

mod activities;
mod address;
mod brake;
mod cli;
pub mod commands;
pub mod connect;
mod error;
pub mod hands;
mod journal;
pub mod metrics;
mod print;
pub mod search_attributes;
pub mod stint;
pub mod truth;
pub mod wire;
mod words;
pub mod worker;
pub mod workflow;
