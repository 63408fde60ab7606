//! A parser for the shell's language, as far as a guard needs it: structure, words, what expands inside them.
//! It must never expand or judge anything.

mod commands;
mod compound;
mod cursor;
mod escapes;
mod tree;
mod words;

#[cfg(test)]
mod tests;

pub(crate) use commands::parse;
pub(crate) use escapes::unescape;
pub(crate) use tree::{
    Body, Command, Param, Piece, Pipeline, Redirect, Script, Simple, Target, Way, Word,
};
