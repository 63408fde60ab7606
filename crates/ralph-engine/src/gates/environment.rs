//! What of the caller's environment gates may see. They run code an agent wrote: no keys, no loader tricks.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
};

use crate::sandbox::environment::is_never;

/// The caller's environment without credentials, ralph's own variables, and what bends other programs.
pub fn gate_environment(
    caller: impl IntoIterator<Item = (OsString, OsString)>,
) -> Vec<(OsString, OsString)> {
    caller.into_iter().filter(|(name, _)| is_harmless(name)).collect()
}

/// Asks pytest for the names of failing tests, which a project's own settings may have turned off; words of the user's
/// own stay before it.
pub(super) fn name_failures(env: &mut BTreeMap<OsString, OsString>) {
    let options = env.entry("PYTEST_ADDOPTS".into()).or_default();
    options.push(if options.is_empty() { "-rfE" } else { " -rfE" });
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
    fn pytest_names_what_fails_whatever_it_was_asked_for() {
        let mut env = BTreeMap::new();
        name_failures(&mut env);
        let name = OsString::from("PYTEST_ADDOPTS");
        assert_eq!(env.get(&name), Some(&"-rfE".into()));
        env.insert(name.clone(), "-x -rs".into());
        name_failures(&mut env);
        assert_eq!(env.get(&name), Some(&"-x -rs -rfE".into()));
    }

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
