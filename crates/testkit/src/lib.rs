//! Test kit: a scratch project for the real binary, and the simulator of whole runs. Never part of the product.

pub mod kill;
pub mod sim;
pub mod test_run;
