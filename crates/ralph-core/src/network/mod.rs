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
mod traffic;
mod upstream;

pub use address::{AddressProblem, problem_of as address_problem};
pub use body::{Body, BodyProblem};
pub use head::{Head, HeadProblem, Header, Start};
pub use hello::{Hello, read as read_hello};
pub use host::{Host, HostProblem, HostRule};
pub use relay::{RelayPlan, RelayProblem, RelayRule, Secret, model_hosts, relay_environment};
pub use requests::MOST_REQUESTS;
pub use rules::{Decision, NetworkRules, Why};
pub use traffic::{HostTraffic, Traffic};
pub use upstream::{Upstream, UpstreamProblem};
