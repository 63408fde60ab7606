//! What an agent has of its own during one call: a folder to write in, and a home with a copy of its login.
//!
//! Nothing of it outlives the call but renewed tokens.

use std::{
    fs::DirBuilder,
    io::{self, Write as _},
    os::unix::fs::DirBuilderExt as _,
    path::PathBuf,
};

use ralph_core::agents::Facts;

use super::login::Login;
use crate::{git::remove_all, private};

/// See the module. Dropping it removes everything.
pub(super) struct Belongings {
    folder: PathBuf,
    login: Option<Login>,
}

impl Belongings {
    /// Makes the folder anew.
    pub(super) fn new(folder: PathBuf) -> io::Result<Self> {
        if folder.exists() {
            remove_all(&folder)?;
        }
        let belongings = Self { folder, login: None };
        for folder in [belongings.scratch(), belongings.home()] {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        Ok(belongings)
    }

    /// Where the agent and its hooks may write.
    pub(super) fn scratch(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    /// What is at the place of the user's home in a box.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// Packs copies of the agent's login and configuration, and files that this call needs beside them. Says what could
    /// not be copied, and where the configuration is.
    pub(super) fn pack(
        &mut self,
        facts: &Facts,
        own: &Source,
        files: &[(String, String)],
    ) -> io::Result<(Vec<String>, PathBuf)> {
        let folder = self.home().join(config_folder(facts));
        let lend = |names: &[&'static str]| match &own.moved {
            None => Login::lend(names, &own.home, &self.home()),
            Some(moved) => {
                let prefix = config_folder(facts);
                let below = |name: &&'static str| name.strip_prefix(prefix)?.strip_prefix('/');
                let names: Vec<&str> = names.iter().filter_map(below).collect();
                Login::lend(&names, moved, &folder)
            }
        };
        let (login, configuration) = (lend(facts.login_files)?, lend(facts.config_files)?);
        let notes = login.notes().iter().chain(configuration.notes()).cloned().collect();
        for (name, text) in files {
            private::begin(&self.folder, &folder.join(name))?.write_all(text.as_bytes())?;
        }
        self.login = Some(login);
        Ok((notes, folder))
    }

    /// After the last process of the call is gone: keeps renewed tokens, and says what could not be kept.
    pub(super) fn unpack(mut self) -> Vec<String> {
        self.login.take().map(Login::take_back).unwrap_or_default()
    }
}

/// Where the user's own files are.
pub(super) struct Source {
    pub(super) home: PathBuf,
    /// The folder of the agent's configuration, if the user moved it.
    pub(super) moved: Option<PathBuf>,
}

/// The folder of an agent's configuration below the home.
fn config_folder(facts: &Facts) -> &'static str {
    let first =
        facts.login_files.iter().chain(facts.config_files).next().copied().unwrap_or_default();
    first.split('/').next().unwrap_or_default()
}

impl Drop for Belongings {
    fn drop(&mut self) {
        // What stays is removed by the next call's or the next run's.
        let _ = remove_all(&self.folder);
    }
}
