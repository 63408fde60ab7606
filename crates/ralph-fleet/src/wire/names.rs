//! Names that the engine knows: of the workflow, of queues, of a failure.

/// The type of the workflow that is a loop.
pub const LOOP: &str = "ralph.loop.v1";

/// The queue of those who decide and hold no agent; all workflows run there, whatever their account.
pub const BRAIN_QUEUE: &str = "ralph-brain";

/// The queue of the hands of one account.
pub fn account_queue(account: &str) -> String {
    format!("acct:{account}")
}

/// The queue of one host, for words to the stints that it holds.
pub fn host_queue(host: &str) -> String {
    format!("host:{host}")
}

/// What a host says that leaves a stint to others: they can do it.
pub(crate) const REFUSED: &str = "Refused";
