//! Gates of a Python project, with the tools of its own environment where it has one.

use super::{
    files::{Files, has_ending},
    found_gate::FoundGate,
};

/// Files that name what a project is tested with.
const NAMING: [&str; 7] = [
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "requirements.txt",
    "requirements-dev.txt",
    "dev-requirements.txt",
];
const ENVIRONMENTS: [&str; 2] = [".venv/bin/", "venv/bin/"];

pub(super) fn gates(files: &Files<'_>) -> Vec<FoundGate> {
    let mut gates: Vec<FoundGate> = tests(files).into_iter().collect();
    let is_configured = files.text("pyproject.toml").is_some_and(|it| it.contains("[tool.ruff"))
        || files.first(&["ruff.toml", ".ruff.toml"]).is_some();
    if is_configured && files.runs("ruff") {
        let command = files.command("ruff check").unwrap_or_else(|| "ruff check .".into());
        gates.push(FoundGate::new("lint", by(files, "ruff") + &command, "CI"));
    }
    gates
}

fn tests(files: &Files<'_>) -> Option<FoundGate> {
    let manifest = files.first(&["pyproject.toml", "setup.py", "setup.cfg", "manage.py"]);
    let own = files.first(&["pytest.ini", "conftest.py", "tests/conftest.py"]);
    let from = manifest.or(own)?;
    if files.text("manage.py").is_some_and(|text| text.contains("django")) {
        return Some(FoundGate::new("test", python(files) + " manage.py test", "manage.py"));
    }
    let names = |name: &str| files.text(name).is_some_and(|text| text.contains("pytest"));
    let uses_pytest =
        own.is_some() || NAMING.iter().any(|name| names(name)) || files.runs("pytest");
    let folder = files.first(&["tests", "test"]);
    let has_tests = folder.is_some() || files.names_in("").iter().any(|it| is_test_file(it));
    if uses_pytest || has_tests && files.is_installed("pytest") {
        return Some(FoundGate::new("test", by(files, "pytest") + "pytest", from));
    }
    let folder = folder.filter(|folder| !files.is_there(&format!("{folder}/__init__.py")));
    let below = folder.map(|folder| format!(" -s {folder}")).unwrap_or_default();
    let command = format!("{} -m unittest discover{below}", python(files));
    has_tests.then(|| FoundGate::new("test", command, from))
}

fn is_test_file(name: &str) -> bool {
    name.starts_with("test") && has_ending(name, "py")
}

/// What comes before the name of a tool.
fn by(files: &Files<'_>, tool: &str) -> String {
    let locks = [("uv.lock", "uv"), ("poetry.lock", "poetry")];
    let locked = locks.into_iter().filter(|(lock, _)| files.is_there(lock));
    let own = ENVIRONMENTS.iter().find(|bin| files.is_there(&format!("{bin}{tool}")));
    let installed = locked.clone().find(|(_, manager)| files.is_installed(manager));
    match (installed, own, locked.clone().next()) {
        (Some((_, manager)), ..) | (None, None, Some((_, manager))) => format!("{manager} run "),
        (None, Some(bin), _) => (*bin).to_owned(),
        (None, None, None) => String::new(),
    }
}

fn python(files: &Files<'_>) -> String {
    match by(files, "python").as_str() {
        "" => "python3".into(),
        by => format!("{by}python"),
    }
}
