//! What of the caller's environment gates may see. They run code an agent wrote: no keys, no loader tricks.

use std::ffi::{OsStr, OsString};

use crate::sandbox::environment::is_never;

/// The caller's environment without credentials, ralph's own variables, and what bends other programs.
pub fn gate_environment(
    caller: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    caller.into_iter().filter(|(name, _)| is_harmless(name)).collect()
}

fn is_harmless(name: &OsStr) -> bool {
    const STARTS: [&str; 7] =
        ["RALPH_", "ANTHROPIC_", "CLAUDE_", "CLAUDECODE", "OPENAI_", "CODEX_", "GEMINI_"];
    const ENDS: [&str; 6] =
        ["_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_ACCESS_KEY", "_CREDENTIALS"];
    let name = name.to_string_lossy();
    !is_never(&name)
        && !STARTS.iter().any(|start| name.starts_with(start))
        && !ENDS.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_loader_variables_stay_outside() {
        let names = [
            "PATH",
            "HOME",
            "CI",
            "CARGO_HOME",
            "RUST_BACKTRACE",
            "http_proxy",
            "GIT_DIR",
            "LD_PRELOAD",
            "ANTHROPIC_API_KEY",
            "NPM_TOKEN",
            "SOME_PASSWORD",
            "RALPH_RUN_ID",
            "BASH_ENV",
        ];
        let caller = names.map(|name| (OsString::from(name), OsString::from("x")));
        let kept: Vec<_> = gate_environment(caller).into_iter().map(|(name, _)| name).collect();
        assert_eq!(kept, ["PATH", "HOME", "CI", "CARGO_HOME", "RUST_BACKTRACE", "http_proxy"]);
    }
}
