//! The work of one stint: claim a branch, bring its truth here, let an ordinary `ralph` work on it, publish what it
//! decides, hand over. Knows nothing of the engine that asked for it.

mod active;
mod allowed;
mod aside;
mod follow;
mod handover;
mod holding;
mod host;
mod leftover;
mod line;
mod local;
mod place;
mod publisher;
mod quota;
mod ralph;
mod reading;
mod refusal;
mod room;
mod tail;
mod tally;
mod watch;
mod wishes;
mod work;

#[cfg(test)]
pub(crate) use self::line::Touch;
pub(crate) use self::line::{CLAIMING, MATERIALISING};
pub use self::{
    allowed::Allowed,
    host::{Host, Lost},
    line::{Line, Publishing},
    quota::Quota,
    tally::Tally,
};
pub use crate::truth::Rank;
