//! Looks for gates in the folder a person is in, and from the root on in the project's other folders.

use std::path::Path;

use super::{
    by_manifest,
    files::{Files, names_in},
    found_gate::{FoundGate, with_own_names},
    native, node, python, rust,
};

type Ecosystem = fn(&Files<'_>) -> Vec<FoundGate>;

/// Those with a manifest of their own. One project may have several of them.
const LANGUAGES: [Ecosystem; 7] = [
    rust::gates,
    node::gates,
    python::gates,
    by_manifest::go,
    by_manifest::ruby,
    by_manifest::php,
    by_manifest::others,
];
/// Asked one after the other where none of those has tests.
const BUILDS: [Ecosystem; 4] = [native::cmake, native::make, native::just, native::bats];

/// Folders that hold others' projects, samples or what was built.
const SKIPPED: &str = "bench benches benchmark benchmarks build demo demos deps dist doc docs example examples external \
                       fixture fixtures fuzz node_modules out sample samples site target template templates test \
                       testdata tests third_party vendor venv website";
/// So deep below the root folders are looked into: `web`, and `packages/app`.
const DEEPEST: usize = 2;
/// So many gates are taken from folders.
const MOST: usize = 8;

/// All gates that fit, each with a name of its own: those of the folder, else those of the root. `has` says whether a
/// program is installed.
pub(crate) fn detect(root: &Path, folder: &Path, has: &dyn Fn(&str) -> bool) -> Vec<FoundGate> {
    let dir = folder.strip_prefix(root).ok().and_then(Path::to_str).unwrap_or_default();
    if !dir.is_empty() {
        let own = of_folder(&Files::new(root, folder, has));
        let own: Vec<_> = own.into_iter().flatten().map(|gate| gate.in_folder(dir)).collect();
        if !own.is_empty() {
            return with_own_names(own);
        }
    }
    let at_root = of_folder(&Files::new(root, root, has));
    // A build that tests is everybody's.
    let has_build = at_root.len() > LANGUAGES.len();
    let is_open = |gates: &Vec<FoundGate>| !has_build && !gates.iter().any(FoundGate::is_test);
    let open = LANGUAGES.iter().zip(&at_root).filter(|(_, gates)| is_open(gates));
    let open: Vec<Ecosystem> = open.map(|(ecosystem, _)| *ecosystem).collect();
    let mut gates: Vec<FoundGate> = at_root.into_iter().flatten().collect();
    gates.extend(below(root, &open, has));
    with_own_names(gates)
}

/// What each language says, and at the end the builds.
fn of_folder(files: &Files<'_>) -> Vec<Vec<FoundGate>> {
    let mut found: Vec<Vec<FoundGate>> = LANGUAGES.iter().map(|gates| gates(files)).collect();
    if !found.iter().flatten().any(FoundGate::is_test) {
        let builds = BUILDS.iter().map(|gates| gates(files));
        found.extend(builds.into_iter().find(|gates| gates.iter().any(FoundGate::is_test)));
    }
    found
}

/// The gates of folders below, of the languages that have no tests above. What lies in a folder that has some is that
/// folder's own business.
fn below(root: &Path, open: &[Ecosystem], has: &dyn Fn(&str) -> bool) -> Vec<FoundGate> {
    let mut found: Vec<FoundGate> = Vec::new();
    for dir in folders(root, "", 1) {
        let is_inside = |gate: &FoundGate| Path::new(&dir).starts_with(&gate.dir);
        if found.iter().any(is_inside) {
            continue;
        }
        let folder = root.join(&dir);
        let files = Files::new(root, &folder, has);
        let gates: Vec<FoundGate> = open.iter().flat_map(|gates| gates(&files)).collect();
        if gates.iter().any(FoundGate::is_test) {
            found.extend(gates.into_iter().map(|gate| gate.in_folder(&dir)));
        }
    }
    found.truncate(MOST);
    found
}

/// Folders that may hold a part of the project, by their paths from the root; a folder comes before those in it.
fn folders(root: &Path, dir: &str, depth: usize) -> Vec<String> {
    let is_part = |name: &String| {
        !name.starts_with('.') && !SKIPPED.split(' ').any(|skipped| skipped == name.as_str())
    };
    let folder = root.join(dir);
    let is_folder =
        |name: &String| folder.join(name).symlink_metadata().is_ok_and(|it| it.is_dir());
    let names = names_in(&folder).into_iter().filter(is_part).filter(is_folder);
    let paths = names.map(|name| if dir.is_empty() { name } else { format!("{dir}/{name}") });
    let deeper = |path: String| {
        let inner = if depth < DEEPEST { folders(root, &path, depth + 1) } else { Vec::new() };
        [path].into_iter().chain(inner)
    };
    paths.flat_map(deeper).collect()
}
