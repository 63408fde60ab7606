//! A parser for the shell's language, as far as a guard needs it: structure, words, what expands inside them.
//! It must never expand or judge anything.

mod commands;
mod compound;
mod cursor;
pub(super) mod escapes;
mod here;
mod tree;
mod words;

#[cfg(test)]
mod tests;

pub(super) use commands::parse;
pub(super) use tree::{
    Assignment, Body, Command, Joint, Op, Param, Piece, Pipeline, Redirect, Script, Simple, Target,
    Way, Word,
};
