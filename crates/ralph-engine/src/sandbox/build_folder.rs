//! Where cargo builds when that is outside the project. A folder of the machine is seen only on the user's own word, never
//! because a file of the project names it.

use std::path::{Path, PathBuf};

use super::{
    caches,
    layers::{Layers, Spare},
    machine::Machine,
    profile::Mount,
};
use crate::project_file;

/// The variable by which cargo is told inside.
pub(super) const VARIABLE: &str = "CARGO_TARGET_DIR";

/// What cargo leaves in each folder that it builds in: without it, the folder may hold anything.
const MARK: &str = "CACHEDIR.TAG";

/// In the place of a folder that a file of the project names.
const OWN: &str = ".cache/cargo-target";

/// Where cargo builds in the box, if that is outside the project and holds nothing else of the user's.
pub(super) fn outside(machine: &Machine, home: &Path, workspace: &Path) -> Option<PathBuf> {
    let held = [home, workspace, &machine.cache];
    let is_outside = |folder: &PathBuf| {
        let is_own = folder.starts_with(workspace);
        folder.is_absolute() && !is_own && !held.iter().any(|place| place.starts_with(folder))
    };
    let named = [VARIABLE, "CARGO_BUILD_TARGET_DIR"].iter().find_map(|name| machine.variable(name));
    if let Some(folder) = named {
        return Some(PathBuf::from(folder)).filter(is_outside);
    }
    if let Some(folder) = of_settings(&workspace.join(".cargo")) {
        let is_inside = folder.starts_with(workspace) && !folder.iter().any(|part| part == "..");
        return (!is_inside).then(|| home.join(OWN));
    }
    let moved = machine.variable("CARGO_HOME").map(PathBuf::from);
    of_settings(&moved.unwrap_or_else(|| home.join(".cargo"))).filter(is_outside)
}

/// Shows it, and keeps what is written out of it.
pub(super) fn mount(folder: PathBuf, machine: &Machine, layers: &Layers) -> Mount {
    let below = if folder.join(MARK).is_file() {
        folder.clone()
    } else {
        caches::nothing(&folder, machine)
    };
    layers.over(below, folder, Spare::Yes)
}

/// What cargo's settings in a folder say. A relative path there begins at the folder around that.
fn of_settings(folder: &Path) -> Option<PathBuf> {
    let texts = ["config", "config.toml"].iter();
    let texts =
        texts.map(|name| project_file::text(&folder.join(name), project_file::LARGEST_TEXT));
    let mut tables = texts.filter_map(|text| text.ok()?.parse::<toml::Table>().ok());
    let named =
        tables.find_map(|table| Some(table.get("build")?.get("target-dir")?.as_str()?.to_owned()));
    Some(folder.parent()?.join(named?))
}
