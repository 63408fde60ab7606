//! An agent's login for one call: copies of its files, and the way back for tokens that were renewed meanwhile.
//!
//! The copies are as hostile as their reader: nothing but tokens leaves them, and no link in them is followed.

#[cfg(test)]
mod tests;

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    },
    path::{Component, Path, PathBuf},
    time::Duration,
};

use nix::{libc::O_NOFOLLOW, unistd::geteuid};
use ralph_core::agents::tokens;
use serde_json::Value;

use crate::clock;

/// Most bytes of a login file.
const MAX_FILE: u64 = 16 << 20;
/// How often the user's file is merged anew when another program keeps writing it.
const TRIES: usize = 3;
/// How often, and with which pause, another ralph is waited for that writes the same login.
const LOCK_TRIES: usize = 100;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// The files of a login that an agent has copies of.
pub(crate) struct Login {
    files: Vec<Lent>,
    /// The folder the copies are below.
    to: PathBuf,
    notes: Vec<String>,
}

/// One file and its copy.
struct Lent {
    /// Relative to the home and to the folder of the copies.
    name: PathBuf,
    /// The user's file, no link.
    original: PathBuf,
    /// What it held when it was copied; `None` if no tokens can come back to it.
    before: Option<Value>,
}

impl Login {
    /// Copies those of the files below `home` that are there to the same places below `to`, for this user alone.
    pub(crate) fn lend(files: &[&str], home: &Path, to: &Path) -> io::Result<Self> {
        let mut login = Self { files: Vec::new(), to: to.to_owned(), notes: Vec::new() };
        folder(to)?;
        for name in files.iter().map(Path::new) {
            if !name.components().all(|part| matches!(part, Component::Normal(_))) {
                let what = format!("{} is not a path inside the home", name.display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
            match find(home, name) {
                Ok(Some((original, text))) => login.place(name, original, &text)?,
                Ok(None) => {}
                Err(why) => login.notes.push(format!(
                    "the agent gets no copy of {} from your home: {why}",
                    name.display()
                )),
            }
        }
        Ok(login)
    }

    /// What could not be lent, in words.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    fn place(&mut self, name: &Path, original: PathBuf, text: &[u8]) -> io::Result<()> {
        let lent = serde_json::from_slice::<Value>(text).ok().filter(Value::is_object);
        let copy = match lent.as_ref().map(|file| (file, tokens::lendable(file))) {
            Some((file, lendable)) if lendable != *file => serde_json::to_vec_pretty(&lendable)?,
            _ => text.to_owned(),
        };
        let place = self.to.join(name);
        folder(place.parent().unwrap_or(&self.to))?;
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&place)?;
        file.write_all(&copy)?;
        self.files.push(Lent { name: name.to_owned(), original, before: lent });
        Ok(())
    }

    /// Takes renewed tokens over into the user's own files, after the last process of the call is gone; says what
    /// could not be.
    pub(crate) fn take_back(self) -> Vec<String> {
        let take = |file: &Lent| {
            let why = file.take_back(&self.to).err()?;
            Some(format!(
                "tokens in {} are not taken over from the agent: {why}",
                file.name.display()
            ))
        };
        self.files.iter().filter_map(take).collect()
    }
}

impl Lent {
    fn take_back(&self, to: &Path) -> Result<(), String> {
        let Some(lent) = &self.before else {
            return Ok(());
        };
        let Some(returned) = left_behind(to, &self.name)? else {
            return Ok(());
        };
        let returned = serde_json::from_slice::<Value>(&returned)
            .map_err(|_| "its copy is no JSON any more")?;
        let said = |error: io::Error| error.to_string();
        let parent = self.original.parent().ok_or("it has no folder")?;
        let _lock = lock(parent).map_err(said)?;
        for _ in 0..TRIES {
            let Some(before) = plain(&self.original)? else {
                return Ok(());
            };
            let current =
                serde_json::from_slice(&before).map_err(|_| "your own file is no JSON")?;
            let Some(merged) = tokens::renewed(lent, &returned, &current, clock::now()) else {
                return Ok(());
            };
            if write(&self.original, &before, &merged).map_err(said)? {
                return Ok(());
            }
        }
        Err("another program keeps changing your own file".into())
    }
}

/// The user's file of this name, where it is in truth, and its text; `None` if there is none.
fn find(home: &Path, name: &Path) -> Result<Option<(PathBuf, Vec<u8>)>, String> {
    let Ok(original) = home.join(name).canonicalize() else {
        return Ok(None);
    };
    let home = home.canonicalize().map_err(|error| error.to_string())?;
    if !original.starts_with(home) {
        return Err("it is a link that leads out of your home".into());
    }
    Ok(plain(&original)?.map(|text| (original, text)))
}

/// The text of a regular file of this user, never through a link; `None` if nothing is there.
pub(super) fn plain(path: &Path) -> Result<Option<Vec<u8>>, String> {
    // A pipe must not hold up whoever opens it.
    let flags = O_NOFOLLOW | nix::libc::O_NONBLOCK;
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(nix::libc::ELOOP) => {
            return Err("it is a link".into());
        }
        opened => opened.map_err(|error| error.to_string())?,
    };
    let facts = file.metadata().map_err(|error| error.to_string())?;
    if !facts.is_file() {
        return Err("it is no regular file".into());
    }
    if facts.uid() != geteuid().as_raw() {
        return Err("it belongs to another user".into());
    }
    let mut text = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > MAX_FILE {
        return Err("it is too large".into());
    }
    Ok(Some(text))
}

/// The copy as the agent returned it; a link anywhere on the way to it, or a second name for it, is refused.
fn left_behind(to: &Path, name: &Path) -> Result<Option<Vec<u8>>, String> {
    let mut path = to.to_owned();
    for part in name.parent().into_iter().flat_map(Path::components) {
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(facts) if facts.is_dir() => {}
            Ok(_) => return Err("a folder of its copy is no folder any more".into()),
            Err(_) => return Ok(None),
        }
    }
    let copy = to.join(name);
    if fs::symlink_metadata(&copy).is_ok_and(|facts| facts.is_file() && facts.nlink() != 1) {
        return Err("its copy has a second name".into());
    }
    plain(&copy)
}

/// Replaces the user's file at once and whole, unless it is not as it was read; its mode stays.
fn write(path: &Path, before: &[u8], merged: &Value) -> io::Result<bool> {
    let mode = fs::symlink_metadata(path)?.permissions().mode() & 0o777;
    let parent = path.parent().unwrap_or(path);
    let mut file = tempfile::Builder::new().prefix(".ralph-login-").tempfile_in(parent)?;
    file.as_file().set_permissions(Permissions::from_mode(mode))?;
    serde_json::to_writer_pretty(&mut file, merged)?;
    if before.ends_with(b"\n") {
        file.write_all(b"\n")?;
    }
    file.as_file().sync_all()?;
    if plain(path).ok().flatten().as_deref() != Some(before) {
        return Ok(false);
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(true)
}

/// Keeps other ralphs from writing into this folder at the same time; gives up waiting after a second, since the
/// file is compared again before it is replaced.
fn lock(folder: &Path) -> io::Result<File> {
    let file = File::open(folder)?;
    for _ in 0..LOCK_TRIES {
        if file.try_lock().is_ok() {
            break;
        }
        std::thread::sleep(LOCK_PAUSE);
    }
    Ok(file)
}

fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
