//! Processes: started through the shim, drained in constant memory, ended as whole trees.

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
pub mod supervisor;
pub mod sweep;
mod tend;
pub mod tree;
pub(crate) mod unix;

pub use home::Home;
pub use lines::{Line, LineSplitter};
pub use listen::{Attention, Flow, Listener, Nobody, StopWhy, Stream};
pub use spec::{Containment, Enclosed, ProcessSpec};
pub use supervisor::{Finished, Graces, ProcessEnd, ProcessError, Supervisor};
pub use sweep::{Swept, sweep};
