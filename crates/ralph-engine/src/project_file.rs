//! Files of a project that ralph itself reads or writes, outside every box.
//!
//! An agent may have put anything in their place: a link to a key, a device without an end, a pipe that nobody feeds.
//! So a path in a repository leads nowhere outside it nor into git's own folder, what is read is an ordinary file, and
//! there is a bound. What lies in no repository is the user's own, links and all.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Component, Path, PathBuf},
};

use nix::fcntl::OFlag;

use crate::atomic_write::{self, Access};

/// Largest file of any kind; a plan of a hundred thousand tasks is smaller.
pub const LARGEST: u64 = 256 << 20;
/// Largest text that people write for agents.
pub const LARGEST_TEXT: u64 = 16 << 20;

/// What makes a folder the root of something that agents may write.
const MARKS: [&str; 2] = [".git", ".ralph"];

/// Why a file is not read. Says nothing of what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("it is a link that leads out of the repository")]
    LeadsOut,
    #[error("it is a link that leads into git's own folder")]
    LeadsIntoGit,
    #[error("it is not an ordinary file")]
    NotAFile,
    #[error("it is bigger than {} KB", .0 >> 10)]
    TooBig(u64),
}

impl Unfit {
    /// The reason behind an error of this module.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }

    /// What to do about it.
    pub fn help(self) -> &'static str {
        match self {
            Self::LeadsOut | Self::LeadsIntoGit => {
                "an agent may have made the link; put the text itself there, as an ordinary file"
            }
            Self::NotAFile => "put an ordinary file there, or name another",
            Self::TooBig(_) => "make it smaller, or name another file",
        }
    }
}

impl From<Unfit> for io::Error {
    fn from(why: Unfit) -> Self {
        Self::other(why)
    }
}

/// The whole of a file that is no bigger than this.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let bytes = beginning(path, most + 1)?;
    if bytes.len() as u64 > most { Err(Unfit::TooBig(most).into()) } else { Ok(bytes) }
}

/// The same, as text.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    let not_text = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text");
    String::from_utf8(read(path, most)?).map_err(not_text)
}

/// The text of an ordinary file. A pipe or a device that an agent put in its place is not waited for, and what a link
/// leads to is not looked at.
pub(crate) fn read_plain(path: &Path) -> Option<Vec<u8>> {
    let is_file = fs::symlink_metadata(path).is_ok_and(|about| about.is_file());
    is_file.then(|| read(path, LARGEST).ok())?
}

/// The first bytes of a file.
pub fn beginning(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An ordinary file, open for reading.
pub fn open(path: &Path) -> io::Result<File> {
    // Never waits for the other end of a pipe.
    let file = open_real(&place(path)?, OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(Unfit::NotAFile.into()) }
}

/// Where a path really leads, which is nowhere that agents may not lead ralph.
pub fn place(path: &Path) -> io::Result<PathBuf> {
    let path = settled(path)?;
    let real = path.canonicalize()?;
    let roots = path
        .ancestors()
        .skip(1)
        .filter(|folder| MARKS.iter().any(|mark| fs::symlink_metadata(folder.join(mark)).is_ok()));
    for root in roots {
        // A link on the way makes a folder elsewhere look like a root as well; the true one refuses it.
        let named = path.strip_prefix(root).unwrap_or(&path);
        if named.starts_with(".git") {
            // Agents do not write there, and some keep it elsewhere behind a link of their own.
            continue;
        }
        let inside = real.strip_prefix(root.canonicalize()?).map_err(|_| Unfit::LeadsOut)?;
        if is_gits(inside) && !is_gits(named) {
            return Err(Unfit::LeadsIntoGit.into());
        }
    }
    Ok(real)
}

/// The real folder for a file that is to be written, made where it is missing.
pub fn folder_for(path: &Path) -> io::Result<PathBuf> {
    let path = settled(path)?;
    let folder = path.parent().unwrap_or(&path);
    let there = folder.ancestors().find(|it| fs::symlink_metadata(it).is_ok()).unwrap_or(folder);
    let missing = folder.strip_prefix(there).unwrap_or(Path::new(""));
    let real = place(there)?.join(missing);
    fs::create_dir_all(&real)?;
    Ok(real)
}

/// Puts a whole text in the place of a file, durably; makes its folder where that is missing.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    atomic_write::replace(&writable(path)?, text, Access::Shared)
}

/// The same, only if nothing is there; says whether it was written.
pub fn create(path: &Path, text: &[u8]) -> io::Result<bool> {
    atomic_write::create(&writable(path)?, text, Access::Shared)
}

fn writable(path: &Path) -> io::Result<PathBuf> {
    Ok(folder_for(path)?.join(path.file_name().unwrap_or_default()))
}

fn is_gits(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

/// Absolute, by its letters alone.
fn settled(path: &Path) -> io::Result<PathBuf> {
    let mut settled = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            Component::ParentDir => drop(settled.pop()),
            Component::CurDir => {}
            other => settled.push(other),
        }
    }
    Ok(settled)
}

/// Opens a path that holds no link; one that was put there meanwhile is an error.
#[cfg(target_os = "linux")]
fn open_real(real: &Path, flags: OFlag) -> io::Result<File> {
    use nix::{
        errno::Errno,
        fcntl::{OpenHow, openat2},
    };
    let below = real.strip_prefix("/").unwrap_or(real);
    let how = OpenHow::new().flags(flags | OFlag::O_CLOEXEC).resolve(crate::beneath::SAFE);
    match openat2(File::open("/")?, below, how) {
        Ok(file) => Ok(file.into()),
        Err(Errno::ENOSYS) => open_last(real, flags),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn open_real(real: &Path, flags: OFlag) -> io::Result<File> {
    open_last(real, flags)
}

/// The same where the kernel cannot look at the whole way.
fn open_last(real: &Path, flags: OFlag) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = (flags | OFlag::O_NOFOLLOW).bits();
    File::options().read(true).custom_flags(flags).open(real)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn unfit<T>(read: io::Result<T>) -> Option<Unfit> {
        Unfit::of(&read.err()?)
    }

    /// A repository with a file of its own, and a secret beside it.
    fn scene() -> io::Result<(tempfile::TempDir, PathBuf)> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().join("repo");
        for name in ["repo/.git", "repo/docs", "other/.git", "notes"] {
            fs::create_dir_all(folder.path().join(name))?;
        }
        for name in ["repo/docs/own.md", "repo/.git/config", "other/key", "key"] {
            fs::write(folder.path().join(name), name)?;
        }
        Ok((folder, root))
    }

    #[test]
    fn a_link_in_a_repository_leads_neither_out_of_it_nor_into_git() -> io::Result<()> {
        let (folder, root) = scene()?;
        let key = folder.path().join("key");
        symlink(&key, root.join("absolute"))?;
        symlink("../key", root.join("relative"))?;
        symlink("../other", root.join("repository"))?;
        symlink(".git/config", root.join("config"))?;
        symlink("docs/own.md", root.join("inside"))?;
        for name in ["absolute", "relative", "repository/key", "docs/../relative"] {
            assert_eq!(unfit(read(&root.join(name), 99)), Some(Unfit::LeadsOut), "{name}");
        }
        assert_eq!(unfit(read(&root.join("config"), 99)), Some(Unfit::LeadsIntoGit));
        assert_eq!(text(&root.join("inside"), 99)?, "repo/docs/own.md");
        assert_eq!(text(&root.join(".git/config"), 99)?, "repo/.git/config");
        fs::rename(root.join(".git"), folder.path().join("elsewhere"))?;
        symlink("../elsewhere", root.join(".git"))?;
        assert_eq!(text(&root.join(".git/config"), 99)?, "repo/.git/config");
        assert!(read(&root.join("config"), 99).is_err());
        Ok(())
    }

    #[test]
    fn what_lies_in_no_repository_is_the_users_own() -> io::Result<()> {
        let (folder, root) = scene()?;
        symlink(folder.path().join("key"), folder.path().join("notes/prompt.md"))?;
        symlink(&root, folder.path().join("way"))?;
        assert_eq!(text(&folder.path().join("notes/prompt.md"), 99)?, "key");
        assert_eq!(text(&folder.path().join("way/docs/own.md"), 99)?, "repo/docs/own.md");
        symlink("../../key", root.join("docs/out.md"))?;
        let out = read(&folder.path().join("way/docs/out.md"), 99);
        assert_eq!(unfit(out), Some(Unfit::LeadsOut));
        Ok(())
    }

    #[test]
    fn devices_pipes_folders_and_big_files_are_not_read() -> io::Result<()> {
        let (folder, root) = scene()?;
        nix::unistd::mkfifo(&root.join("pipe"), nix::sys::stat::Mode::S_IRWXU)?;
        symlink("/dev/zero", folder.path().join("notes/zero"))?;
        for path in [root.join("pipe"), root.join("docs"), folder.path().join("notes/zero")] {
            assert_eq!(unfit(read(&path, 99)), Some(Unfit::NotAFile), "{}", path.display());
        }
        assert_eq!(unfit(read(&root.join("docs/own.md"), 3)), Some(Unfit::TooBig(3)));
        assert_eq!(beginning(&root.join("docs/own.md"), 4)?, b"repo");
        assert_eq!(
            read(&root.join("none"), 9).err().map(|e| e.kind()),
            Some(io::ErrorKind::NotFound)
        );
        Ok(())
    }

    #[test]
    fn nothing_is_written_through_a_folder_that_became_a_link() -> io::Result<()> {
        let (folder, root) = scene()?;
        symlink(folder.path().join("notes"), root.join("linked"))?;
        assert_eq!(unfit(folder_for(&root.join("linked/new/x.md"))), Some(Unfit::LeadsOut));
        assert!(!folder.path().join("notes/new").exists());
        let made = folder_for(&root.join("docs/new/x.md"))?;
        assert_eq!(made, root.canonicalize()?.join("docs/new"));
        Ok(())
    }
}
