//! Gates of a project with a `package.json`: its own scripts.

use super::{files::Files, found_gate::FoundGate};

const MANIFEST: &str = "package.json";

const LOCKS: [(&str, &str); 4] =
    [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lock", "bun"), ("bun.lockb", "bun")];

pub(super) fn gates(files: &Files<'_>) -> Vec<FoundGate> {
    let package = files.text(MANIFEST);
    let package = package.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let Some(package) = package else { return Vec::new() };
    let named = package["packageManager"].as_str().and_then(|text| text.split('@').next());
    let by_lock = LOCKS.into_iter().find(|(lock, _)| files.is_there(lock)).map(|(_, it)| it);
    let manager = by_lock.or(named).unwrap_or("npm");
    let script = |name: &str| package["scripts"][name].as_str();
    let mut gates = Vec::new();
    // What `npm init` writes always fails: it is a placeholder, not a test.
    if script("test").is_some_and(|test| !test.contains("no test specified")) {
        let command = format!("{manager} {}", if manager == "bun" { "run test" } else { "test" });
        gates.push(FoundGate::new("test", command, MANIFEST));
    }
    for kind in ["lint", "build"] {
        if script(kind).is_some() {
            gates.push(FoundGate::new(kind, format!("{manager} run {kind}"), MANIFEST));
        }
    }
    gates
}
