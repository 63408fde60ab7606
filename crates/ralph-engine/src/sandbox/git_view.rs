//! A git folder as it is seen in a box: what git needs to tell history and status, and nothing else of it.
//!
//! A folder of copies lies in its place, on which the large parts are mounted as they are. So whatever else is in the
//! git folder, or comes into it while the box is there, is not seen: stored logins, keys of extensions, hooks.

use std::{
    ffi::{OsStr, OsString},
    fs, io,
    path::{Path, PathBuf},
};

use super::{copy_files, git_config, profile::Mount};

/// Folders and files that are seen as they are.
const BOUND: [&str; 10] = [
    "annex/objects",
    "index",
    "objects",
    "packed-refs",
    "rebase-apply",
    "rebase-merge",
    "refs",
    "reftable",
    "sequencer",
    "sharedindex.*",
];
/// Small files that are copied.
const COPIED: [&str; 16] = [
    "AUTO_MERGE",
    "BISECT_HEAD",
    "CHERRY_PICK_HEAD",
    "HEAD",
    "MERGE_HEAD",
    "MERGE_MODE",
    "MERGE_MSG",
    "ORIG_HEAD",
    "REBASE_HEAD",
    "REVERT_HEAD",
    "commondir",
    "gitdir",
    "info/attributes",
    "info/exclude",
    "info/sparse-checkout",
    "shallow",
];
/// Settings, copied without logins and without what names programs.
const SETTINGS: [&str; 2] = ["config", "config.worktree"];
/// Folders that hold git folders of submodules and linked worktrees.
const BELOW: [&str; 2] = ["modules", "worktrees"];
/// So deep are those looked for.
const DEPTH: usize = 8;
/// Larger files are not copied.
const LARGEST: u64 = 1 << 20;

/// For each of these that is a git folder: its copy, and on it what is seen as it is. The index may be another file than
/// the one in whose place it is seen.
pub(super) fn mounts(
    folders: &[PathBuf],
    own: &Path,
    index: Option<&(PathBuf, PathBuf)>,
) -> Vec<Mount> {
    let mut mounts = Vec::new();
    let mut seen: Vec<&PathBuf> = folders.iter().filter(|folder| is_git(folder)).collect();
    seen.sort();
    seen.dedup();
    let current: Vec<PathBuf> = folders.iter().filter_map(|file| named_by(file)).collect();
    for folder in seen {
        mounts.push(Mount::Shown { from: copy_files::of_git(folder, own), at: folder.clone() });
        let bound = |name: &PathBuf| {
            let at = folder.join(name);
            if let Some((from, _)) = index.filter(|(_, place)| *place == at) {
                return Some(Mount::Shown { from: from.clone(), at });
            }
            Some(Mount::Shown { from: fs::canonicalize(&at).ok()?, at })
        };
        let parts = parts(folder, Path::new(""), DEPTH);
        let is_wanted = |part: &&Part| {
            let is_linked = part.name.starts_with("worktrees");
            let is_current = || current.iter().any(|it| folder.join(&part.name).starts_with(it));
            part.how == How::Bound && (!is_linked || is_current())
        };
        mounts.extend(parts.iter().filter(is_wanted).filter_map(|part| bound(&part.name)));
    }
    mounts
}

/// Makes the copy of a git folder.
pub(super) fn make(copy: &Path, folder: &Path) -> io::Result<()> {
    let parts = parts(folder, Path::new(""), DEPTH);
    copy_files::folder(copy)?;
    remove_others(copy, Path::new(""), &parts)?;
    for part in &parts {
        let (from, to) = (folder.join(&part.name), copy.join(&part.name));
        fs::create_dir_all(to.parent().unwrap_or(copy))?;
        match part.how {
            How::Bound if from.is_dir() => copy_files::folder(&to)?,
            // Only a place to mount on.
            How::Bound => copy_files::file(&to, b"")?,
            How::Copied => copy_files::file(&to, &fs::read(from)?)?,
            How::Cleaned => {
                let text = String::from_utf8_lossy(&fs::read(from)?).into_owned();
                copy_files::file(&to, git_config::cleaned(&text).as_bytes())?;
            }
        }
    }
    Ok(())
}

/// Something of a git folder that is seen.
struct Part {
    /// Its path below the git folder.
    name: PathBuf,
    how: How,
}

#[derive(PartialEq, Eq)]
enum How {
    Bound,
    Copied,
    Cleaned,
}

/// The git folder that the `.git` file of a linked worktree names.
fn named_by(file: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(file).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    fs::canonicalize(file.parent()?.join(named)).ok()
}

/// A folder of its own, and not a link to one: git made it so.
fn is_git(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|it| it.is_dir())
        && folder.join("HEAD").exists()
        && folder.join("objects").is_dir()
}

fn parts(folder: &Path, below: &Path, depth: usize) -> Vec<Part> {
    let here = folder.join(below);
    let facts = |name: &str| fs::metadata(here.join(name)).ok();
    let is_small = |name: &str| facts(name).is_some_and(|it| it.is_file() && it.len() <= LARGEST);
    let part = |name: &str, how| Part { name: below.join(name), how };
    let mut parts = Vec::new();
    for name in BOUND {
        match name.strip_suffix('*') {
            Some(start) => {
                let names = names_in(&here).into_iter().filter_map(|it| it.into_string().ok());
                let names = names.filter(|name| name.starts_with(start));
                parts.extend(names.map(|name| part(&name, How::Bound)));
            }
            None if facts(name).is_some() => parts.push(part(name, How::Bound)),
            None => {}
        }
    }
    parts.extend(COPIED.iter().filter(|it| is_small(it)).map(|name| part(name, How::Copied)));
    parts.extend(SETTINGS.iter().filter(|it| is_small(it)).map(|name| part(name, How::Cleaned)));
    for name in BELOW.iter().filter(|_| depth > 0) {
        parts.extend(nested(folder, &below.join(name), depth - 1));
    }
    parts
}

/// The git folders below a folder of them; the name of a submodule may have slashes in it.
fn nested(folder: &Path, below: &Path, depth: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    for name in names_in(&folder.join(below)) {
        let inner = below.join(name);
        let place = folder.join(&inner);
        if !fs::symlink_metadata(&place).is_ok_and(|it| it.is_dir()) {
            continue;
        }
        if place.join("HEAD").is_file() {
            parts.extend(self::parts(folder, &inner, depth));
        } else if depth > 0 {
            parts.extend(nested(folder, &inner, depth - 1));
        }
    }
    parts
}

fn names_in(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).collect()
}

/// Removes what an earlier copy had and this one has not; what is mounted on stays.
fn remove_others(copy: &Path, below: &Path, parts: &[Part]) -> io::Result<()> {
    let inside: Vec<&Path> =
        parts.iter().filter_map(|part| part.name.strip_prefix(below).ok()).collect();
    let names: Vec<&OsStr> = inside.iter().filter_map(|name| name.iter().next()).collect();
    copy_files::keep_only(&copy.join(below), &names)?;
    for name in names_in(&copy.join(below)) {
        let is_part = inside.iter().any(|part| part.as_os_str() == name);
        if !is_part && copy.join(below).join(&name).is_dir() {
            remove_others(copy, &below.join(&name), parts)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, text: &str) -> io::Result<()> {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, text)
    }

    fn repository(folder: &Path) -> io::Result<()> {
        let secret = "[remote \"origin\"]\n\turl = https://tok@host.example/a\n[credential]\n\thelper = !echo tok\n";
        for place in ["", "modules/one/", "modules/two/deep/", "worktrees/w/"] {
            write(folder, &format!("{place}HEAD"), "ref: refs/heads/main\n")?;
            write(folder, &format!("{place}config"), secret)?;
            write(folder, &format!("{place}objects/ab/cd"), "x")?;
            write(folder, &format!("{place}hooks/pre-commit"), "tok")?;
        }
        write(folder, "credentials", "tok")?;
        write(folder, "git-crypt/keys/default", "tok")?;
        write(folder, "annex/creds/a", "tok")?;
        write(folder, "annex/objects/a", "x")?;
        write(folder, "FETCH_HEAD", "tok")?;
        write(folder, "logs/HEAD", "clone: from https://tok@host.example/a")?;
        write(folder, "info/exclude", "target\n")
    }

    /// Every file of a folder, with what it says.
    fn all(folder: &Path) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        for name in names_in(folder) {
            let path = folder.join(name);
            if path.is_dir() {
                found.extend(all(&path));
            } else {
                found.push((path.clone(), fs::read_to_string(&path).unwrap_or_default()));
            }
        }
        found
    }

    #[test]
    fn a_copy_has_what_git_reads_and_no_login_of_any_kind() -> io::Result<()> {
        let base = tempfile::tempdir()?;
        let (git, own) = (base.path().join(".git"), base.path().join("own"));
        repository(&git)?;
        fs::create_dir_all(&own)?;
        let mounts = mounts(&[git.clone(), git.clone(), base.path().join("none")], &own, None);
        let copy = copy_files::of_git(&git, &own);
        assert_eq!(mounts[0], Mount::Shown { from: copy.clone(), at: git.clone() });
        let seen = |name: &str| mounts.iter().any(|mount| *mount.at() == git.join(name));
        for name in ["objects", "annex/objects", "modules/one/objects", "modules/two/deep/objects"]
        {
            assert!(seen(name), "{name}");
        }
        assert!(!seen("annex") && !seen("git-crypt") && !seen("hooks") && !seen("modules"));
        assert!(!seen("logs"), "a reflog holds addresses as they were typed");
        for _ in 0..2 {
            crate::sandbox::copies::make(&mounts, &own)?;
            for (path, text) in all(&own) {
                assert!(!text.contains("tok"), "{}: {text}", path.display());
            }
        }
        for name in
            ["HEAD", "config", "info/exclude", "modules/two/deep/config", "worktrees/w/HEAD"]
        {
            assert!(copy.join(name).is_file(), "{name}");
        }
        let config = fs::read_to_string(copy.join("config"))?;
        assert!(config.contains("https://host.example/a"), "{config}");
        Ok(())
    }

    #[test]
    fn another_index_is_seen_in_the_place_of_the_one_that_is_there() -> io::Result<()> {
        let base = tempfile::tempdir()?;
        let (git, own) = (base.path().join(".git"), base.path().join("own"));
        repository(&git)?;
        write(&git, "index", "old")?;
        write(&git, "worktrees/w/index", "old")?;
        write(&git, "worktrees/w/HEAD", "ref: refs/heads/w")?;
        let index = (base.path().join("judged"), git.join("index"));
        let from = |mounts: &[Mount], at: &Path| {
            let seen = mounts.iter().rev().find(|mount| mount.at() == at);
            seen.and_then(|mount| mount.source().cloned())
        };
        let mounts = mounts(std::slice::from_ref(&git), &own, Some(&index));
        assert_eq!(from(&mounts, &git.join("index")).as_ref(), Some(&index.0));
        assert_ne!(from(&mounts, &git.join("worktrees/w/index")).as_ref(), Some(&index.0));
        Ok(())
    }

    #[test]
    fn what_is_gone_from_the_git_folder_is_gone_from_its_copy() -> io::Result<()> {
        let base = tempfile::tempdir()?;
        let (git, copy) = (base.path().join(".git"), base.path().join("copy"));
        repository(&git)?;
        write(&git, "MERGE_HEAD", "abc")?;
        make(&copy, &git)?;
        assert!(copy.join("MERGE_HEAD").exists() && copy.join("modules/one").exists());
        fs::remove_file(git.join("MERGE_HEAD"))?;
        fs::remove_dir_all(git.join("modules/one"))?;
        make(&copy, &git)?;
        assert!(!copy.join("MERGE_HEAD").exists() && !copy.join("modules/one").exists());
        assert!(copy.join("modules/two/deep/HEAD").exists());
        Ok(())
    }
}
