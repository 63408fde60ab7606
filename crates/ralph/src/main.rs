//! The `ralph` binary.

#[cfg_attr(not(test), expect(dead_code, reason = "the command line calls it once it is wired up"))]
mod cli;
#[cfg_attr(not(test), expect(dead_code, reason = "the command line calls it once it is wired up"))]
mod env_vars;
#[cfg_attr(not(test), expect(dead_code, reason = "the command line calls it once it is wired up"))]
mod files;

fn main() {}
