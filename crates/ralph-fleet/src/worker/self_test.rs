//! Whether this host can hold agents at all. The question is `ralph doctor`'s; only what every loop needs is asked.

use anyhow::{Context as _, bail};
use serde::Deserialize;
use tokio::process::Command;

use crate::stint::Host;

/// Without these no agent may be started, whatever the project says.
const NEEDED: [&str; 2] = ["git", "sandbox"];

/// Whether hands prove themselves before they poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelfTest {
    Needed,
    /// For tests of something else.
    Spared,
}

#[derive(Deserialize)]
struct Report {
    checks: Vec<Check>,
}

#[derive(Deserialize)]
struct Check {
    name: String,
    health: String,
    detail: String,
    fix: Option<String>,
}

impl SelfTest {
    pub(super) async fn pass(self, host: &Host) -> anyhow::Result<()> {
        if self == Self::Spared {
            return Ok(());
        }
        tokio::fs::create_dir_all(&host.root)
            .await
            .with_context(|| format!("cannot use {}", host.root.display()))?;
        let asked = Command::new(&host.ralph)
            .arg("-C")
            .arg(&host.root)
            .args(["doctor", "--json"])
            .output()
            .await;
        let output = asked.with_context(|| {
            format!("cannot start {}: name the program with --ralph", host.ralph.display())
        })?;
        let report: Report = serde_json::from_slice(&output.stdout).with_context(|| {
            let said = String::from_utf8_lossy(&output.stderr);
            format!("{} doctor --json printed no report: {}", host.ralph.display(), said.trim())
        })?;
        judge(&report)
    }
}

fn judge(report: &Report) -> anyhow::Result<()> {
    for name in NEEDED {
        let Some(check) = report.checks.iter().find(|check| check.name == name) else {
            bail!(
                "ralph doctor does not report on {name}: install the same version of ralph and ralph-fleet"
            );
        };
        if check.health == "bad" {
            let fix = check.fix.as_deref().unwrap_or("see ralph doctor");
            bail!(
                "this host cannot run agents: {name}: {}; {fix}; the worker does not poll until then",
                check.detail
            );
        }
    }
    Ok(())
}
