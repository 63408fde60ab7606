//! `scripted-model`: a model for real CLIs, for scripts that are not written in Rust. Reads its steps from standard
//! input, one JSON object a line, prints its address, then a line for each step that was asked for, and serves until it
//! is killed.
//!
//! `{"when": "words", "runs": "command"}`, or `"says": "text"`, `"reports": {…}`, `"hangs": true`; `when` may be missing.

use std::{
    io::{self, BufRead as _, Write as _},
    time::Duration,
};

use serde_json::Value;
use testkit::model::{Model, Step};

/// Nobody scripts a longer pause.
const LONGEST: Duration = Duration::from_hours(24);

fn main() -> io::Result<()> {
    let lines: Vec<String> = io::stdin().lock().lines().collect::<io::Result<_>>()?;
    let steps: io::Result<Vec<Step>> = lines.iter().map(|line| step(line)).collect();
    let model = Model::start(steps?)?;
    let mut out = io::stdout();
    writeln!(out, "{}", model.url())?;
    for nth in 1.. {
        model.wait_for(nth, LONGEST)?;
        // Whoever started it may read no more than the address.
        let _ = writeln!(out, "asked {nth}");
    }
    Ok(())
}

fn step(line: &str) -> io::Result<Step> {
    let told: Value = serde_json::from_str(line)?;
    let text = |name: &str| told[name].as_str();
    let step = match (text("runs"), text("says"), told.get("reports")) {
        (Some(command), _, _) => Step::runs(command),
        (None, Some(words), _) => Step::says(words),
        (None, None, Some(report)) => Step::reports(report.clone()),
        (None, None, None) if told["hangs"] == true => Step::hangs(),
        (None, None, None) => return Err(io::Error::other(format!("no such step: {line}"))),
    };
    Ok(step.when(text("when").unwrap_or_default()))
}
