//! What checks of the settings found. Must never check anything itself.

use crate::settings::{
    Layer,
    error::{Fault, SettingsError},
    node::Node,
};

/// What makes no sense, with where it was said.
pub struct Findings<'a> {
    pub(super) tree: &'a Node,
    pub(super) errors: Vec<SettingsError>,
}

impl Findings<'_> {
    /// Notes that the value of this key cannot be meant, why, and what to do.
    pub fn add(&mut self, key: impl Into<String>, why: impl Into<String>, help: impl Into<String>) {
        let (key, help) = (key.into(), help.into());
        let at = self.tree.origin_of(&key);
        let fault = Fault::Senseless { key, why: why.into() };
        self.errors.push(SettingsError { at, fault, help });
    }

    /// Which layer said the value of this key.
    pub(super) fn layer_of(&self, key: &str) -> Layer {
        self.tree.origin_of(key).layer
    }
}
