//! The `ralph` binary.

mod exit;
mod reporters;
mod words;

fn main() {}
