//! The gateway of a box: the one way out of its empty network. It lives outside, as threads of ralph, and accepts
//! on a listener inside the box.
//!
//! A CONNECT request opens a tunnel to a host that the rules allow; a request below `/relay/NAME` is sent on with a
//! key that the box never sees. What is allowed is decided by `ralph_core::network`, never here.

mod dial;
mod gateway;
mod inbound;
mod lane;
mod ledger;
mod pipe;
mod proxy;
pub mod registries;
mod relay;
mod shared;
#[cfg(test)]
mod tests;
mod tunnel;
mod wait;
mod wire;

pub use gateway::{Gateway, Terms};
pub use proxy::{Proxy, base64};
