//! The package managers' last answer on disk, for as long as it can be trusted: nothing that it depends on has changed,
//! and it is not old.

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use ralph_core::network::HostRule;
use ralph_text::fingerprint::digest;
use serde::{Deserialize, Serialize};

use crate::atomic_write::{self, Access};

/// The answer's name in ralph's own folder for the repository.
pub(super) const FILE: &str = "registries.json";

/// Managers read more files than anybody can list, so that an answer is not believed for long.
const LONGEST: Duration = Duration::from_hours(24);

/// Variables that change with each terminal and bend no package manager.
const PASSING: &[&str] = &[
    "COLUMNS",
    "LINES",
    "OLDPWD",
    "PWD",
    "SHLVL",
    "STY",
    "TERM",
    "TERM_PROGRAM",
    "TMUX",
    "TMUX_PANE",
    "WINDOWID",
    "XDG_SESSION_ID",
    "_",
];

#[derive(Serialize, Deserialize)]
struct Kept {
    v: u32,
    key: String,
    hosts: Vec<String>,
}

/// What an answer depends on, as far as anybody knows.
pub(super) fn key(
    programs: impl Iterator<Item = PathBuf>,
    files: impl Iterator<Item = PathBuf>,
    environment: &[(OsString, OsString)],
) -> String {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for program in programs {
        let facts = fs::metadata(&program).map(|it| (it.mtime(), it.mtime_nsec(), it.len()));
        parts.push(program.into_os_string().into_encoded_bytes());
        parts.push(format!("{facts:?}").into_bytes());
    }
    parts.extend(files.map(|file| fs::read(file).unwrap_or_default()));
    let lasting = |name: &OsStr| !PASSING.iter().any(|passing| name == *passing);
    let mut set: Vec<_> = environment.iter().filter(|(name, _)| lasting(name)).collect();
    set.sort();
    for (name, value) in set {
        parts.extend([name, value].map(|word| word.as_encoded_bytes().to_vec()));
    }
    digest(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// The last answer, if it was given under the same circumstances.
pub(super) fn read(file: &Path, key: &str) -> Option<Vec<HostRule>> {
    let age = fs::metadata(file).and_then(|facts| facts.modified()).map(|time| time.elapsed());
    if !age.is_ok_and(|age| age.is_ok_and(|age| age < LONGEST)) {
        return None;
    }
    let kept = serde_json::from_slice::<Kept>(&fs::read(file).ok()?).ok()?;
    let hosts = (kept.v == 1 && kept.key == key).then_some(kept.hosts)?;
    Some(hosts.iter().filter_map(|host| host.parse().ok()).collect())
}

/// Keeps an answer. Without it the next run asks again.
pub(super) fn write(file: &Path, key: &str, hosts: &[HostRule]) {
    let hosts = hosts.iter().map(ToString::to_string).collect();
    let text = serde_json::to_vec(&Kept { v: 1, key: key.to_owned(), hosts }).unwrap_or_default();
    atomic_write::replace_unsynced(file, &text, Access::Private).ok();
}
