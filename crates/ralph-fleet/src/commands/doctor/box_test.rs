//! Whether agents can be kept in on this machine: asks the `ralph` that would work here.

use std::path::Path;

use serde::Deserialize;

use super::check::Check;
use crate::{
    commands::{git, which_ralph},
    error::exit,
};

const NAME: &str = "box";

#[derive(Deserialize)]
struct Report {
    version: String,
    checks: Vec<One>,
}

#[derive(Deserialize)]
struct One {
    name: String,
    health: String,
    detail: String,
    fix: Option<String>,
}

/// Asks `ralph doctor` in an empty repository, where only the machine counts.
pub(super) fn check(named: Option<&Path>) -> Check {
    let ralph = match which_ralph::find(named) {
        Ok(ralph) => ralph,
        Err(error) => return Check::failed(NAME, &error),
    };
    let same = "install the same version of ralph and ralph-fleet";
    let Some(Report { version, checks }) = ask(&ralph) else {
        let detail = format!("{} doctor --json printed no report", ralph.display());
        return Check::bad(NAME, detail, same, exit::USAGE);
    };
    let own = env!("CARGO_PKG_VERSION");
    if version != own {
        let detail = format!("{} is version {version}, ralph-fleet is {own}", ralph.display());
        return Check::bad(NAME, detail, same, exit::USAGE);
    }
    let Some(found) = checks.into_iter().find(|check| check.name == "sandbox") else {
        return Check::bad(NAME, "ralph doctor does not report on a sandbox", same, exit::USAGE);
    };
    let fix = found.fix.unwrap_or_default();
    match found.health.as_str() {
        "ok" => Check::ok(NAME, found.detail),
        "warning" => Check::warning(NAME, found.detail, fix),
        _ => Check::bad(NAME, found.detail, fix, exit::REFUSED),
    }
}

fn ask(ralph: &Path) -> Option<Report> {
    let scratch = tempfile::tempdir().ok()?;
    git::must(scratch.path(), &["init", "--quiet", "."]).ok()?.ok()?;
    let mut command = std::process::Command::new(ralph);
    let output = command.arg("-C").arg(scratch.path()).args(["doctor", "--json"]).output().ok()?;
    serde_json::from_slice(&output.stdout).ok()
}
