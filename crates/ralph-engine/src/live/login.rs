//! An agent's login for one call: copies of its files, without what would outlast the call.
//!
//! Copies only go in. Whatever an agent makes of them is gone with the call: it could be anybody's login.

#[cfg(test)]
mod tests;

use std::{
    fs::{DirBuilder, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Component, Path},
};

use nix::unistd::geteuid;
use ralph_agents::tokens;
use ralph_core::time::Timestamp;
use serde_json::Value;

use crate::safe_files;

/// Most bytes of a login file.
const MAX_FILE: u64 = 16 << 20;

/// What files hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// A login: what is no JSON may hold a refresh token where nobody can take it out.
    Login,
    Configuration,
}

/// What of a login or a configuration an agent has copies of.
#[derive(Debug, Default)]
pub(super) struct Lent {
    /// Names of the files, relative to the home.
    pub(super) files: Vec<String>,
    /// What could not be lent, in words.
    pub(super) notes: Vec<String>,
    /// When the first of the access tokens stops working.
    pub(super) expires: Option<Timestamp>,
}

/// Copies those of the files below `home` that are there to the same places below `to`, for this user alone.
pub(super) fn lend(files: &[&str], holds: Holds, home: &Path, to: &Path) -> io::Result<Lent> {
    let mut lent = Lent::default();
    folder(to)?;
    for name in files {
        if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
            let what = format!("{name} is not a path inside the home");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        match find(home, Path::new(name))
            .and_then(|text| text.map(|it| copy(it, holds)).transpose())
        {
            Ok(Some((copy, expires))) => {
                place(&to.join(name), &copy)?;
                lent.files.push((*name).to_owned());
                lent.expires = [lent.expires, expires].into_iter().flatten().min();
            }
            Ok(None) => {}
            Err(why) => lent.notes.push(format!("the agent gets no copy of ~/{name}: {why}")),
        }
    }
    Ok(lent)
}

/// What a copy of a file says, and when the login in it ends.
fn copy(text: Vec<u8>, holds: Holds) -> Result<(Vec<u8>, Option<Timestamp>), String> {
    let Ok(file) = serde_json::from_slice::<Value>(&text) else {
        return match holds {
            Holds::Login => Err("it is not JSON, so ralph cannot take the refresh token out; \
                                 set the agent's key variable instead"
                .into()),
            Holds::Configuration => Ok((text, None)),
        };
    };
    let lendable = tokens::lendable(&file);
    let copy = if lendable == file { Ok(text) } else { serde_json::to_vec_pretty(&lendable) };
    let expires = (holds == Holds::Login).then(|| tokens::expiry(&lendable)).flatten();
    Ok((copy.map_err(|error| error.to_string())?, expires))
}

fn place(path: &Path, text: &[u8]) -> io::Result<()> {
    folder(path.parent().unwrap_or(path))?;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?.write_all(text)
}

/// The text of the user's file of this name; `None` if there is none.
fn find(home: &Path, name: &Path) -> Result<Option<Vec<u8>>, String> {
    let Ok(original) = home.join(name).canonicalize() else {
        return Ok(None);
    };
    let home = home.canonicalize().map_err(|error| error.to_string())?;
    if !original.starts_with(home) {
        return Err("it is a link that leads out of your home".into());
    }
    plain(&original)
}

/// The text of a regular file of this user, never through a link; `None` if nothing is there.
pub(super) fn plain(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let (text, about) = match safe_files::read(path, MAX_FILE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| error.to_string())?,
    };
    if about.uid() != geteuid().as_raw() {
        return Err("it belongs to another user".into());
    }
    Ok(Some(text))
}

fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
