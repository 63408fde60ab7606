//! What a gate is about, by the names of the programs that its command calls.

use super::{
    report::GateKind,
    runners::{RUNNERS, program, simple_commands, unwrapped},
};

/// Programs that do what one of their arguments names.
const TASK_RUNNERS: &str = "bun cargo dart deno dotnet flutter go gmake gradle gradlew just make manage.py mix mvn mvnw \
                            ninja npm pnpm rake swift task yarn zig";

const LINTERS: &str = "biome eslint flake8 golangci-lint mypy ruff shellcheck";

/// The kind of a shell command.
pub fn kind_of(command: &str) -> GateKind {
    let commands = simple_commands(command);
    let kinds = commands
        .iter()
        .filter_map(|words| kind_of_one(&words.iter().map(String::as_str).collect::<Vec<_>>()));
    foremost(kinds).unwrap_or(GateKind::Custom)
}

/// What does several things is about tests before lints, and lints before builds.
fn foremost(kinds: impl Iterator<Item = GateKind>) -> Option<GateKind> {
    let kinds: Vec<GateKind> = kinds.collect();
    [GateKind::Test, GateKind::Lint, GateKind::Build].into_iter().find(|kind| kinds.contains(kind))
}

fn kind_of_one(words: &[&str]) -> Option<GateKind> {
    let inner = unwrapped(words);
    if RUNNERS.iter().any(|runner| (runner.is_called_by)(inner)) {
        return Some(GateKind::Test);
    }
    // `npm` and its like run programs by name as well as tasks.
    kind_by_name(inner).or_else(|| kind_by_name(words))
}

fn kind_by_name(words: &[&str]) -> Option<GateKind> {
    let (first, arguments) = words.split_first()?;
    let name = program(first);
    if is_one_of(name, LINTERS) {
        return Some(GateKind::Lint);
    }
    if !is_one_of(name, TASK_RUNNERS) {
        // `test -f x` is the shell's own.
        return if name == "test" { None } else { kind_by_task(name) };
    }
    if ["make", "gmake"].contains(&name) && arguments.contains(&"check") {
        return Some(GateKind::Test);
    }
    let tasks = arguments.iter().take_while(|word| **word != "--");
    foremost(tasks.filter(|word| !word.starts_with('-')).filter_map(|task| kind_by_task(task)))
}

fn is_one_of(name: &str, list: &str) -> bool {
    list.split(' ').any(|one| one == name)
}

/// By the words of `test:unit`, `run-tests.sh` or `lint`.
fn kind_by_task(task: &str) -> Option<GateKind> {
    task.split([':', '-', '_', '.']).find_map(|word| match word {
        "test" | "tests" => Some(GateKind::Test),
        "lint" | "clippy" | "vet" => Some(GateKind::Lint),
        "build" => Some(GateKind::Build),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_kind(kind: GateKind, commands: &[&str]) {
        for command in commands {
            assert_eq!(kind_of(command), kind, "{command}");
        }
    }

    #[test]
    fn test_runners_are_recognised_wherever_they_lie_and_whoever_calls_them() {
        assert_kind(
            GateKind::Test,
            &[
                "cargo test",
                "cargo +nightly test --workspace",
                "cargo --locked nextest run",
                "RUST_BACKTRACE=1 cargo nextest run --no-fail-fast",
                "cd app && npx jest --ci",
                "./node_modules/.bin/vitest run",
                ".venv/bin/pytest",
                "python -m pytest -q",
                ".venv/bin/python3.12 -m pytest",
                "uv run pytest",
                "uv run --frozen pytest",
                "npx mocha",
                "npm exec -- mocha",
                "yarn vitest run",
                "node --test",
                "node --test-reporter=spec --test test/",
                "python3 -m unittest discover -s tests",
                "python manage.py test",
                "coverage run -m unittest",
                "bats test",
                "ctest --test-dir build",
                "bundle exec rspec",
                "vendor/bin/phpunit tests",
                "./mvnw verify",
                "dotnet test",
                "deno test",
                "bun test",
                "go test ./...",
                "cargo fmt --check && cargo t",
                "set -e; go vet ./...; go test -race ./...",
            ],
        );
    }

    #[test]
    fn tasks_are_recognised_by_their_names() {
        assert_kind(
            GateKind::Test,
            &[
                "make check",
                "make test",
                "make -C app lint test",
                "npm test",
                "npm run test:unit",
                "pnpm test",
                "bun run test",
                "just test",
                "./gradlew test",
                "./run-tests",
                "sh test.sh",
            ],
        );
        assert_kind(GateKind::Lint, &["npm run lint", "just lint", "cargo clippy", "go vet ./..."]);
        assert_kind(GateKind::Lint, &["uv run ruff check .", "npx eslint .", "scripts/lint.sh"]);
        assert_kind(GateKind::Build, &["make build", "npm run build", "cargo build --tests"]);
    }

    #[test]
    fn other_commands_are_not_taken_for_tests() {
        assert_kind(
            GateKind::Custom,
            &[
                "cargo run -- test",
                "echo cargo test",
                "cat pytest.ini",
                "test -f README.md",
                "command -v pytest",
                "node server.js",
                "python app.py",
                "just check",
                "make verify",
                "./check.sh",
                "",
                "echo 'unclosed",
            ],
        );
    }
}
