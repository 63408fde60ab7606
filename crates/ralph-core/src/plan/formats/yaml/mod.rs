//! YAML: the fields of `plan.json`, and tasks of other tools in their spellings.

mod back;
mod format;
mod places;
mod read;
mod write;

pub(super) use format::Yaml;
