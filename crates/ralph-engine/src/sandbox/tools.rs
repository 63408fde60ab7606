//! Which folders hold the programs that a build needs: what `PATH` leads to, and version managers below the home.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    path::{Component, Path, PathBuf},
};

use super::policy::Machine;

/// Below the home: programs, never what people keep or log in with.
const TOOLCHAINS: &[&str] = &[
    ".asdf",
    ".bun/bin",
    ".cargo/bin",
    ".cargo/config",
    ".cargo/config.toml",
    ".cargo/env",
    ".deno/bin",
    ".dotnet",
    ".fnm",
    ".ghcup",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/uv",
    ".nix-profile",
    ".nvm",
    ".opam",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rvm",
    ".sdkman",
    ".volta",
    "go/bin",
];

/// Variables that name a toolchain's folder.
const HOMES: &[&str] =
    &["GOROOT", "JAVA_HOME", "NVM_DIR", "PNPM_HOME", "PYENV_ROOT", "RUSTUP_HOME", "VOLTA_HOME"];

/// What of a moved cargo home holds no login.
const OF_CARGO: &[&str] = &["bin", "config", "config.toml", "env"];

/// So many links in a folder of programs are followed.
const LINKS: usize = 300;

/// Every folder or file to show so that `program` and the programs of the machine's `PATH` run.
pub(super) fn folders(machine: &Machine, home: &Path, program: &OsStr) -> Vec<PathBuf> {
    let path = machine.variable("PATH").unwrap_or_default();
    let named = |name: &str| machine.variable(name).map(PathBuf::from);
    let cargo = named("CARGO_HOME").into_iter();
    let cargo = cargo.flat_map(|home| OF_CARGO.iter().map(move |part| home.join(part)));
    let named = HOMES.iter().filter_map(|name| named(name)).chain(cargo);
    let toolchains = TOOLCHAINS.iter().map(|tool| home.join(tool)).chain(named);
    let there = |folder: &PathBuf| folder.is_absolute() && folder.exists();
    let mut found: BTreeSet<PathBuf> = toolchains.filter(there).collect();
    let places: Vec<PathBuf> =
        std::env::split_paths(path).filter(|place| place.is_absolute() && place.is_dir()).collect();
    for place in &places {
        found.insert(place.clone());
        found.extend(install_of(&place.join("program"), home));
        if place.starts_with(home) {
            found.extend(targets(place).iter().filter_map(|target| install_of(target, home)));
        }
    }
    let mut candidates = places.iter().map(|place| place.join(program));
    if let Some(program) = candidates.find(|candidate| candidate.is_file()) {
        // Itself too: where its folder holds more than programs, the folder is not shown.
        let files = [fs::canonicalize(&program).ok(), Some(program)].into_iter().flatten();
        found.extend(files.flat_map(|file| install_of(&file, home).into_iter().chain([file])));
    }
    found.into_iter().collect()
}

/// What the links in a folder of programs lead to.
fn targets(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let links = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|it| it.is_symlink()));
    links.take(LINKS).filter_map(|entry| fs::canonicalize(entry.path()).ok()).collect()
}

/// The folder that a program was installed into, as far as its place tells.
fn install_of(program: &Path, home: &Path) -> Option<PathBuf> {
    let modules =
        program.components().position(|part| part == Component::Normal("node_modules".as_ref()));
    if let Some(position) = modules {
        return Some(program.components().take(position + 1).collect());
    }
    let folder = program.parent()?;
    let whole = match folder.file_name() {
        Some(name) if name == "bin" => folder.parent()?,
        _ => folder,
    };
    // Too high up there is more than one installation, and other things besides.
    let depth = match whole.strip_prefix(home) {
        Ok(below) => below.components().count(),
        Err(_) => whole.components().count(),
    };
    Some(if depth >= 3 { whole.to_owned() } else { folder.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_is_shown_and_not_what_lies_beside_it() {
        let home = Path::new("/home/me");
        for (program, shown) in [
            ("/home/me/.nvm/versions/node/v22/bin/node", "/home/me/.nvm/versions/node/v22"),
            ("/home/me/.local/bin/claude", "/home/me/.local/bin"),
            ("/home/me/go/bin/dlv", "/home/me/go/bin"),
            ("/data/agents/node_modules/.bin/codex", "/data/agents/node_modules"),
            ("/data/agents/node_modules/x/cli.js", "/data/agents/node_modules"),
            ("/home/me/.local/share/claude/versions/2.1", "/home/me/.local/share/claude/versions"),
        ] {
            assert_eq!(install_of(Path::new(program), home), Some(shown.into()), "{program}");
        }
    }
}
