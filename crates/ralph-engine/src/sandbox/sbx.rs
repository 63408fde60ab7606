//! Docker's `sbx`: a small virtual machine with a clone of the repository. Known by name and refused so far.

use super::{
    backend::{Sandbox, Unfit},
    profile::Profile,
};
use crate::fence::{Fence, Wrapping};

const PROGRAM: &str = "sbx";

/// Only by name: it needs a login at Docker and a machine that can host virtual machines.
#[derive(Debug)]
pub(super) struct Sbx;

impl Sandbox for Sbx {
    fn name(&self) -> &'static str {
        "sbx"
    }

    fn probe(&self) -> Result<(), Unfit> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        if !std::env::split_paths(&path).any(|folder| folder.join(PROGRAM).is_file()) {
            return Err(Unfit::Missing { program: PROGRAM });
        }
        // Inside the machine there is no ralph that could hold the agent's processes together.
        let detail = "this version of ralph cannot run agents in it yet";
        Err(Unfit::Refused { program: PROGRAM, detail: detail.into() })
    }

    /// Never asked for, since the probe refuses; the program alone starts nothing.
    fn wrap(&self, _: &Profile) -> Wrapping {
        Wrapping { before: vec![PROGRAM.into()], shim: None, fence: Fence::default() }
    }

    fn describe(&self) -> &'static str {
        "sbx: the agent works on a clone in a virtual machine of its own; what it commits is fetched, and runs on your \
         machine only when you run it"
    }
}
