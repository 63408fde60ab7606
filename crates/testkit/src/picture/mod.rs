//! Pictures of a terminal: what a program drew on it, as a still or as a film, in SVG. Needs no font, script or network.

mod film;
mod frames;
mod row;

pub use film::{film, still};
pub use frames::{Frame, frames};
