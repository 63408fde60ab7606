//! Finds the simple commands in a shell line, as far as one can without being a shell.

use super::RUNNERS;

/// Whether a known test runner is called by this shell command.
pub fn is_test_command(command: &str) -> bool {
    simple_commands(command).iter().any(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        RUNNERS.iter().any(|runner| (runner.is_called_by)(&words))
    })
}

/// A program's name without its folder.
pub(super) fn program(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The words of each command between `&&`, `||`, `;`, `|` and line breaks, without leading assignments and wrappers.
fn simple_commands(command: &str) -> Vec<Vec<String>> {
    command
        .split(['\n', ';', '|', '&', '(', ')'])
        .filter_map(|part| shell_words::split(part).ok())
        .map(|words| words.into_iter().skip_while(|word| is_prefix(word)).collect::<Vec<_>>())
        .filter(|words| !words.is_empty())
        .collect()
}

fn is_prefix(word: &str) -> bool {
    const WRAPPERS: [&str; 12] = [
        "env", "time", "nice", "exec", "command", "npx", "bunx", "pnpm", "yarn", "uv", "poetry",
        "run",
    ];
    let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    });
    is_assignment || WRAPPERS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_runners_are_recognised_by_their_command() {
        for command in [
            "cargo test",
            "cargo +nightly test --workspace",
            "cargo --locked nextest run",
            "RUST_BACKTRACE=1 cargo nextest run --no-fail-fast",
            "cd app && npx jest --ci",
            "./node_modules/.bin/vitest run",
            "python -m pytest -q",
            "uv run pytest",
            "python3.12 -m pytest",
            "go test ./...",
            "cargo fmt --check && cargo t",
            "set -e; go vet ./...; go test -race ./...",
        ] {
            assert!(is_test_command(command), "{command}");
        }
    }

    #[test]
    fn other_commands_are_not_taken_for_test_runners() {
        for command in [
            "make test",
            "cargo build --tests",
            "cargo clippy --all-targets",
            "cargo run -- test",
            "echo cargo test",
            "go vet ./...",
            "cat pytest.ini",
            "",
            "echo 'unclosed",
        ] {
            assert!(!is_test_command(command), "{command}");
        }
    }
}
