//! Puts files in the place of others in the worktree, by renames alone: what lies there is moved away first, and is removed
//! only where it is what ralph had left. Whatever a person saves meanwhile is kept.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Read as _},
    os::unix::{
        ffi::OsStringExt as _,
        fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _},
    },
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use nix::libc;
use ralph_core::ids::TreeId;
use tempfile::{TempDir, TempPath};

use super::{
    command::Call,
    diff::{Changed, diff},
    error::GitError,
    files::{RelPath, is_ralphs, join_nul, on_disk},
    index::PrivateIndex,
    obstructions::{Aside, blocker, is_behind_link},
};

/// So much of two files is compared at a time.
const AT_ONCE: usize = 1 << 16;

/// Files that had to make way, and where they are now.
pub(crate) type Displaced = Vec<(RelPath, PathBuf)>;

/// Files that people wrote, and a tree with them.
pub(crate) type Theirs = (Vec<RelPath>, TreeId);

/// Moves what is in the way, and remembers it.
#[derive(Debug)]
pub(crate) struct MakeWay<'a> {
    pub(crate) aside: &'a Aside,
    /// What nobody wrote to since then is as ralph had left it.
    pub(crate) since: Option<SystemTime>,
    pub(crate) displaced: Displaced,
}

impl<'a> MakeWay<'a> {
    pub(crate) fn new(aside: &'a Aside) -> Self {
        Self { aside, since: None, displaced: Displaced::new() }
    }

    /// Moves what lies at a place, unless that is a folder or nothing.
    pub(crate) fn take_out(&mut self, path: &[u8], place: &Path) -> io::Result<()> {
        let Ok(there) = fs::symlink_metadata(place) else { return Ok(()) };
        if there.is_dir() {
            return Ok(());
        }
        let to = match self.aside.rename(place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            moved => moved?,
        };
        let is_old =
            self.since.is_some_and(|since| changed_at(&there).is_some_and(|at| at < since));
        let look = |it: &fs::Metadata| (it.ino(), it.len(), it.mtime(), it.mtime_nsec());
        // A rename changes the one time that nobody can set, so that was looked at before; the rest tells whether this
        // is the file that was looked at.
        if is_old && look(&there) == look(&fs::symlink_metadata(&to)?) {
            return discard(&to);
        }
        self.displaced.push((path.to_vec(), to));
        Ok(())
    }

    /// Puts what was made beside a place there. Somebody may save the file again and again; each time it is moved.
    pub(crate) fn put(&mut self, path: &[u8], mut made: TempPath, place: &Path) -> io::Result<()> {
        loop {
            self.take_out(path, place)?;
            match made.persist_noclobber(place) {
                Ok(()) => return Ok(()),
                Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => {
                    made = failed.path;
                }
                Err(failed) => return Err(failed.error),
            }
        }
    }
}

/// Removes a file that had to make way, unless somebody still has it open to write: what they write would be lost. It
/// stays where it is then, which is named at the end.
pub(crate) fn discard(place: &Path) -> io::Result<()> {
    let has_writer = open_file(place).is_ok_and(|file| crate::unix::has_writer(&file));
    if has_writer { Ok(()) } else { fs::remove_file(place) }
}

/// Makes a copy of a file or link in a folder. Files are new, whatever time their writer gave them: build tools must not
/// take them for what they built before. Their modes are as git would make them.
pub(crate) fn copy_into(folder: &Path, source: &Path) -> io::Result<TempPath> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix(".ralph-");
    if let Ok(leads_to) = fs::read_link(source) {
        let link = |path: &Path| std::os::unix::fs::symlink(&leads_to, path);
        return Ok(builder.make_in(folder, link)?.into_temp_path());
    }
    let mut file = open_file(source)?;
    let is_program = file.metadata()?.permissions().mode() & 0o100 != 0;
    let wanted = Permissions::from_mode(if is_program { 0o777 } else { 0o666 });
    let mut copy = builder.permissions(wanted).tempfile_in(folder)?;
    io::copy(&mut file, copy.as_file_mut())?;
    Ok(copy.into_temp_path())
}

/// Whether two links lead to the same, or two files say the same and both can be started, or neither: git could not tell
/// them apart.
pub(crate) fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    match (fs::read_link(one), fs::read_link(other)) {
        (Ok(one), Ok(other)) => return Ok(one == other),
        (Err(_), Err(_)) => {}
        _ => return Ok(false),
    }
    let (mut one, mut other) = (open_file(one)?, open_file(other)?);
    let (a, b) = (one.metadata()?, other.metadata()?);
    let can_start = |it: &fs::Metadata| it.mode() & 0o100 != 0;
    if !a.is_file() || !b.is_file() || a.len() != b.len() || can_start(&a) != can_start(&b) {
        return Ok(false);
    }
    let (mut left, mut right) = (vec![0; AT_ONCE], vec![0; AT_ONCE]);
    loop {
        let count = one.read(&mut left)?;
        if count == 0 {
            return Ok(true);
        }
        other.read_exact(&mut right[..count])?;
        if left[..count] != right[..count] {
            return Ok(false);
        }
    }
}

/// When somebody last wrote to it. Nobody but the kernel sets that time.
pub(super) fn changed_at(there: &fs::Metadata) -> Option<SystemTime> {
    let (seconds, rest) = (u64::try_from(there.ctime()).ok()?, there.ctime_nsec());
    UNIX_EPOCH.checked_add(Duration::new(seconds, u32::try_from(rest).ok()?))
}

fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

impl PrivateIndex {
    /// Changes the worktree from `from`, which it must hold, to `to`. `.ralph/` stays as it is. Gives what had to make way
    /// and is not as `from` has it: somebody wrote it meanwhile.
    pub(crate) fn turn(
        &mut self,
        from: &TreeId,
        to: &TreeId,
        aside: &Aside,
    ) -> Result<Displaced, GitError> {
        let fail = || GitError::io("cannot change the files of the worktree");
        self.load(from)?;
        let mut changed = diff(&self.git, from.as_str(), to.as_str())?;
        if changed.iter().any(|it| is_ralphs(&it.path)) {
            self.align_ralph(from, to)?;
        }
        changed.retain(|it| !it.is_no_file() && !is_ralphs(&it.path));
        for blocker in self.blockers_of(changed.clone())? {
            aside.take(&on_disk(&self.root, &blocker))?;
        }
        let old = self.check_out(changed.iter().filter(|it| it.had_file()).map(|it| &it.path))?;
        self.load(to)?;
        let new = self.check_out(changed.iter().filter(|it| it.has_file()).map(|it| &it.path))?;
        let mut way = MakeWay::new(aside);
        let (gone, rest): (Vec<&Changed>, _) = changed.iter().partition(|it| !it.has_file());
        for it in gone {
            self.remove(&it.path, &mut way).map_err(fail())?;
        }
        for it in rest {
            self.place(&it.path, new.path(), &mut way)?;
        }
        self.theirs(way.displaced, old.path())
    }

    /// Has git write files of the tree that it stands for into an otherwise empty place.
    pub(crate) fn check_out<'a>(
        &self,
        paths: impl Iterator<Item = &'a RelPath>,
    ) -> Result<TempDir, GitError> {
        let fail = || GitError::io("cannot make a place for files");
        // Git may write the index file's own folder; nothing else must be in it.
        let folder = self.file.parent().and_then(Path::parent).unwrap_or(&self.root);
        let folder = tempfile::Builder::new().prefix("files-").tempdir_in(folder).map_err(fail())?;
        let paths = join_nul(paths);
        if !paths.is_empty() {
            let call = self.git.call(&["checkout-index", "--force", "--quiet", "-z", "--stdin"]);
            call.index(&self.file).dir(folder.path()).stdin(paths).ok()?;
        }
        Ok(folder)
    }

    /// Removes a file, and the folders that are empty then.
    fn remove(&self, path: &[u8], way: &mut MakeWay<'_>) -> io::Result<()> {
        let place = on_disk(&self.root, path);
        if is_behind_link(&self.root, path) {
            return Ok(());
        }
        way.take_out(path, &place)?;
        let above = place.ancestors().skip(1).take_while(|folder| *folder != self.root);
        let _ = above.map(fs::remove_dir).take_while(Result::is_ok).count();
        Ok(())
    }

    fn place(&self, path: &[u8], new: &Path, way: &mut MakeWay<'_>) -> Result<(), GitError> {
        let (source, place) = (on_disk(new, path), on_disk(&self.root, path));
        // Git writes nothing where it was told not to look.
        if fs::symlink_metadata(&source).is_err() {
            return Ok(());
        }
        if let Some(blocker) = blocker(&self.root, path) {
            way.aside.take(&on_disk(&self.root, &blocker))?;
        }
        let folder = place.parent().unwrap_or(&self.root);
        let mut put = || {
            fs::create_dir_all(folder)?;
            let _ = fs::remove_dir(&place);
            way.put(path, copy_into(folder, &source)?, &place)
        };
        let fail = || GitError::io(format!("cannot write {}", place.display()));
        put().map_err(fail())
    }

    /// Removes what is as ralph had left it, and gives the rest. `old` holds the files as git writes them.
    pub(crate) fn theirs(&self, displaced: Displaced, old: &Path) -> Result<Displaced, GitError> {
        let mut theirs = Displaced::new();
        for (path, place) in displaced {
            let was = on_disk(old, &path);
            if is_same(&place, &was).unwrap_or(false) || self.is_alike(&path, &place, &was)? {
                let fail = GitError::io(format!("cannot remove {}", place.display()));
                discard(&place).map_err(fail)?;
            } else {
                theirs.push((path, place));
            }
        }
        Ok(theirs)
    }

    /// Whether git takes two files for the same, though they differ: in line ends, or by a filter.
    fn is_alike(&self, path: &[u8], one: &Path, other: &Path) -> Result<bool, GitError> {
        let (Ok(a), Ok(b)) = (open_file(one), open_file(other)) else { return Ok(false) };
        let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) else { return Ok(false) };
        let can_start = |it: &fs::Metadata| it.mode() & 0o100 != 0;
        if !a.is_file() || !b.is_file() || can_start(&a) != can_start(&b) {
            return Ok(false);
        }
        Ok(self.blob(path, one, &[])? == self.blob(path, other, &[])?)
    }

    /// The object that git makes of a file elsewhere that stands for this path; `more` can have it written.
    pub(crate) fn blob(&self, path: &[u8], file: &Path, more: &[&str]) -> Result<String, GitError> {
        let fail = GitError::io(format!("cannot read {}", file.display()));
        let call = self.git.call(&["hash-object", "--stdin"]);
        let call = more.iter().fold(call, Call::arg);
        let Ok(target) = fs::read_link(file) else {
            let call = call.arg("--path").arg(on_disk(&self.root, path));
            return call.stdin(fs::read(file).map_err(fail)?).line();
        };
        call.stdin(target.into_os_string().into_vec()).line()
    }
}
