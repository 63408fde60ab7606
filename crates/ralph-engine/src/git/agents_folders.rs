//! Which folders agents write, read from git's files: no git is started to know where no program may come from.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

/// Every folder with something in it that an agent may have written: the worktrees of the repository that a folder is in, and
/// what ralph keeps of agents' work.
pub fn agents_folders(folder: &Path, state_home: &Path) -> Vec<PathBuf> {
    let text = |file: PathBuf| {
        let text = fs::read(file).ok()?;
        Some(PathBuf::from(OsStr::from_bytes(text.trim_ascii_end())))
    };
    let folder = &fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let root = folder.ancestors().find(|above| above.join(".git").exists()).unwrap_or(folder);
    let named = fs::read(root.join(".git")).unwrap_or_default();
    let git_dir = match named.trim_ascii_end().strip_prefix(b"gitdir: ") {
        Some(elsewhere) => root.join(OsStr::from_bytes(elsewhere)),
        None => root.join(".git"),
    };
    let common = text(git_dir.join("commondir")).map_or(git_dir.clone(), |to| git_dir.join(to));
    let common = fs::canonicalize(&common).unwrap_or(common);
    let entries = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten();
    let linked = entries.filter_map(|entry| text(entry.path().join("gitdir")));
    let own = [common].into_iter().filter(|common| common.ends_with(".git"));
    let roots = linked.chain(own).filter_map(|git| git.parent().map(Path::to_owned));
    let all =
        [folder.to_owned(), root.to_owned(), state_home.join("ralph")].into_iter().chain(roots);
    all.filter(|one| one.is_absolute() && one.parent().is_some()).collect()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::outside::Outside;

    #[test]
    fn all_worktrees_of_a_repository_and_ralphs_state_are_agents() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let base = fs::canonicalize(folder.path())?;
        let (main, linked, state) = (base.join("main"), base.join("linked"), base.join("state"));
        fs::create_dir_all(main.join(".git/worktrees/linked"))?;
        fs::create_dir_all(main.join("src"))?;
        fs::create_dir_all(&linked)?;
        let own = main.join(".git/worktrees/linked");
        fs::write(own.join("commondir"), "../..\n")?;
        fs::write(own.join("gitdir"), format!("{}\n", linked.join(".git").display()))?;
        fs::write(linked.join(".git"), format!("gitdir: {}\n", own.display()))?;
        for folder in [main.join("src"), main.join("src/../src"), linked.clone()] {
            let found = agents_folders(&folder, &state);
            let found = Outside::new(Vec::new(), found);
            for place in [main.join("x"), linked.join("x"), state.join("ralph/x")] {
                assert!(found.is_agents(&place), "{} from {}", place.display(), folder.display());
            }
            assert!(!found.is_agents(&base.join("other")));
        }
        Ok(())
    }
}
