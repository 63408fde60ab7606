//! Processes: started through the shim, drained in constant memory, ended as whole trees.

mod finished;
pub mod home;
mod launch;
pub mod lines;
pub mod listen;
#[cfg(target_os = "linux")]
mod namespace;
mod pipes;
mod pump;
pub mod shim;
pub mod spec;
mod status;
mod supervise;
pub mod supervisor;
pub mod sweep;
mod tend;
pub mod tree;

pub use finished::{Finished, ProcessEnd, ProcessError};
pub use home::Home;
pub use lines::{Line, LineSplitter};
pub use listen::{Attention, Flow, Listener, Nobody, StopWhy, Stream};
pub use spec::{Containment, Enclosed, ProcessSpec};
pub use supervisor::{Graces, Supervisor};
pub use sweep::{Swept, sweep};
