//! Gates of a Cargo project.

use super::{files::Files, found_gate::FoundGate};

const MANIFEST: &str = "Cargo.toml";

pub(super) fn gates(files: &Files<'_>) -> Vec<FoundGate> {
    let Some(manifest) = files.text(MANIFEST) else { return Vec::new() };
    let manifest: toml::Table = manifest.parse().unwrap_or_default();
    // At the root of such a workspace, cargo takes only the root's own package.
    let is_both = manifest.contains_key("package") && manifest.contains_key("workspace");
    let all = if is_both { " --workspace" } else { "" };
    let uses_nextest = files.is_there(".config/nextest.toml") || files.runs("nextest");
    let test = if uses_nextest && files.is_installed("cargo-nextest") {
        format!("cargo nextest run{all} --no-fail-fast")
    } else {
        format!("cargo test{all}")
    };
    let mut gates = vec![FoundGate::new("test", test, MANIFEST)];
    if files.runs("clippy") {
        let as_ci = files.command("cargo clippy");
        let usual = || format!("cargo clippy{all} --all-targets -- -D warnings");
        gates.push(FoundGate::new("lint", as_ci.unwrap_or_else(usual), "CI"));
    }
    gates
}
