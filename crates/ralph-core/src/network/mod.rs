//! The network of a box: which hosts can be reached from it, and what its gateway reads off the wire.
//!
//! All of it is pure: names, addresses and bytes in, decisions with reasons out. Connections are the engine's.

mod address;
mod body;
mod head;
mod hello;
mod host;
mod relay;
mod requests;
mod rules;
mod upstream;

pub use address::{Owner, owner};
pub use body::Body;
pub use head::{Head, Header, RequestLine};
pub use hello::{Hello, read as read_hello};
pub use host::{Host, HostProblem, HostRule};
pub use relay::{RelayPlan, RelayProblem, RelayRule, Secret, model_hosts, relay_environment};
pub use requests::{MOST_REQUESTS, passes};
pub use rules::{Naming, NetworkRules, Why};
pub use upstream::{Upstream, UpstreamProblem};
