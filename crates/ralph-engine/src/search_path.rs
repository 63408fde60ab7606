//! The search path of programs that are started outside every box: nothing on it leads to where agents write. A script
//! finds its interpreter there, whoever has looked at the script itself.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

/// The folders of a search path that are named from the root, do not lie in a folder of agents', and hold no link into
/// one.
pub fn outside(path: &OsStr, agents: &[PathBuf]) -> OsString {
    let agents: Vec<PathBuf> = agents.iter().map(|one| real(one)).collect();
    let is_theirs = |place: &Path| agents.iter().any(|one| place.starts_with(one));
    let is_clean = |folder: &PathBuf| {
        folder.is_absolute() && !is_theirs(&real(folder)) && !holds_link(folder, is_theirs)
    };
    std::env::join_paths(std::env::split_paths(path).filter(is_clean)).unwrap_or_default()
}

/// Whether a link in a folder leads to such a place, though nothing may be there yet.
fn holds_link(folder: &Path, is_there: impl Fn(&Path) -> bool) -> bool {
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let target = fs::read_link(entry.path()).map(|target| folder.join(target));
        target.is_ok_and(|target| is_there(&target) || is_there(&real(&target)))
    })
}

/// A path without links, as far as it is there.
fn real(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    known.map_or_else(
        || path.to_owned(),
        |(above, known)| known.join(path.strip_prefix(above).unwrap_or(Path::new(""))),
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn folders_that_lead_to_what_agents_write_are_left_out() -> std::io::Result<()> {
        let base = tempfile::tempdir()?;
        let base = base.path().canonicalize()?;
        let folder = |name: &str| base.join(name);
        for name in ["clean", "to-a-file", "to-nothing", "chained", "repo/tools"] {
            fs::create_dir_all(folder(name))?;
        }
        fs::write(folder("repo/tools/node"), "")?;
        symlink("/usr/bin/env", folder("clean/env"))?;
        symlink(folder("repo/tools/node"), folder("to-a-file/node"))?;
        symlink("../repo/new/node", folder("to-nothing/node"))?;
        symlink(folder("to-a-file/node"), folder("chained/node"))?;
        symlink(folder("repo/tools"), folder("linked"))?;
        let names = ["clean", "to-a-file", "to-nothing", "chained", "repo/tools", "linked", "gone"];
        let path = std::env::join_paths(names.map(folder).into_iter().chain(["bin".into()]));
        let path = outside(&path.unwrap_or_default(), &[folder("repo")]);
        let left: Vec<PathBuf> = std::env::split_paths(&path).collect();
        assert_eq!(left, [folder("clean"), folder("gone")]);
        Ok(())
    }
}
