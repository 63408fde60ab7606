//! A place of its own for the objects that git writes while a filter runs: the filter reads what an agent wrote, and must
//! be able to remove or replace no object that is there already.
//!
//! Must never overwrite: an object whose name is taken stays as it is.

use std::{
    ffi::OsStr,
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use super::{error::GitError, files::quoted};

/// Git's own name for such folders: its housekeeping removes those that a crash left.
const PREFIX: &str = "tmp_objdir-ralph-";

/// New objects, beside those of the store they are for.
pub(super) struct Incoming {
    store: PathBuf,
    folder: TempDir,
}

impl Incoming {
    /// An empty place in this object store.
    pub(super) fn new(store: &Path) -> io::Result<Self> {
        let store = fs::canonicalize(store)?;
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&store)?;
        Ok(Self { store, folder })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Git writes here and finds the rest in the store.
    pub(super) fn tell(&self, command: &mut Command) {
        command.env("GIT_OBJECT_DIRECTORY", self.path());
        // A colon would end it.
        let store = quoted(self.store.as_os_str().as_bytes());
        command.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", OsStr::from_bytes(&store));
    }

    /// Brings what is new into the store.
    ///
    /// Which objects a pack holds is told by their content alone, because an index that came with it could lie: it goes, and
    /// `index` makes another.
    pub(super) fn take_over(
        self,
        index: impl Fn(&Path) -> Result<(), GitError>,
    ) -> Result<(), GitError> {
        let packs = self.folder.path().join("pack");
        for pack in files(&packs).iter().filter(|file| file.extension() == Some("pack".as_ref())) {
            let came = pack.with_extension("idx");
            let gone = GitError::io(format!("cannot remove {}", came.display()));
            fs::remove_file(&came).map_err(gone)?;
            index(pack)?;
        }
        let lost = GitError::io("cannot bring new objects into the repository".to_owned());
        self.move_all().map_err(lost)
    }

    fn move_all(&self) -> io::Result<()> {
        for folder in fs::read_dir(self.path())?.flatten() {
            let name = folder.file_name();
            let is_loose = name.len() == 2 && is_hex(name.as_bytes());
            if is_loose || name == "pack" {
                let to = self.store.join(&name);
                fs::create_dir_all(&to)?;
                let mut found = files(&folder.path());
                // An index makes its pack known, so it comes last.
                found.sort_by_key(|file| file.extension() == Some("idx".as_ref()));
                found.iter().try_for_each(|file| move_to(file, &to))?;
            }
        }
        Ok(())
    }
}

/// The ordinary files of a folder: what a filter left there instead is nobody's.
fn files(folder: &Path) -> Vec<PathBuf> {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|it| it.is_dir());
    let entries = is_folder.then(|| fs::read_dir(folder)).into_iter().flatten().flatten();
    let files = entries.flatten().filter(|it| it.file_type().is_ok_and(|kind| kind.is_file()));
    files.map(|file| file.path()).collect()
}

fn move_to(file: &Path, folder: &Path) -> io::Result<()> {
    let name = file.file_name().unwrap_or_default();
    let stem = name.as_bytes().split(|byte| *byte == b'.').next().unwrap_or_default();
    let to = folder.join(name);
    let is_object = is_hex(stem.strip_prefix(b"pack-").unwrap_or(stem));
    if is_object && !to.exists() {
        fs::rename(file, to)?;
    }
    Ok(())
}

fn is_hex(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_hexdigit)
}
