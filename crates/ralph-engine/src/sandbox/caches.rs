//! The user's package caches: readable in the box, and what a build adds goes into a cache of this repository.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    copies,
    policy::{GIT_SETTINGS, Machine},
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
    ".mix",
    ".npm/_cacache",
    ".nuget/packages",
    ".pub-cache",
    ".yarn/berry/cache",
    "go/pkg/mod",
];

/// Made where they are missing, because without them every call would download everything again.
const WANTED: &[&str] = &[".cache", ".cargo/registry", ".cargo/git", ".npm/_cacache", "go/pkg/mod"];

/// The variables by which people move a cache elsewhere, and the folders in it.
const MOVED: &[(&str, &[&str])] = &[("CARGO_HOME", &["registry", "git"]), ("GOPATH", &["pkg/mod"])];

/// The mounts for all caches. `own` is this repository's folder for what is added.
pub(super) fn mounts(
    home: &Path,
    own: &Path,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<Mount> {
    let below_home = CACHES.iter().map(|cache| home.join(cache));
    let moved = MOVED.iter().filter_map(|(name, folders)| {
        let base = variable(name).filter(|base| base.is_absolute())?;
        Some(folders.iter().map(move |folder| base.join(folder)))
    });
    let layered = below_home.chain(moved.flatten()).filter(|cache| cache.is_dir()).map(|cache| {
        Mount::Layered {
            above: own.join(name_of(&cache)),
            below: vec![cache.clone()],
            at: cache,
            spare: true,
        }
    });
    let missing = WANTED
        .iter()
        .map(|cache| home.join(cache))
        .filter(|cache| !cache.is_dir() || !CACHES.iter().any(|known| home.join(known) == *cache));
    let lent =
        missing.map(|cache| Mount::Lent { from: own.join(name_of(&cache)).join("up"), at: cache });
    // What is wanted may hold what is layered.
    lent.chain(layered).collect()
}

/// Makes this repository's own folders and files, which must be there before they can be seen inside.
pub(super) fn make(mounts: &[Mount], machine: &Machine) -> io::Result<()> {
    let own = &machine.cache;
    fs::create_dir_all(own)?;
    fs::write(own.join(GIT_SETTINGS), &machine.git_settings)?;
    copies::make(mounts, own)?;
    for mount in mounts {
        if let Mount::Lent { from, .. } = mount
            && from.starts_with(own)
        {
            fs::create_dir_all(from)?;
        }
    }
    Ok(())
}

/// A folder name for a cache.
fn name_of(cache: &Path) -> String {
    cache.to_string_lossy().trim_matches('/').replace('/', "-")
}
