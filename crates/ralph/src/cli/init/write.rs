//! The files of `ralph init`, written whole. Nothing of a person's is replaced but the settings, if that was said.

use std::path::Path;

use ralph_core::plan::prd;
use ralph_engine::git;

use super::{
    choices::Choices,
    folder::{self, Existing},
    settings_text,
};
use crate::{diagnostics::CommandError, exit};

/// What goes beside the settings.
pub(super) struct Wanted<'a> {
    /// What the work belongs to.
    pub(super) project: &'a str,
    /// Text of a plan, if one is to be written.
    pub(super) plan: Option<String>,
}

/// Writes everything; gives the names of what was written.
pub(super) fn all(
    root: &Path,
    (choices, text): (&Choices, &str),
    wanted: &Wanted<'_>,
) -> Result<Vec<&'static str>, CommandError> {
    if choices.makes_repository {
        make_repository(root)?;
    }
    let views = root.join(".ralph");
    let settings = views.join("settings.toml");
    if settings.exists() {
        keep_old(&settings)?;
    }
    folder::write(&settings, text, Existing::Replace)?;
    let mut wrote = vec![".ralph/settings.toml"];
    let ignored =
        if choices.is_private { settings_text::GITIGNORE_ALL } else { settings_text::GITIGNORE };
    if folder::write(&views.join(".gitignore"), ignored, Existing::Keep)? {
        wrote.push(".ralph/.gitignore");
    }
    let schema = views.join("settings.schema.json");
    if folder::write(&schema, &ralph_core::settings::schema(), Existing::Replace)? {
        wrote.push(".ralph/settings.schema.json");
    }
    if folder::write(&views.join("prd.md"), &prd::scaffold(wanted.project), Existing::Keep)? {
        wrote.push(".ralph/prd.md");
    }
    if let Some(plan) = &wanted.plan
        && folder::write(&views.join("plan.json"), plan, Existing::Keep)?
    {
        wrote.push(".ralph/plan.json");
    }
    Ok(wrote)
}

/// The settings as they were stay beside the new ones.
fn keep_old(settings: &Path) -> Result<(), CommandError> {
    let old = settings.with_extension("toml.old");
    std::fs::rename(settings, &old).map_err(CommandError::file("rename", settings))
}

fn make_repository(root: &Path) -> Result<(), CommandError> {
    git::init(root).map_err(|error| {
        CommandError::new(
            exit::WORKSPACE,
            format!("git init failed in {}", root.display()),
            "run git init yourself, then ralph init",
        )
        .because(vec![error.to_string()])
    })
}
