//! Words that plan, settings, machine and reports share. Must never know any of them.

mod kind;
mod network_preset;
mod review_mode;
mod stage;
mod steer;
mod violation;

pub use kind::Kind;
pub use network_preset::NetworkPreset;
pub use review_mode::ReviewMode;
pub use stage::Stage;
pub use steer::Steer;
pub use violation::Violation;
