//! Test kit: a scratch project for the real binary, a fake agent, the simulator. Never part of the product.

pub mod test_run;
