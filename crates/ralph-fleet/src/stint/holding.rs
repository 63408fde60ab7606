//! A stint that holds its branch: what it has, and what it can say of itself. How it goes on is its files' beside this one.

use super::{host::Host, line::Line, place::Folder};
use crate::{
    truth::{Claimed, Repository},
    wire::{StintEnd, StintInput, StintReport},
};

/// A stint that holds its branch.
pub(super) struct Stint<'a> {
    pub(super) host: &'a Host,
    pub(super) input: &'a StintInput,
    pub(super) line: &'a Line,
    pub(super) money: Option<u64>,
    pub(super) folder: Folder,
    pub(super) repository: Repository,
    pub(super) claimed: Claimed,
}

impl Stint<'_> {
    pub(super) fn report(&self, end: StintEnd, truth: String) -> StintReport {
        let took_over = self.claimed.took_over;
        let idle = StintReport::idle(end, &self.host.name);
        StintReport { truth, took_over, idle: false, ..idle }
    }
}
