//! Which commands prove that work on a project is good, told from the files it has. Reads only.

use std::path::Path;

use ralph_core::gates::{
    kind::kind_of,
    report::{FailAction, GateKind},
};
use ralph_engine::project_file;

/// A gate that fits the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundGate {
    pub(crate) name: String,
    pub(crate) command: String,
    /// `test`, `lint`, `build` or `custom`.
    pub(crate) kind: &'static str,
    /// The file that told of it.
    pub(crate) from: &'static str,
    /// Where a failure's text goes in the next prompt.
    pub(crate) fail_action: FailAction,
    /// Told to the agent when it fails.
    pub(crate) hint: String,
}

impl FoundGate {
    fn new(kind: &'static str, command: impl Into<String>, from: &'static str) -> Self {
        Self {
            name: name_of(kind),
            command: command.into(),
            kind,
            from,
            fail_action: FailAction::Append,
            hint: String::new(),
        }
    }

    /// The same as a gate of another kind.
    #[must_use]
    pub(crate) fn of_kind(self, kind: &'static str) -> Self {
        Self { name: name_of(kind), kind, ..self }
    }

    /// A command that a person named.
    pub(crate) fn given(command: &str) -> Self {
        let kind = match kind_of(command) {
            GateKind::Test => "test",
            GateKind::Lint => "lint",
            GateKind::Build => "build",
            GateKind::Custom => "custom",
        };
        Self::new(kind, command, "--gate")
    }
}

fn name_of(kind: &str) -> String {
    if kind == "test" { "tests".into() } else { kind.into() }
}

/// All gates that fit, each with a name of its own. `has` tells whether a program is installed.
pub(crate) fn detect(folder: &Path, has: &dyn Fn(&str) -> bool) -> Vec<FoundGate> {
    let mut found = Vec::new();
    found.extend(cargo(folder, has));
    found.extend(node(folder));
    found.extend(python(folder));
    found.extend(go(folder));
    if !found.iter().any(|gate| gate.kind == "test") {
        found.extend(make(folder));
    }
    with_own_names(found)
}

/// Makes names unique, keeping the first of each.
pub(crate) fn with_own_names(mut gates: Vec<FoundGate>) -> Vec<FoundGate> {
    let mut taken: Vec<String> = Vec::new();
    for gate in &mut gates {
        let base = gate.name.clone();
        let mut nth = 2;
        while taken.contains(&gate.name) {
            gate.name = format!("{base}-{nth}");
            nth += 1;
        }
        taken.push(gate.name.clone());
    }
    gates
}

fn text(folder: &Path, name: &str) -> Option<String> {
    project_file::text(&folder.join(name), project_file::LARGEST_TEXT).ok()
}

fn cargo(folder: &Path, has: &dyn Fn(&str) -> bool) -> Vec<FoundGate> {
    if !folder.join("Cargo.toml").is_file() {
        return Vec::new();
    }
    let test = if has("cargo-nextest") { "cargo nextest run --no-fail-fast" } else { "cargo test" };
    let mut gates = vec![FoundGate::new("test", test, "Cargo.toml")];
    if has("cargo-clippy") {
        let command = "cargo clippy --all-targets -- -D warnings";
        gates.push(FoundGate::new("lint", command, "Cargo.toml"));
    }
    gates
}

fn node(folder: &Path) -> Vec<FoundGate> {
    let package = text(folder, "package.json")
        .and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let Some(package) = package else {
        return Vec::new();
    };
    let manager = [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lock", "bun"),
        ("bun.lockb", "bun"),
    ]
    .into_iter()
    .find(|(lock, _)| folder.join(lock).is_file())
    .map_or("npm", |(_, manager)| manager);
    let script = |name: &str| package["scripts"][name].as_str().map(str::to_owned);
    let mut gates = Vec::new();
    // What `npm init` writes always fails: it is a placeholder, not a test.
    if script("test").is_some_and(|test| !test.contains("no test specified")) {
        let command = format!("{manager} {}", if manager == "bun" { "run test" } else { "test" });
        gates.push(FoundGate::new("test", command, "package.json"));
    }
    for kind in ["lint", "build"] {
        if script(kind).is_some() {
            gates.push(FoundGate::new(kind, format!("{manager} run {kind}"), "package.json"));
        }
    }
    gates
}

fn python(folder: &Path) -> Vec<FoundGate> {
    let project = text(folder, "pyproject.toml");
    let mentions = |word: &str| project.as_deref().is_some_and(|text| text.contains(word));
    let runner = if folder.join("uv.lock").is_file() {
        "uv run "
    } else if folder.join("poetry.lock").is_file() {
        "poetry run "
    } else {
        ""
    };
    let is_there = |name: &str| folder.join(name).exists();
    let mut gates = Vec::new();
    let tested = mentions("pytest") || is_there("pytest.ini") || is_there("conftest.py");
    let python = project.is_some() || is_there("setup.py") || is_there("setup.cfg");
    if tested || (python && is_there("tests")) {
        let from = if project.is_some() { "pyproject.toml" } else { "pytest" };
        gates.push(FoundGate::new("test", format!("{runner}pytest"), from));
    }
    if mentions("[tool.ruff") || is_there("ruff.toml") {
        gates.push(FoundGate::new("lint", format!("{runner}ruff check ."), "ruff"));
    }
    gates
}

fn go(folder: &Path) -> Vec<FoundGate> {
    if !folder.join("go.mod").is_file() {
        return Vec::new();
    }
    vec![
        FoundGate::new("test", "go test ./...", "go.mod"),
        FoundGate::new("lint", "go vet ./...", "go.mod"),
    ]
}

fn make(folder: &Path) -> Vec<FoundGate> {
    let file =
        ["GNUmakefile", "makefile", "Makefile"].into_iter().find_map(|name| text(folder, name));
    let Some(file) = file else {
        return Vec::new();
    };
    let has_target = |name: &str| {
        file.lines().any(|line| {
            line.strip_prefix(name)
                .is_some_and(|rest| rest.trim_start().starts_with(':') && !rest.contains(":="))
        })
    };
    [("test", "test"), ("lint", "lint")]
        .into_iter()
        .filter(|(target, _)| has_target(target))
        .map(|(target, kind)| FoundGate::new(kind, format!("make {target}"), "Makefile"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files, installed programs, expected gates.
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a [&'a str]);

    fn detected(files: &[(&str, &str)], programs: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir();
        let Ok(folder) = folder else { panic!("no temporary folder") };
        for (name, content) in files {
            let path = folder.path().join(name);
            if let Some(parent) = path.parent() {
                assert!(std::fs::create_dir_all(parent).is_ok());
            }
            assert!(std::fs::write(path, content).is_ok());
        }
        detect(folder.path(), &|program| programs.contains(&program))
            .into_iter()
            .map(|gate| format!("{} [{}] {}", gate.name, gate.kind, gate.command))
            .collect()
    }

    #[test]
    fn projects_are_told_from_their_files() {
        let both = ["cargo-nextest", "cargo-clippy"];
        let scripts = r#"{"scripts":{"test":"vitest run","lint":"eslint .","build":"tsc"}}"#;
        let stub = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
        let table: [Case<'_>; 12] = [
            (&[], &[], &[]),
            (
                &[("Cargo.toml", "")],
                &both,
                &[
                    "tests [test] cargo nextest run --no-fail-fast",
                    "lint [lint] cargo clippy --all-targets -- -D warnings",
                ],
            ),
            (&[("Cargo.toml", "")], &[], &["tests [test] cargo test"]),
            (
                &[("package.json", scripts)],
                &[],
                &[
                    "tests [test] npm test",
                    "lint [lint] npm run lint",
                    "build [build] npm run build",
                ],
            ),
            (
                &[("package.json", r#"{"scripts":{"test":"x"}}"#), ("pnpm-lock.yaml", "")],
                &[],
                &["tests [test] pnpm test"],
            ),
            (
                &[("package.json", r#"{"scripts":{"test":"x"}}"#), ("bun.lock", "")],
                &[],
                &["tests [test] bun run test"],
            ),
            (&[("package.json", stub)], &[], &[]),
            (
                &[("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n"), ("uv.lock", "")],
                &[],
                &["tests [test] uv run pytest", "lint [lint] uv run ruff check ."],
            ),
            (&[("setup.py", ""), ("tests/test_a.py", "")], &[], &["tests [test] pytest"]),
            (
                &[("go.mod", "module x")],
                &[],
                &["tests [test] go test ./...", "lint [lint] go vet ./..."],
            ),
            (
                &[("Makefile", "test: build\n\tsh t.sh\ntesting := 1\n")],
                &[],
                &["tests [test] make test"],
            ),
            (
                &[
                    ("Cargo.toml", ""),
                    ("package.json", r#"{"scripts":{"test":"x"}}"#),
                    ("Makefile", "test:\n"),
                ],
                &[],
                &["tests [test] cargo test", "tests-2 [test] npm test"],
            ),
        ];
        for (files, programs, expected) in table {
            assert_eq!(detected(files, programs), expected, "{files:?}");
        }
    }

    #[test]
    fn a_named_command_gets_the_kind_its_programs_tell() {
        let kind = |command: &str| FoundGate::given(command).kind;
        assert_eq!(kind(".venv/bin/pytest"), "test");
        assert_eq!(kind("make check"), "test");
        assert_eq!(kind("cargo clippy"), "lint");
        assert_eq!(kind("make build"), "build");
        assert_eq!(kind("./check.sh"), "custom");
    }
}
