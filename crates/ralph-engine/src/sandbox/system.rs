//! What of the machine itself is in a box: its programs as they are, and of its settings and data only what is named
//! here.
//!
//! Must never show what others cannot read: a box of root could read that too.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Component, Path, PathBuf},
    sync::OnceLock,
};

use super::{copy_files, profile::Mount};

/// Folders at the top of the file system that hold programs and what they came with.
const WHOLE: &[&str] =
    &["bin", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "sbin", "snap", "usr"];

/// Folders at the top that hold more than that. Everything else there is somebody's data.
const PARTS: &[&str] = &["etc", "sys", "var"];

/// Empty in every box.
const PRIVATE: &[&str] = &["/tmp", "/var/tmp", "/var/run", "/run"];

/// What programs read in `/etc`. A star at the end stands for the rest of a name.
const ETC: &str = "ImageMagick-* R SuSE-release alpine-release alternatives arch-release bash.bashrc bashrc ca-certificates \
    ca-certificates.conf chromium chromium.d crypto-policies debian_version dotnet fedora-release fonts \
    gai.conf gnutls group host.conf hostname hosts inputrc java java-* julia ld.so.cache ld.so.conf \
    ld.so.conf.d locale.alias locale.conf localtime login.defs lsb-release magic magic.mime maven/logging \
    maven/m2.conf mime.types mono networks npmrc nsswitch.conf ocamlfind.conf os-release passwd perl php \
    pip.conf pki/ca-trust pki/java pki/tls/cert.pem pki/tls/certs pki/tls/openssl.cnf postgresql-common \
    profile profile.d protocols python* redhat-release resolv.conf rpc sbt services sgml shells \
    ssl/ca-bundle.pem ssl/cert.pem ssl/certs ssl/openssl.cnf static system-release terminfo texmf timezone \
    uv/uv.toml xattr.conf xml zprofile zsh zshenv zshrc";

/// What some distributions keep in `/var`: certificates, gems, packages of GHC, formats of TeX, profiles of Guix.
const VAR: &[&str] = &["guix/profiles", "lib/ca-certificates", "lib/gems", "lib/ghc", "lib/texmf"];

/// How many processors there are and how much memory, which runtimes ask.
const SYS: &[&str] = &["devices/system/cpu", "devices/system/node", "fs/cgroup", "kernel/mm"];

/// Where administrators put programs beside those of the system, and sometimes what only they may read.
const ADMINISTERED: &[&str] = &["/opt", "/usr/local"];

/// Shown in the place of a file that must not be seen.
pub(super) const NOTHING: &str = "/dev/null";

/// The mounts for all of it. `own` is the folder for copies.
pub(super) fn mounts(own: &Path) -> Vec<Mount> {
    let mut mounts = Vec::new();
    for name in WHOLE.iter().chain(PARTS) {
        let path = Path::new("/").join(name);
        match fs::read_link(&path) {
            Ok(to) => mounts.push(Mount::Link { to, at: path }),
            Err(_) if !path.is_dir() => {}
            Err(_) if *name == "etc" => {
                mounts.push(Mount::Shown { from: own.join(copy_files::ETC), at: path });
            }
            Err(_) if *name == "sys" => mounts.extend(parts(&path, SYS)),
            Err(_) if *name == "var" => mounts.extend(parts(&path, VAR)),
            Err(_) => mounts.push(Mount::shown(path)),
        }
    }
    for path in PRIVATE.iter().map(Path::new) {
        match fs::read_link(path) {
            // The folder around it is empty.
            Ok(to) if path.starts_with("/var") => {
                mounts.push(Mount::Link { to, at: path.into() });
            }
            Ok(_) => {}
            Err(_) => mounts.push(Mount::Empty { at: path.into() }),
        }
    }
    mounts.extend(unreadable().iter().map(|path| hidden(path)));
    mounts
}

/// Whether a path is seen in every box, as it is on the machine.
pub(super) fn is_seen(path: &Path) -> bool {
    let top = path.components().nth(1).map(Component::as_os_str);
    top.is_some_and(|top| WHOLE.iter().any(|name| top == *name))
}

/// Whether a folder is one that the system itself needs.
pub(super) fn is_top(path: &Path) -> bool {
    WHOLE.iter().chain(PARTS).any(|name| path == Path::new("/").join(name))
}

/// Those entries of `/etc` that are there and may be seen, by their paths below it.
pub(super) fn of_etc() -> Vec<PathBuf> {
    let etc = Path::new("/etc");
    let mut found = Vec::new();
    for name in ETC.split_whitespace() {
        match name.strip_suffix('*') {
            None => found.push(PathBuf::from(name)),
            Some(start) => {
                let names = fs::read_dir(etc).into_iter().flatten().flatten();
                let names = names.map(|entry| entry.file_name());
                let fits = |name: &std::ffi::OsString| name.to_string_lossy().starts_with(start);
                found.extend(names.filter(fits).map(PathBuf::from));
            }
        }
    }
    found.retain(|name| fs::symlink_metadata(etc.join(name)).is_ok());
    found
}

/// Whether everybody on the machine may read a file or look into a folder.
pub(super) fn is_public(facts: &fs::Metadata) -> bool {
    let needed = if facts.is_dir() { 0o005 } else { 0o004 };
    facts.permissions().mode() & needed == needed
}

/// An empty folder or file in the place of one.
pub(super) fn hidden(path: &Path) -> Mount {
    if path.is_dir() {
        Mount::Empty { at: path.to_owned() }
    } else {
        Mount::Shown { from: NOTHING.into(), at: path.to_owned() }
    }
}

/// An empty folder with these parts of it.
fn parts(folder: &Path, names: &[&str]) -> Vec<Mount> {
    let shown = names.iter().map(|name| folder.join(name));
    let shown = shown.filter(|path| fs::metadata(path).is_ok_and(|facts| is_public(&facts)));
    [Mount::Empty { at: folder.to_owned() }].into_iter().chain(shown.map(Mount::shown)).collect()
}

/// What root could read where administrators put programs, and nobody else. Looked for once: it takes a while, and
/// others are kept out by the kernel.
fn unreadable() -> &'static [PathBuf] {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let mut found = Vec::new();
        if nix::unistd::geteuid().is_root() {
            for folder in ADMINISTERED {
                search(Path::new(folder), &mut found);
            }
        }
        found
    })
}

fn search(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(facts) = entry.metadata() else { continue };
        if facts.is_symlink() {
            continue;
        }
        if !is_public(&facts) {
            found.push(entry.path());
        } else if facts.is_dir() {
            search(&entry.path(), found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_settings_and_data_of_the_machine_only_what_is_named_is_shown() {
        let own = Path::new("/own");
        let mounts = mounts(own);
        let whole = |path: &str| mounts.contains(&Mount::shown(path));
        assert!(!whole("/etc") && !whole("/var") && !whole("/sys"), "{mounts:?}");
        assert!(mounts.iter().all(|mount| mount.at() != Path::new("/var/log")), "{mounts:?}");
        let names = of_etc();
        assert!(names.contains(&"passwd".into()), "{names:?}");
        for name in ["shadow", "ssh", "ssl/private", "sudoers", "environment", "gitconfig"] {
            assert!(!names.contains(&name.into()), "{name}");
        }
    }

    #[test]
    fn what_others_cannot_read_is_not_public() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        for (mode, is_shown) in [(0o644, true), (0o640, false), (0o600, false), (0o444, true)] {
            let file = folder.path().join(format!("{mode:o}"));
            fs::write(&file, "")?;
            fs::set_permissions(&file, fs::Permissions::from_mode(mode))?;
            assert_eq!(is_public(&fs::metadata(&file)?), is_shown, "{mode:o}");
        }
        let mut found = Vec::new();
        search(folder.path(), &mut found);
        found.sort();
        assert_eq!(found, ["600", "640"].map(|name| folder.path().join(name)));
        Ok(())
    }
}
