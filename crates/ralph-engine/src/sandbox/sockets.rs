//! Unix sockets of the machine that could be seen in a box. They are hidden, so that programs inside can have their own.
//!
//! Through a layer the kernel does not connect to what lies beneath, and folders are shown through one. What is lent as it
//! is needs a look, and so does what no layer can be laid over. Sockets without a name in the file system belong to a network, and a box has its own.

use std::{
    fs,
    os::unix::fs::FileTypeExt as _,
    path::{Path, PathBuf},
};

use super::{profile::Mount, system};

/// Where services of the system listen below folders that every box sees. Hidden as folders: a service that starts anew
/// makes another socket.
const SERVICES: &[&str] = &["/nix/var/nix/daemon-socket"];

/// Where the kernel lists them.
const LIST: &str = "/proc/net/unix";

/// What hides them in a box of these mounts.
pub(super) fn hidden(mounts: &[Mount]) -> Vec<Mount> {
    let services = SERVICES.iter().map(Path::new).filter(|path| path.is_dir());
    let services = services.map(|path| Mount::Empty { at: path.to_owned() });
    let list = fs::read(LIST).unwrap_or_default();
    let list = String::from_utf8_lossy(&list);
    let sockets = named(&list).into_iter().flat_map(|name| seen(&name, mounts));
    services.chain(sockets.map(|at| Mount::Shown { from: system::NOTHING.into(), at })).collect()
}

/// The names of all that are bound to a file, as they were given.
fn named(list: &str) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = list
        .lines()
        .skip(1)
        .filter_map(name)
        .filter(|name| !name.starts_with('@'))
        .map(PathBuf::from)
        .collect();
    names.sort();
    names.dedup();
    names
}

/// What a line says behind its seven numbers: a name may have spaces.
fn name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    for _ in 0..7 {
        rest = rest.split_once(' ')?.1.trim_start();
    }
    (!rest.is_empty()).then_some(rest)
}

/// Where a socket is seen inside. One that was named from its program's folder is looked for in each.
fn seen(name: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    let is_socket =
        |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_socket());
    let as_it_is = mounts.iter().filter_map(|mount| match mount {
        Mount::Shown { from, at } | Mount::Lent { from, at } => Some((from, at)),
        _ => None,
    });
    let place = |(from, at): (&PathBuf, &PathBuf)| {
        let parent = fs::canonicalize(from.join(name).parent()?).ok()?;
        let below = parent.join(name.file_name()?).strip_prefix(from).ok()?.to_owned();
        is_socket(&from.join(&below)).then(|| at.join(below))
    };
    as_it_is.filter_map(place).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn sockets_that_are_bound_to_files_are_named() {
        let list = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                    0000: 00000002 00000000 00010000 0001 01 10 /run/a.sock\n\
                    0000: 00000002 00000000 00010000 0001 01 11 @hidden\n\
                    0000: 00000003 00000000 00000000 0001 03 12\n\
                    0000: 00000002 00000000 00010000 0001 01 13 b .sock\n\
                    0000: 00000003 00000000 00000000 0001 03 14 /run/a.sock\n";
        assert_eq!(named(list), ["/run/a.sock", "b .sock"].map(PathBuf::from));
    }

    #[test]
    fn a_socket_below_what_is_shown_or_lent_is_hidden_and_no_other() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let base = fs::canonicalize(folder.path())?;
        for name in ["shown", "lent/deep", "other"] {
            fs::create_dir_all(base.join(name))?;
        }
        let sockets = ["shown/a", "lent/deep/b", "other/c"].map(|name| base.join(name));
        let _held: Vec<UnixListener> =
            sockets.iter().map(UnixListener::bind).collect::<Result<_, _>>()?;
        fs::write(base.join("shown/file"), "")?;
        let mounts = [
            Mount::shown(base.join("shown")),
            Mount::Lent { from: base.join("lent"), at: "/inside".into() },
        ];
        let hidden = hidden(&mounts);
        let at: Vec<&PathBuf> = hidden.iter().map(Mount::at).collect();
        assert!(at.contains(&&base.join("shown/a")), "{at:?}");
        assert!(at.contains(&&PathBuf::from("/inside/deep/b")), "{at:?}");
        assert!(!at.iter().any(|at| at.ends_with("c") || at.ends_with("file")), "{at:?}");
        assert_eq!(seen(Path::new("a"), &mounts), [base.join("shown/a")]);
        Ok(())
    }
}
