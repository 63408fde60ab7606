//! The pure core of ralph: every decision, no effect.
//!
//! Owns the run's state machine, the plan, the settings, the agents' stream parsers and the judgement of
//! gates. Must never read a clock, a file, the environment or randomness: all of that arrives inside inputs.

pub mod agent_facts;
pub mod claim;
pub mod effect;
pub mod ending;
pub mod event;
pub mod evidence;
pub mod gates;
pub mod handoff;
pub mod ids;
pub mod input;
pub mod isolation;
pub mod memory;
pub mod network;
pub mod next_command;
pub mod notify;
pub mod outcome;
pub mod plan;
pub mod planning;
pub mod preflight;
pub mod prompt;
pub mod report;
pub mod review;
pub mod run;
pub mod settings;
pub mod stuck;
pub mod time;
pub mod timeline;
pub mod usage;
pub mod verdict;
pub mod vocabulary;
