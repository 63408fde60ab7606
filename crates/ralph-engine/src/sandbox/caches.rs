//! The user's package caches: readable in the box, and what a build adds goes into a cache of this repository.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use ralph_text::fingerprint::digest;

use super::{
    copies, copy_files,
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

/// Empty folders, to lay something over: one for each cache, since a layer is laid over its lowest folder itself.
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
        false if wanted(&cache) => Some((nothing(&cache, machine), cache)),
        false => None,
    });
    seen.map(|(below, at)| layers.over(below, at, Spare::Yes)).collect()
}

/// An empty folder to lay something over, in the place of this one.
pub(super) fn nothing(folder: &Path, machine: &Machine) -> PathBuf {
    let name = digest(&[folder.as_os_str().as_encoded_bytes()]);
    machine.cache.join(NOTHING).join(&name[..32])
}

/// The empty folder that what is shown is seen with.
pub(super) fn veil(machine: &Machine) -> PathBuf {
    machine.cache.join(NOTHING).join("veil")
}

/// Makes the folders and files of ralph's own that must be there before they can be seen inside.
pub(super) fn make(mounts: &[Mount], machine: &Machine) -> io::Result<()> {
    let own = &machine.cache;
    fs::create_dir_all(veil(machine))?;
    for mount in mounts {
        if let Some(below) = mount.source().filter(|below| below.starts_with(own.join(NOTHING))) {
            fs::create_dir_all(below)?;
        }
    }
    copy_files::file(&own.join(GIT_SETTINGS), machine.git_settings.as_bytes())?;
    copies::make(mounts, own)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_caches_share_what_they_are_laid_over() {
        let machine = Machine { cache: "/state/caches".into(), ..Machine::default() };
        let layers = Layers { base: Vec::new(), top: "/state/layers".into(), workspace: true };
        let mounts = mounts(Path::new("/nowhere"), &machine, &layers, |_| None);
        let below: BTreeSet<_> = mounts.iter().filter_map(Mount::source).collect();
        assert!(mounts.len() > 5, "{mounts:?}");
        assert_eq!(below.len(), mounts.len());
    }
}
