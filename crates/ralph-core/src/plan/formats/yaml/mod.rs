//! YAML: the fields of `plan.json`, and tasks of other tools in their spellings.

mod format;
mod read;
mod write;

pub(super) use format::FORMAT;
