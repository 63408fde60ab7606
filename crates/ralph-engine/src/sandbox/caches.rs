//! The user's package caches: readable in the box, and what a build adds goes into a cache of this repository.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    copies,
    layers::{Layers, Spare},
    machine::{GIT_SETTINGS, Machine},
    profile::Mount,
};

/// Folders below the home that only hold what was downloaded or built.
const CACHES: &[&str] = &[
    ".bun/install/cache",
    ".cache/Cypress",
    ".cache/composer",
    ".cache/deno",
    ".cache/electron",
    ".cache/go-build",
    ".cache/golangci-lint",
    ".cache/ms-playwright",
    ".cache/node-gyp",
    ".cache/node/corepack",
    ".cache/pip",
    ".cache/pnpm",
    ".cache/pre-commit",
    ".cache/puppeteer",
    ".cache/pypoetry",
    ".cache/sccache",
    ".cache/uv",
    ".cache/yarn",
    ".cargo/git",
    ".cargo/registry",
    ".composer/cache",
    ".gradle/caches",
    ".gradle/wrapper",
    ".hex/packages",
    ".ivy2/cache",
    ".local/share/pnpm/store",
    ".m2/repository",
    ".mix/archives",
    ".mix/elixir",
    ".npm/_cacache",
    ".nuget/packages",
    ".pub-cache/git",
    ".pub-cache/hosted",
    ".yarn/berry/cache",
    "go/pkg/mod",
];

/// There even where the user has none, because without them every call would download everything again.
const WANTED: &[&str] = &[
    ".cache/go-build",
    ".cache/pip",
    ".cache/uv",
    ".cache/yarn",
    ".cargo/git",
    ".cargo/registry",
    ".npm/_cacache",
    "go/pkg/mod",
];

/// The variables by which people move a cache elsewhere, and the folders in it.
const MOVED: &[(&str, &[&str])] = &[("CARGO_HOME", &["registry", "git"]), ("GOPATH", &["pkg/mod"])];

/// An empty folder, to lay something over.
const NOTHING: &str = "nothing";

/// The mounts for all caches. Nothing is mounted inside one of them: what is written there stays for the next box.
pub(super) fn mounts(
    home: &Path,
    machine: &Machine,
    layers: &Layers,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<Mount> {
    let below_home = CACHES.iter().map(|cache| home.join(cache));
    let moved = MOVED.iter().filter_map(|(name, folders)| {
        let base = variable(name).filter(|base| base.is_absolute())?;
        Some(folders.iter().map(move |folder| base.join(folder)))
    });
    let wanted = |cache: &PathBuf| WANTED.iter().any(|wanted| home.join(wanted) == *cache);
    let caches = below_home.chain(moved.flatten());
    let seen = caches.filter_map(|cache| match cache.is_dir() {
        true => Some((cache.clone(), cache)),
        false if wanted(&cache) => Some((machine.cache.join(NOTHING), cache)),
        false => None,
    });
    seen.map(|(below, at)| layers.over(below, at, Spare::Yes)).collect()
}

/// Makes the folders and files of ralph's own that must be there before they can be seen inside.
pub(super) fn make(mounts: &[Mount], machine: &Machine) -> io::Result<()> {
    let own = &machine.cache;
    fs::create_dir_all(own.join(NOTHING))?;
    fs::write(own.join(GIT_SETTINGS), &machine.git_settings)?;
    copies::make(mounts, own)
}
