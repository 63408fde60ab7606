//! `[claims]`, `[prompt]` and `[display]`: what agents are told and may say, and what people see.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an agent may claim completion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Claims {
    /// Text inside `<response>…</response>` that claims completion.
    pub completion_response: String,
    /// Other tags that claim completion, whole, such as `<done/>`.
    pub accept: Vec<String>,
    /// Start although nothing can verify the work; every result then says "unverified".
    pub trust_agent: bool,
}

impl Default for Claims {
    fn default() -> Self {
        Self { completion_response: "DONE".into(), accept: Vec::new(), trust_agent: false }
    }
}

/// Prompts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PromptSettings {
    /// Start each prompt with "Iteration X of Y, Z remaining."
    pub iteration_count: bool,
    /// Folder of specifications, for `${SPECS_DIR}`.
    pub specs_dir: String,
    /// Values for `${NAME}` in prompt files.
    pub vars: BTreeMap<String, String>,
}

impl Default for PromptSettings {
    fn default() -> Self {
        Self { iteration_count: false, specs_dir: "specs".into(), vars: BTreeMap::new() }
    }
}

/// What a run on a terminal shows at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Face {
    #[default]
    Console,
    Watch,
}

/// Which colours `ralph watch` uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThemeChoice {
    #[default]
    Auto,
    Light,
    Dark,
    Ansi,
}

/// What the console shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Display {
    /// What `ralph run` opens on a terminal: `console`, or `watch`, which `w` opens from the console too.
    pub face: Face,
    /// Colours of `ralph watch`: for a `light` or a `dark` background, or the terminal's own 16 (`ansi`). `auto` follows
    /// `COLORFGBG`.
    pub theme: ThemeChoice,
    /// Show what the agent does as it happens.
    pub stream: bool,
    /// Show emoji before lines.
    pub emoji: bool,
    /// Show the time before lines.
    pub timestamps: bool,
    /// Maximum lines of a tool's output to show.
    pub max_output_lines: usize,
    /// Maximum characters of a tool's output to show.
    pub max_output_chars: usize,
}

impl Default for Display {
    fn default() -> Self {
        Self {
            face: Face::default(),
            theme: ThemeChoice::default(),
            stream: true,
            emoji: false,
            timestamps: false,
            max_output_lines: 10,
            max_output_chars: 2000,
        }
    }
}
