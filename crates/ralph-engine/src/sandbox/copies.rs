//! What boxes see in the place of files of the machine and of the user: copies without what nobody may see in a box.
//!
//! They lie in this repository's own folder, which no box can write to, and are made anew before each box; the copy of /etc, once in a process.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    sync::Mutex,
};

use super::{
    copy_files::{ETC, GIT, LINES, TOML, clear, file, folder, gone, keep_only},
    git_view, logins,
    profile::Mount,
    system,
};

/// Larger files are no settings.
const LARGEST: u64 = 16 << 20;
/// So deep are folders copied.
const DEPTH: usize = 16;

/// Whether this process has not made this copy yet: comparing hundreds of files costs more than a box.
fn is_first(copy: &Path) -> bool {
    static MADE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    MADE.lock().is_ok_and(|mut made| made.insert(copy.to_owned()))
}

/// Makes all copies that these mounts show.
pub(super) fn make(mounts: &[Mount], own: &Path) -> io::Result<()> {
    for mount in mounts {
        let Mount::Shown { from, at } = mount else { continue };
        let name = from.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if from.parent() != Some(own) {
            continue;
        }
        if name == ETC {
            let etc = Path::new("/etc");
            if is_first(from) || !from.is_dir() {
                make_etc(from, etc, &system::of_etc())?;
            }
            let inside = mounts.iter().filter_map(|mount| mount.at().strip_prefix(etc).ok());
            for place in inside.filter(|place| !place.as_os_str().is_empty()) {
                mount_on(from, place, etc.join(place).is_dir())?;
            }
        } else if name.starts_with(GIT) {
            git_view::make(from, at)?;
        } else if name.starts_with(TOML) || name.starts_with(LINES) {
            let text = fs::read_to_string(at).unwrap_or_default();
            let clean =
                if name.starts_with(TOML) { logins::without_in_toml } else { logins::addresses };
            file(from, clean(&text).as_bytes())?;
        }
    }
    Ok(())
}

/// Makes a place to mount on, if there is none.
fn mount_on(copy: &Path, place: &Path, is_folder: bool) -> io::Result<()> {
    let place = copy.join(place);
    if fs::symlink_metadata(&place).is_ok_and(|facts| facts.is_dir() == is_folder) {
        return Ok(());
    }
    fs::create_dir_all(place.parent().unwrap_or(copy))?;
    if is_folder { folder(&place) } else { file(&place, b"") }
}

/// Copies these parts of a folder of settings.
fn make_etc(to: &Path, from: &Path, names: &[PathBuf]) -> io::Result<()> {
    folder(to)?;
    let tops: Vec<&OsStr> = names.iter().filter_map(|name| name.iter().next()).collect();
    keep_only(to, &tops)?;
    for name in names {
        for inner in name.ancestors().skip(1).filter(|inner| !inner.as_os_str().is_empty()) {
            folder(&to.join(inner))?;
        }
        copy(&from.join(name), &to.join(name), DEPTH)?;
    }
    Ok(())
}

/// Copies what everybody may read; links stay links. What cannot be read is left out.
fn copy(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    let Ok(facts) = fs::symlink_metadata(from) else { return Ok(()) };
    if facts.is_symlink() {
        return link(from, to);
    }
    if !system::is_public(&facts) {
        return Ok(());
    }
    if facts.is_dir() && depth > 0 {
        folder(to)?;
        let entries: Vec<_> = fs::read_dir(from).into_iter().flatten().flatten().collect();
        let names: Vec<_> = entries.iter().map(fs::DirEntry::file_name).collect();
        keep_only(to, &names.iter().map(|name| &**name).collect::<Vec<_>>())?;
        return entries
            .iter()
            .try_for_each(|entry| copy(&entry.path(), &to.join(entry.file_name()), depth - 1));
    }
    if !facts.is_file() || facts.len() > LARGEST || is_same(&facts, to) {
        return Ok(());
    }
    let Ok(text) = fs::read(from) else { return Ok(()) };
    let text = match std::str::from_utf8(&text) {
        Ok(plain) if logins::is_kept_in(from) => logins::without(plain).into_bytes(),
        _ => text,
    };
    file(to, &text)?;
    fs::File::options().append(true).open(to)?.set_modified(facts.modified()?)
}

/// Whether a copy was made of the file as it is.
fn is_same(facts: &fs::Metadata, copy: &Path) -> bool {
    let Ok(copy) = fs::symlink_metadata(copy) else { return false };
    copy.is_file() && copy.modified().ok() == facts.modified().ok() && copy.len() <= facts.len()
}

/// A link as it is; one that leads into what is empty in a box becomes what it leads to.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    let target = fs::read_link(from)?;
    if fs::read_link(to).is_ok_and(|old| old == target) {
        return Ok(());
    }
    // Most lead there, and following hundreds of links takes longer than a box.
    if !target.starts_with("/usr") {
        let real = fs::canonicalize(from).unwrap_or_default();
        if real.starts_with("/run") {
            let is_plain =
                fs::metadata(&real).is_ok_and(|it| it.is_file() && system::is_public(&it));
            return if is_plain { file(to, &fs::read(real)?) } else { Ok(()) };
        }
    }
    match std::os::unix::fs::symlink(&target, to) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            clear(to)?;
            fs::remove_file(to).or_else(gone)?;
            std::os::unix::fs::symlink(&target, to).or_else(|error| {
                // Another box of the same repository was quicker.
                if fs::read_link(to).is_ok_and(|made| made == target) { Ok(()) } else { Err(error) }
            })
        }
        made => made,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn boxes_that_are_made_at_once_do_not_disturb_each_other() -> io::Result<()> {
        let base = tempfile::tempdir()?;
        let (from, to) = (base.path().join("from"), base.path().join("to"));
        fs::create_dir(&from)?;
        for number in 0..20 {
            fs::write(from.join(number.to_string()), "x")?;
        }
        let names: Vec<PathBuf> = (0..20).map(|number| number.to_string().into()).collect();
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| make_etc(&to, &from, &names))).collect();
            let mut results = threads.into_iter().map(|thread| thread.join().ok());
            results.try_for_each(|result| result.ok_or_else(|| io::Error::other("it panicked"))?)
        })
    }

    #[test]
    fn a_copy_has_what_is_named_and_public_and_follows_the_original() -> io::Result<()> {
        let base = tempfile::tempdir()?;
        let (from, to) = (base.path().join("from"), base.path().join("to"));
        fs::create_dir_all(from.join("ssl/certs"))?;
        fs::create_dir_all(from.join("ssl/private"))?;
        for (name, mode) in
            [("passwd", 0o644), ("shadow", 0o640), ("ssl/certs/a", 0o644), ("ssl/certs/b", 0o600)]
        {
            fs::write(from.join(name), name)?;
            fs::set_permissions(from.join(name), fs::Permissions::from_mode(mode))?;
        }
        std::os::unix::fs::symlink("/usr/share/zoneinfo/UTC", from.join("localtime"))?;
        let names = ["passwd", "shadow", "ssl/certs", "localtime"].map(PathBuf::from);
        for round in 0..2 {
            make_etc(&to, &from, &names)?;
            assert_eq!(fs::read_to_string(to.join("passwd"))?, "passwd", "{round}");
            assert!(!to.join("shadow").exists() && !to.join("ssl/certs/b").exists());
            assert!(to.join("ssl/certs/a").exists() && !to.join("ssl/private").exists());
            assert_eq!(fs::read_link(to.join("localtime"))?, Path::new("/usr/share/zoneinfo/UTC"));
        }
        fs::remove_file(from.join("ssl/certs/a"))?;
        fs::remove_file(from.join("passwd"))?;
        make_etc(&to, &from, &names[2..])?;
        assert!(!to.join("ssl/certs/a").exists() && !to.join("passwd").exists());
        Ok(())
    }
}
