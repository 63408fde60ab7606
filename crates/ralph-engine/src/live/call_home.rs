//! What an agent has of its own during one call: a folder to write in, files to read, and a home with a copy of its
//! login.
//!
//! Nothing of it outlives the call.

use std::{
    fs::DirBuilder,
    io::{self, Write as _},
    os::unix::fs::DirBuilderExt as _,
    path::PathBuf,
};

use ralph_core::agent_facts::Facts;

use super::login::{self, Holds, Lent};
use crate::{remove::remove_all, safe_files};

/// See the module. Dropping it removes everything.
pub(super) struct CallHome {
    folder: PathBuf,
}

/// What was packed.
pub(super) struct Packed {
    /// The agent's login, or nothing of it where it works with a key.
    pub(super) login: Lent,
    /// What could not be copied.
    pub(super) notes: Vec<String>,
    /// Where the configuration is.
    pub(super) folder: PathBuf,
}

impl CallHome {
    /// Makes the folder anew.
    pub(super) fn new(folder: PathBuf) -> io::Result<Self> {
        if folder.exists() {
            remove_all(&folder)?;
        }
        let call_home = Self { folder };
        for folder in [call_home.scratch(), call_home.home(), call_home.files()] {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        Ok(call_home)
    }

    /// Where the agent and its hooks may write.
    pub(super) fn scratch(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    /// What is at the place of the user's home in a box.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// Files that this call needs: settings, schemas, what its hooks must know. The agent reads them here and cannot
    /// change them.
    pub(super) fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// Writes one of these files as it is.
    pub(super) fn write(&self, name: &str, text: &[u8]) -> io::Result<()> {
        safe_files::begin(&self.folder, &self.files().join(name))?.write_all(text)
    }

    /// Packs copies of the agent's login and configuration, and files that this call needs beside them.
    pub(super) fn pack(
        &self,
        facts: &Facts,
        own: &Source,
        files: &[(String, String)],
    ) -> io::Result<Packed> {
        let folder = self.home().join(config_folder(facts));
        let lend = |names: &[&'static str], holds| match &own.moved {
            None => login::lend(names, holds, &own.home, &self.home()),
            Some(moved) => {
                let prefix = config_folder(facts);
                let below = |name: &&'static str| name.strip_prefix(prefix)?.strip_prefix('/');
                let names: Vec<&str> = names.iter().filter_map(below).collect();
                login::lend(&names, holds, moved, &folder)
            }
        };
        let of_login = if own.has_key { &[] } else { facts.login_files };
        let mut login = lend(of_login, Holds::Login)?;
        let mut notes = lend(facts.config_files, Holds::Configuration)?.notes;
        notes.append(&mut login.notes);
        for (name, text) in files {
            safe_files::begin(&self.folder, &folder.join(name))?.write_all(text.as_bytes())?;
        }
        Ok(Packed { login, notes, folder })
    }
}

/// Where the user's own files are.
pub(super) struct Source {
    pub(super) home: PathBuf,
    /// The folder of the agent's configuration, if the user moved it.
    pub(super) moved: Option<PathBuf>,
    /// It works with a key that stays outside, and needs no login.
    pub(super) has_key: bool,
}

/// The folder of an agent's configuration below the home.
fn config_folder(facts: &Facts) -> &'static str {
    let first =
        facts.login_files.iter().chain(facts.config_files).next().copied().unwrap_or_default();
    first.split('/').next().unwrap_or_default()
}

impl Drop for CallHome {
    fn drop(&mut self) {
        // What stays is removed by the next call's or the next run's.
        let _ = remove_all(&self.folder);
    }
}
