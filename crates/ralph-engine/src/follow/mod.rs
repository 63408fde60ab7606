//! A run in the order in which it happened, read from its journal and from what its calls and gates left on disk,
//! while it goes on or afterwards. The one reader of those files. Reads only.

mod call_log;
mod follower;
mod tail;

pub use call_log::CallLog;
pub use follower::{FollowError, Follower};
pub use tail::Tail;
