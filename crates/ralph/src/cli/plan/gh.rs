//! GitHub through its own program, `gh`: which issues there are. What issues say is only passed on.

use std::{path::Path, process::Stdio};

use ralph_core::plan::formats::GH_FIELDS;
use ralph_engine::git::Repository;

use crate::{diagnostics::CommandError, session::probe};

/// Most issues that are listed.
const MOST: &str = "1000";

/// The query of `github:QUERY` or `gh:QUERY`; empty if there is none.
pub(super) fn query(from: &str) -> Option<&str> {
    let rest = from.strip_prefix("github").or_else(|| from.strip_prefix("gh"))?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix(':').map(str::trim) }
}

/// Open issues, or those that a query finds, as JSON.
pub(super) fn issues(query: &str, root: &Path) -> Result<String, CommandError> {
    let names_state = ["is:", "state:"].iter().any(|word| query.contains(word));
    let state = if names_state { "all" } else { "open" };
    let mut args = vec!["issue", "list", "--state", state, "--limit", MOST, "--json", GH_FIELDS];
    if !query.is_empty() {
        args.extend(["--search", query]);
    }
    ask(&args, root)
}

fn ask(args: &[&str], root: &Path) -> Result<String, CommandError> {
    let repository = Repository::discover(root).map_err(CommandError::from)?;
    // It asks git for the remotes, which needs no worktree.
    let output = probe::outside(root)
        .command_for("gh")
        .args(args)
        .env("GIT_DIR", repository.git_dir())
        .env("GH_PROMPT_DISABLED", "1")
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            let help = "install the GitHub CLI (gh), then run gh auth login";
            CommandError::usage("cannot run gh", help).because(vec![error.to_string()])
        })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let why = said.lines().filter(|line| !line.trim().is_empty()).take(10).map(str::to_owned);
    let what = format!("gh {} failed", args.get(..2).unwrap_or_default().join(" "));
    let help = "gh auth status shows whether you are logged in; the project needs a GitHub remote";
    Err(CommandError::usage(what, help).because(why.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_mean_github() {
        let cases = [
            ("github", Some("")),
            ("gh", Some("")),
            ("github:label:ralph", Some("label:ralph")),
            ("gh: is:open x", Some("is:open x")),
            ("github.json", None),
            ("ghost.md", None),
            ("./gh", None),
        ];
        for (from, expected) in cases {
            assert_eq!(query(from), expected, "{from}");
        }
    }
}
