//! Hooks: what an agent's CLI tells about a session while it goes on, and what ralph answers.
//!
//! Pure: the text of an event comes in, an answer goes out. What an answer needs of the world (how full the context is,
//! where a link leads, what was said before) is looked up by the caller. Must never end an agent: at worst it says no.

mod call;
mod context;
mod event;
mod finish;
mod input;
mod judge;
mod meter;
mod target;
mod tool;
mod wiring;

pub use call::{CALL_FILE, Call, Memo};
pub use context::{Fill, WINDOW};
pub use event::{Answer, HookEvent};
pub use input::HookInput;
pub use judge::{post_tool_use, pre_tool_use, session_start, stop, uncommitted, unreadable};
pub use meter::{Meter, in_tail};
pub use wiring::{Host, wiring};
