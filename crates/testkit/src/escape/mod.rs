//! Attempts to get out of a box, made for real by a program inside it and judged by somebody outside. They are
//! harmless where they succeed: each leaves a mark, sends a word, or undoes at once what it did.

mod artist;
mod attempt;
mod devices;
mod files;
mod kernel;
mod network;
mod plants;
mod processes;
mod proxy;
mod reads;
mod repository;
pub mod sequence;
mod sockets;
mod state;
mod syscall;
mod welcome;
mod world;

pub use artist::perform;
pub use attempt::{Alone, Attempt, Proof, Tried};
pub use welcome::WELCOME;
pub use world::World;

/// Every attempt, group by group.
pub fn all() -> Vec<&'static Attempt> {
    [
        files::ATTEMPTS,
        reads::ATTEMPTS,
        repository::ATTEMPTS,
        plants::ATTEMPTS,
        state::ATTEMPTS,
        processes::ATTEMPTS,
        sockets::ATTEMPTS,
        network::ATTEMPTS,
        proxy::ATTEMPTS,
        kernel::ATTEMPTS,
        devices::ATTEMPTS,
    ]
    .into_iter()
    .flatten()
    .collect()
}
