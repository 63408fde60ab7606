//! The rules of `rules.txt`: their texts, and the patterns that decide without Rust.

use std::sync::LazyLock;

use super::pattern::Pattern;
use crate::{
    call::Call,
    verdict::{Verdict, Walk},
};

static BLOCKS: LazyLock<Vec<Block>> = LazyLock::new(|| read(include_str!("rules.txt")));

/// One rule of the book.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) id: &'static str,
    pub(super) reason: &'static str,
    pub(super) instead: &'static str,
    patterns: Vec<Pattern>,
}

fn read(text: &'static str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((id, texts)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            let (reason, instead) = texts.split_once('|').unwrap_or((texts, ""));
            let (reason, instead) = (reason.trim(), instead.trim());
            blocks.push(Block { id, reason, instead, patterns: Vec::new() });
        } else if let (Some((programs, parts)), Some(block)) =
            (line.split_once(" :"), blocks.last_mut())
        {
            block.patterns.push(Pattern::read(programs, parts));
        }
    }
    blocks
}

/// The first rule of which a pattern fits.
pub(super) fn fitting(call: &Call) -> Option<&'static str> {
    let fits = |block: &&Block| block.patterns.iter().any(|pattern| pattern.fits(call));
    BLOCKS.iter().find(fits).map(|block| block.id)
}

/// A denial by a rule, with what it says.
pub(crate) fn deny<T>(id: &str) -> Walk<T> {
    let block = BLOCKS.iter().find(|block| block.id == id);
    let (reason, instead) = block.map_or(("", ""), |block| (block.reason, block.instead));
    Err(Box::new(Verdict::Deny { rule: id.into(), reason: reason.into(), instead: instead.into() }))
}

#[cfg(test)]
pub(super) fn blocks() -> &'static [Block] {
    &BLOCKS
}
