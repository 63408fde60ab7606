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
    ".gem/ruby",
    ".ghcup",
    ".goenv",
    ".jenv",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/pipx",
    ".local/share/fnm",
    ".local/share/gem/ruby",
    ".local/share/hatch",
    ".local/share/mise",
    ".local/share/pipx",
    ".local/share/uv",
    ".local/share/virtualenvs",
    ".nix-profile",
    ".nodenv",
    ".nvm",
    ".opam",
    ".pixi",
    ".proto",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rvm",
    ".sdkman",
    ".tool-versions",
    ".virtualenvs",
    ".volta",
    "go/bin",
];

/// Variables that name a toolchain's folder.
const HOMES: &[&str] = &[
    "ASDF_DATA_DIR",
    "ASDF_DIR",
    "CONDA_PREFIX",
    "DOTNET_ROOT",
    "FNM_DIR",
    "GOROOT",
    "JAVA_HOME",
    "MISE_DATA_DIR",
    "NVM_DIR",
    "PNPM_HOME",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "SDKMAN_DIR",
    "VIRTUAL_ENV",
    "VOLTA_HOME",
];

/// Variables that name whom TLS trusts: files and folders, several of them separated as in `PATH`.
pub(super) const CERTIFICATES: &[&str] = &[
    "AWS_CA_BUNDLE",
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];

/// What only an installation has at its top, of node, python, conda, go, java, rust, ruby, perl and flutter.
const MARKS: &[&str] = &[
    "include/node",
    "pyvenv.cfg",
    "conda-meta",
    "pkg/tool",
    "lib/modules",
    "lib/rustlib",
    "lib/ruby",
    "lib/perl5",
    "bin/cache/dart-sdk",
];

/// What of a moved cargo home holds no login.
const OF_CARGO: &[&str] = &["bin", "config", "config.toml", "env"];

/// Folders that only the system's packages fill.
const PACKAGED: &[&str] = &["/bin", "/sbin", "/usr/bin", "/usr/sbin"];

/// So many links in a folder of programs are followed.
const LINKS: usize = 300;

/// Every folder or file to show so that `program` and the programs of the machine's `PATH` run.
pub(super) fn folders(machine: &Machine, home: &Path, program: &OsStr) -> Vec<PathBuf> {
    let path = machine.variable("PATH").unwrap_or_default();
    let named = |name: &str| machine.variable(name).map(PathBuf::from);
    let cargo = named("CARGO_HOME").into_iter();
    let cargo = cargo.flat_map(|home| OF_CARGO.iter().map(move |part| home.join(part)));
    let certificates = CERTIFICATES.iter().filter_map(|name| machine.variable(name));
    let certificates = certificates.flat_map(std::env::split_paths);
    let named = HOMES.iter().filter_map(|name| named(name)).chain(cargo).chain(certificates);
    let toolchains = TOOLCHAINS.iter().map(|tool| home.join(tool)).chain(named);
    let there = |folder: &PathBuf| folder.is_absolute() && folder.exists();
    let mut found: BTreeSet<PathBuf> = toolchains.filter(there).collect();
    let places: Vec<PathBuf> =
        std::env::split_paths(path).filter(|place| place.is_absolute() && place.is_dir()).collect();
    for place in &places {
        found.insert(place.clone());
        found.extend(install_of(&place.join("program"), home));
        if !PACKAGED.iter().any(|folder| place == Path::new(folder)) {
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
        // The root is a component too, and nobody's folder.
        Err(_) => whole.components().count() - 1,
    };
    let is_whole = depth >= 3 || (depth > 0 && is_installation(whole));
    Some(if is_whole { whole.to_owned() } else { folder.to_owned() })
}

/// Whether everything in a folder is one installation.
fn is_installation(folder: &Path) -> bool {
    MARKS.iter().any(|mark| folder.join(mark).exists())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn an_installation_at_the_top_of_the_home_is_known_by_its_marks() -> io::Result<()> {
        let home = tempfile::tempdir()?;
        let home = home.path();
        for folder in ["venv/bin", "miniconda3/bin", "miniconda3/conda-meta", "go/bin", "go/src"] {
            fs::create_dir_all(home.join(folder))?;
        }
        fs::write(home.join("venv/pyvenv.cfg"), "")?;
        for (program, shown) in [
            ("venv/bin/pytest", "venv"),
            ("miniconda3/bin/python", "miniconda3"),
            ("go/bin/dlv", "go/bin"),
        ] {
            assert_eq!(install_of(&home.join(program), home), Some(home.join(shown)), "{program}");
        }
        Ok(())
    }

    #[test]
    fn an_installation_is_shown_and_not_what_lies_beside_it() {
        let home = Path::new("/home/me");
        for (program, shown) in [
            ("/home/me/.nvm/versions/node/v22/bin/node", "/home/me/.nvm/versions/node/v22"),
            ("/home/me/.local/bin/claude", "/home/me/.local/bin"),
            ("/home/me/go/bin/dlv", "/home/me/go/bin"),
            ("/data/agents/node_modules/.bin/codex", "/data/agents/node_modules"),
            ("/data/me/bin/tool", "/data/me/bin"),
            ("/data/agents/node_modules/x/cli.js", "/data/agents/node_modules"),
            ("/home/me/.local/share/claude/versions/2.1", "/home/me/.local/share/claude/versions"),
        ] {
            assert_eq!(install_of(Path::new(program), home), Some(shown.into()), "{program}");
        }
    }
}
