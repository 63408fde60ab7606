//! Throws broken streams at one agent's parser and checks what must hold whatever an agent prints.
//!
//! `FUZZ_PARSER` names the parser, `FUZZ_PLANT` a bug to plant in front of it. Run by `just fuzz`.
#![no_main]

mod check;
mod hear;
mod input;
// The engine's own file; the rest of the engine would only be built.
#[path = "../../crates/ralph-engine/src/process/lines.rs"]
mod lines;
mod mutate;
mod oracle;
mod planted;
mod rng;
mod told;
mod words;

use libfuzzer_sys::{fuzz_crossover, fuzz_mutator, fuzz_target, fuzzer_mutate};
use rng::Rng;

fuzz_target!(|data: &[u8]| check::all(data));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let mut rng = Rng::new(seed);
    if rng.one_in(5) {
        return fuzzer_mutate(data, size, max_size);
    }
    let mutated = mutate::mutate(&data[..size], &mut rng);
    write(&mutated, &mut data[..max_size])
});

fuzz_crossover!(|one: &[u8], other: &[u8], out: &mut [u8], seed: u32| {
    write(&mutate::cross(one, other, &mut Rng::new(seed)), out)
});

/// Writes as much as fits and tells how much that was.
fn write(text: &[u8], out: &mut [u8]) -> usize {
    let size = text.len().min(out.len());
    out[..size].copy_from_slice(&text[..size]);
    size
}
