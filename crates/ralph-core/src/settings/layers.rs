//! The layers of settings as they come in: files, variables, flags.

use super::{Flag, Layer};

/// How a settings file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Toml,
    Json,
}

/// Whether a file's author may open the box, or only close it further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Written by the user of this machine.
    MayLoosen,
    /// May have come with a cloned repository.
    OnlyTighten,
}

/// One settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    pub layer: Layer,
    /// The path as people know it, for errors and origins.
    pub name: String,
    pub format: Format,
    pub trust: Trust,
    pub text: String,
}

/// One layer before it is read. The built-in one is always there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayerText {
    File(SettingsFile),
    /// Names and values; those that do not begin with `RALPH_` are passed over.
    Variables(Vec<(String, String)>),
    Flags(Vec<Flag>),
}

impl LayerText {
    /// Its place in the order.
    pub fn layer(&self) -> Layer {
        match self {
            Self::File(file) => file.layer,
            Self::Variables(_) => Layer::Env,
            Self::Flags(_) => Layer::Flags,
        }
    }

    /// Whether it may loosen.
    pub(super) fn trust(&self) -> Trust {
        match self {
            Self::File(file) => file.trust,
            Self::Variables(_) | Self::Flags(_) => Trust::MayLoosen,
        }
    }
}

/// The names of all files, variables and flags that hold settings, a later one wins. Values may be secret.
pub fn sources(layers: &[LayerText]) -> Vec<String> {
    let of = |layer: &LayerText| match layer {
        LayerText::File(file) => vec![file.name.clone()],
        LayerText::Variables(variables) => variables.iter().map(|(name, _)| name.clone()).collect(),
        LayerText::Flags(flags) => flags.iter().map(|flag| flag.name.clone()).collect(),
    };
    let mut layers: Vec<&LayerText> = layers.iter().collect();
    layers.sort_by_key(|layer| layer.layer());
    layers.into_iter().flat_map(of).collect()
}
