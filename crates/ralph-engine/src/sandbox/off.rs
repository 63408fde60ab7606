//! No sandbox: processes are held together and cleaned up as always, and can do what their user can do.

use ralph_core::isolation::NO_GUARANTEE;

use super::{
    backend::{Sandbox, Unfit},
    profile::Profile,
};
use crate::fence::Wrapping;

/// Only when somebody asked for it.
#[derive(Debug)]
pub struct Off;

impl Sandbox for Off {
    fn name(&self) -> &'static str {
        "off"
    }

    fn probe(&self) -> Result<(), Unfit> {
        Ok(())
    }

    fn wrap(&self, _: &Profile) -> Wrapping {
        Wrapping::default()
    }

    fn describe(&self) -> &'static str {
        NO_GUARANTEE
    }
}
