//! Answers an agent's hooks: reads what an answer needs from the disk and lets the core decide.
//!
//! Must be quick, since it runs at every tool call, and must never fail: what cannot be read or written is passed over,
//! except a tool call, which is denied where no person looks.

mod answer;
mod full;
mod outside;
mod remember;

pub use answer::{answer, call_at};
pub use outside::answer_outside;
