//! What installs the packages that gates need, as a project's lock files suggest.

use std::collections::BTreeMap;

use ralph_text::fingerprint::digest;

/// A lock file, the folder that its packages are installed into (empty where that is not in the project), and what
/// installs them exactly as locked.
const LOCKS: &[(&str, &str, &str)] = &[
    ("package-lock.json", "node_modules", "npm ci"),
    ("npm-shrinkwrap.json", "node_modules", "npm ci"),
    ("pnpm-lock.yaml", "node_modules", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "node_modules", "yarn install --frozen-lockfile"),
    ("bun.lock", "node_modules", "bun install --frozen-lockfile"),
    ("bun.lockb", "node_modules", "bun install --frozen-lockfile"),
    ("uv.lock", ".venv", "uv sync --frozen"),
    ("poetry.lock", "", "poetry install --no-interaction"),
    ("Gemfile.lock", "", "bundle install"),
    ("composer.lock", "vendor", "composer install --no-interaction"),
    ("mix.lock", "deps", "mix deps.get"),
    ("Cargo.lock", "", "cargo fetch --locked"),
    ("go.sum", "", "go mod download"),
];

/// Folders that packages and tools of one ecosystem or another are installed into.
const INSTALLED: &[&str] =
    &["node_modules", ".venv", "venv", "vendor", "deps", ".bundle", ".tox", ".nox", BUILT];

/// Where cargo puts tools and everything else that it builds.
const BUILT: &str = "target";

/// What installs packages when it is a gate itself, and where to.
const INSTALLERS: &[(&str, &[&str])] = &[
    ("npm ci", &["node_modules"]),
    ("npm i", &["node_modules"]),
    ("npm install", &["node_modules"]),
    ("pnpm i", &["node_modules"]),
    ("pnpm install", &["node_modules"]),
    ("yarn install", &["node_modules"]),
    ("bun i", &["node_modules"]),
    ("bun install", &["node_modules"]),
    ("playwright install", &[]),
    ("uv sync", &[".venv"]),
    ("pip install", &[".venv", "venv"]),
    ("-m venv", &[".venv", "venv"]),
    ("poetry install", &[".venv", "venv"]),
    ("bundle install", &["vendor", ".bundle"]),
    ("composer install", &["vendor"]),
    ("mix deps.get", &["deps"]),
    ("go mod download", &[]),
    ("go mod vendor", &["vendor"]),
    ("cargo fetch", &[]),
    ("tox", &[".tox"]),
    ("nox", &[".nox"]),
];

/// What some of them write besides the folder that must be there.
const ALSO: &[(&str, &[&str])] = &[
    ("poetry.lock", &[".venv", "venv"]),
    ("Gemfile.lock", &["vendor", ".bundle"]),
    ("go.sum", &["vendor"]),
    ("Cargo.lock", &["target"]),
];

/// Where they keep what they downloaded, below the home.
const CACHES: &[(&str, &[&str])] = &[
    ("npm", &[".npm/_cacache", ".cache/node-gyp"]),
    ("pnpm", &[".local/share/pnpm/store", ".cache/pnpm"]),
    ("yarn", &[".cache/yarn", ".yarn/berry/cache"]),
    ("bun", &[".bun/install/cache"]),
    ("uv", &[".cache/uv"]),
    ("poetry", &[".cache/pypoetry", ".cache/pip"]),
    ("composer", &[".cache/composer", ".composer/cache"]),
    ("mix", &[".hex/packages", ".mix/archives", ".mix/elixir"]),
    ("cargo", &[".cargo/registry", ".cargo/git"]),
    ("go", &["go/pkg/mod", ".cache/go-build"]),
];

/// Other files that say which packages a project needs; beginnings and ends of their names.
const MANIFESTS: &[(&str, &str)] = &[
    ("requirements", ".txt"),
    ("constraints", ".txt"),
    ("requirements", ".in"),
    ("pyproject", ".toml"),
    ("setup", ".py"),
    ("setup", ".cfg"),
    ("Pipfile", ""),
    ("environment", ".yml"),
    ("package", ".json"),
    ("Gemfile", ""),
    ("composer", ".json"),
    ("Cargo", ".toml"),
    ("go", ".mod"),
    ("build", ".gradle"),
    ("build", ".gradle.kts"),
    ("pom", ".xml"),
    ("mix", ".exs"),
    ("deno", ".json"),
];

/// Where a gate leaves packages for the next one; `None` if its command installs none. What any other gate writes to
/// installed packages is none of the next one's business: they are what it judges with.
pub fn installs_into(command: &str) -> Option<Vec<&'static str>> {
    let parts: Vec<Vec<&str>> =
        command.split(['&', ';', '|', '\n']).map(|part| started(part.split_whitespace())).collect();
    let is_started = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        parts.iter().any(|part| part.starts_with(&words))
    };
    let mut found = INSTALLERS.iter().filter(|(words, _)| is_started(words)).peekable();
    found.peek()?;
    Some(found.flat_map(|(_, folders)| folders.iter().copied()).collect())
}

/// The words of a command from the program on that does the work.
fn started<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let words: Vec<&str> = words.collect();
    let skipped = match words.as_slice() {
        ["python" | "python3", "-m", "venv", ..] | ["npx", ..] | ["uv", "pip", ..] => 1,
        ["python" | "python3", "-m", ..] => 2,
        _ => 0,
    };
    words.get(skipped..).unwrap_or_default().to_vec()
}

/// Folders of installed packages apart from these. Build outputs are not among them.
pub fn installed_besides(own: &[&str]) -> Vec<&'static str> {
    let is_other = |name: &&&str| **name != BUILT && !own.contains(*name);
    INSTALLED.iter().filter(is_other).copied().collect()
}

/// What a tree says about its packages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// Changes when a lock file does.
    pub key: String,
    /// What installs everything; empty where nothing is to be done.
    pub command: String,
    /// Folders that must be there for the gates.
    pub folders: Vec<&'static str>,
    /// Folders that it installs into.
    pub own: Vec<&'static str>,
    /// Folders of installed packages that are none of its business; none if the user wrote the command.
    pub foreign: Vec<&'static str>,
    /// The caches below the home that it may add to; of a command of the user's own, all.
    pub caches: Vec<&'static str>,
    /// Changes when any file does that names packages.
    manifests: String,
}

impl Setup {
    /// From the files at the top of a tree, by name, and their ids.
    pub fn of(files: &BTreeMap<String, String>) -> Self {
        let found: Vec<_> = LOCKS.iter().filter(|(lock, ..)| files.contains_key(*lock)).collect();
        let mut parts: Vec<&[u8]> = Vec::new();
        let mut commands: Vec<&str> = Vec::new();
        let (mut folders, mut own) = (Vec::new(), Vec::new());
        for (lock, folder, command) in found {
            let also = ALSO.iter().filter(|(other, _)| other == lock);
            own.extend(also.flat_map(|(_, names)| names.iter().copied()).chain([*folder]));
            parts.push(lock.as_bytes());
            parts.push(files.get(*lock).map(String::as_bytes).unwrap_or_default());
            if !commands.contains(command) {
                commands.push(command);
            }
            if !folder.is_empty() && !folders.contains(folder) {
                folders.push(*folder);
            }
        }
        let names_packages = |name: &str| {
            MANIFESTS.iter().any(|(begin, end)| name.starts_with(begin) && name.ends_with(end))
        };
        let manifests = files.iter().filter(|(name, _)| names_packages(name));
        let manifests = manifests.flat_map(|(name, id)| [name.as_bytes(), id.as_bytes()]);
        let manifests = digest(&manifests.collect::<Vec<_>>());
        let is_run =
            |name: &str| commands.iter().any(|command| command.split(' ').next() == Some(name));
        let caches = CACHES.iter().filter(|(name, _)| is_run(name));
        let caches = caches.flat_map(|(_, folders)| folders.iter().copied()).collect();
        let foreign = INSTALLED.iter().filter(|name| !own.contains(name)).copied().collect();
        Self {
            key: digest(&parts),
            command: commands.join(" && "),
            folders,
            own,
            foreign,
            caches,
            manifests,
        }
    }

    /// The same with a command of the user's, which may read whatever names packages.
    #[must_use]
    pub fn by(self, command: &str) -> Self {
        if command.trim().is_empty() {
            return self;
        }
        let key = digest(&[self.key.as_bytes(), self.manifests.as_bytes(), command.as_bytes()]);
        Self { key, command: command.to_owned(), foreign: Vec::new(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> BTreeMap<String, String> {
        list.iter().map(|(name, id)| ((*name).to_owned(), (*id).to_owned())).collect()
    }

    #[test]
    fn lock_files_say_what_installs_their_packages() {
        let setup = Setup::of(&files(&[("package-lock.json", "a"), ("uv.lock", "b"), ("x", "c")]));
        assert_eq!(setup.command, "npm ci && uv sync --frozen");
        assert_eq!(setup.folders, ["node_modules", ".venv"]);
        assert!(setup.foreign.contains(&"vendor") && !setup.foreign.contains(&".venv"));
        assert!(
            setup.clone().by("make deps").foreign.is_empty(),
            "a command of the user's may do all"
        );
        assert_eq!(Setup::of(&files(&[("README.md", "a")])).command, "");
    }

    #[test]
    fn only_a_gate_that_installs_packages_leaves_them_for_the_next() {
        assert_eq!(installs_into("cd web && npm ci"), Some(vec!["node_modules"]));
        assert_eq!(installs_into("cargo fetch --locked"), Some(Vec::new()));
        assert_eq!(installs_into("python3 -m pip install -e ."), Some(vec![".venv", "venv"]));
        let others =
            ["npm test", "echo \"run npm ci first\"; sh run.sh", "sh run.sh # npm ci", "npm it"];
        for command in others {
            assert_eq!(installs_into(command), None, "{command}");
        }
        let others = installed_besides(&["node_modules"]);
        assert!(others.contains(&".venv") && !others.contains(&"node_modules"));
        assert!(!others.contains(&"target"), "gates hand on what they build");
    }

    #[test]
    fn only_a_changed_lock_file_or_command_asks_for_another_setup() {
        let key = |list: &[(&str, &str)]| Setup::of(&files(list)).key;
        let before = key(&[("go.sum", "a"), ("main.go", "b")]);
        assert_eq!(before, key(&[("go.sum", "a"), ("main.go", "c")]));
        assert_ne!(before, key(&[("go.sum", "d"), ("main.go", "b")]));
        let own = Setup::of(&files(&[("go.sum", "a")])).by("make deps");
        assert_eq!(own.command, "make deps");
        assert_ne!(own.key, before);
        let pip = |id: &str| Setup::of(&files(&[("requirements-dev.txt", id)])).by("make deps").key;
        assert_ne!(pip("a"), pip("b"));
    }
}
