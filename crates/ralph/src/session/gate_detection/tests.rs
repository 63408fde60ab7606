//! Which gates are found in which projects.

use super::*;

/// Files, installed programs, expected gates.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a [&'a str]);

fn detected_in(files: &[(&str, &str)], programs: &[&str], below: &str) -> Vec<String> {
    let folder = tempfile::tempdir();
    let Ok(folder) = folder else { panic!("no temporary folder") };
    for (name, content) in files {
        let path = folder.path().join(name);
        if let Some(parent) = path.parent() {
            assert!(std::fs::create_dir_all(parent).is_ok());
        }
        assert!(std::fs::write(path, content).is_ok());
    }
    let has = |program: &str| programs.contains(&program);
    detect(folder.path(), &folder.path().join(below), &has)
        .into_iter()
        .map(|gate| format!("{} [{}] {}", gate.name, gate.kind, gate.line()))
        .collect()
}

fn assert_detected(table: &[Case<'_>]) {
    for (files, programs, expected) in table {
        assert_eq!(detected_in(files, programs, ""), *expected, "{files:?}");
    }
}

#[test]
fn cargo_is_run_as_the_project_runs_it() {
    let both = ["cargo-nextest", "cargo-clippy"];
    let ci = ".github/workflows/ci.yml";
    assert_detected(&[
        (&[], &[], &[]),
        (&[("Cargo.toml", "[package]")], &both, &["tests [test] cargo test"]),
        (
            &[("Cargo.toml", "[workspace]"), ("justfile", "t:\n  cargo nextest run\n")],
            &both,
            &["tests [test] cargo nextest run --no-fail-fast"],
        ),
        (
            &[("Cargo.toml", "[package]\n[workspace]"), (ci, "args: clippy")],
            &[],
            &[
                "tests [test] cargo test --workspace",
                "lint [lint] cargo clippy --workspace --all-targets -- -D warnings",
            ],
        ),
        (
            &[("Cargo.toml", ""), (ci, "- run: cargo clippy --all-features")],
            &both,
            &["tests [test] cargo test", "lint [lint] cargo clippy --all-features"],
        ),
    ]);
}

#[test]
fn scripts_of_a_package_are_its_gates() {
    let scripts = r#"{"scripts":{"test":"vitest run","lint":"eslint .","build":"tsc"}}"#;
    let stub = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
    let x = ("package.json", r#"{"scripts":{"test":"x"}}"#);
    assert_detected(&[
        (
            &[("package.json", scripts)],
            &[],
            &["tests [test] npm test", "lint [lint] npm run lint", "build [build] npm run build"],
        ),
        (&[x, ("pnpm-lock.yaml", "")], &[], &["tests [test] pnpm test"]),
        (&[x, ("bun.lock", "")], &[], &["tests [test] bun run test"]),
        (
            &[("package.json", r#"{"scripts":{"test":"x"},"packageManager":"pnpm@9.1.0"}"#)],
            &[],
            &["tests [test] pnpm test"],
        ),
        (&[("package.json", stub)], &[], &[]),
        (&[("composer.json", r#"{"scripts":{"test":"x"}}"#)], &[], &["tests [test] composer test"]),
    ]);
}

#[test]
fn python_is_run_in_its_own_environment() {
    let pytest = ("pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n");
    assert_detected(&[
        (&[pytest, ("uv.lock", "")], &["uv"], &["tests [test] uv run pytest"]),
        (
            &[pytest, ("tox.ini", "commands = ruff check src\n"), (".venv/bin/pytest", "")],
            &[],
            &["tests [test] .venv/bin/pytest", "lint [lint] ruff check src"],
        ),
        (&[("setup.py", ""), ("tests/test_a.py", "")], &["pytest"], &["tests [test] pytest"]),
        (
            &[("setup.py", ""), ("tests/test_a.py", "")],
            &[],
            &["tests [test] python3 -m unittest discover -s tests"],
        ),
        (
            &[("manage.py", "import django"), ("venv/bin/python", "")],
            &[],
            &["tests [test] venv/bin/python manage.py test"],
        ),
        (&[("setup.py", "")], &["pytest"], &[]),
    ]);
}

#[test]
fn other_ecosystems_are_known_by_their_files() {
    let cmake = "tests [test] cmake -S . -B build && cmake --build build && \
                 ctest --test-dir build --output-on-failure";
    assert_detected(&[
        (&[("go.mod", "module x")], &[], &["tests [test] go test ./..."]),
        (
            &[("go.mod", "module x"), ("Makefile", "vet:\n\tgo vet ./cmd\n")],
            &[],
            &["tests [test] go test ./...", "lint [lint] go vet ./cmd"],
        ),
        (&[("CMakeLists.txt", "ENABLE_TESTING()"), ("Makefile", "test:\n")], &[], &[cmake]),
        (
            &[("CMakeLists.txt", "project(x)"), ("Makefile", "check: all\n")],
            &[],
            &["tests [test] make check"],
        ),
        (
            &[("Makefile", "test: build\n\tsh t.sh\ntesting := 1\n")],
            &[],
            &["tests [test] make test"],
        ),
        (&[("justfile", "test *args:\n  x\n")], &[], &["tests [test] just test"]),
        (&[("test/a.bats", ""), ("bin/bats", "")], &[], &["tests [test] ./bin/bats test"]),
        (
            &[("Rakefile", "Rake::TestTask.new"), ("Gemfile", "")],
            &[],
            &["tests [test] bundle exec rake test"],
        ),
        (&[(".rspec", ""), ("spec/a_spec.rb", "")], &[], &["tests [test] rspec"]),
        (
            &[("composer.json", "{}"), ("phpunit.xml.dist", "")],
            &[],
            &["tests [test] vendor/bin/phpunit"],
        ),
        (&[("pom.xml", ""), ("mvnw", "")], &[], &["tests [test] ./mvnw test"]),
        (&[("build.gradle.kts", "")], &[], &["tests [test] gradle test"]),
        (&[("app.sln", "")], &[], &["tests [test] dotnet test"]),
        (&[("mix.exs", "")], &[], &["tests [test] mix test"]),
    ]);
}

#[test]
fn several_ecosystems_and_folders_have_their_own_gates() {
    let x = r#"{"scripts":{"test":"x"}}"#;
    let files = [
        ("Cargo.toml", ""),
        ("crates/a/Cargo.toml", ""),
        ("web/package.json", x),
        ("web/inner/package.json", x),
        ("packages/app/package.json", x),
        ("examples/demo/package.json", x),
        ("Makefile", "test:\n"),
    ];
    let at_root = [
        "tests [test] cargo test",
        "tests-packages-app [test] cd packages/app && npm test",
        "tests-web [test] cd web && npm test",
    ];
    assert_eq!(detected_in(&files, &[], ""), at_root);
    assert_eq!(detected_in(&files, &[], "web"), ["tests [test] cd web && npm test"]);
    assert_eq!(detected_in(&files, &[], "examples"), at_root, "nothing there: the project's");
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
