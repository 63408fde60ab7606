//! Trust in a repository's agent configuration: finds the configuration, and keeps what the user trusts in the user's
//! own state folder. Nothing in the repository can make itself trusted.

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    fs::{self, DirBuilder},
    io,
    os::unix::{
        ffi::OsStrExt as _,
        fs::{DirBuilderExt as _, MetadataExt as _},
    },
    path::{Path, PathBuf},
};

use nix::unistd::geteuid;
use ralph_agents::trust::{ConfigFile, ORIGINS, ProjectConfig, is_left_alone};
use ralph_core::effect::Loadable;
use ralph_core::time::Timestamp;
use ralph_text::fingerprint::digest;
use serde::{Deserialize, Serialize};

use crate::{
    atomic_write::{self, Access},
    clock,
    git::Repository,
    safe_files,
};

/// Most files, bytes and levels of folders that are looked through.
const MAX_FILES: usize = 16_384;
const MAX_BYTES: u64 = 64 << 20;
const MAX_DEPTH: usize = 16;
/// Most bytes of a record of trust.
const MAX_RECORD: u64 = 4 << 20;

/// How the agent configuration in a folder stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// There is none.
    Nothing,
    /// It is what the user trusts.
    Trusted(ProjectConfig),
    /// The user never said anything about it.
    Unknown(ProjectConfig),
    /// The user trusted other contents; these paths are new, changed or gone.
    Changed { config: ProjectConfig, paths: Vec<String> },
    /// It cannot be looked at, so nobody can trust it.
    Unreadable { why: String },
}

impl Standing {
    /// What may be loaded from this folder.
    pub fn loadable(&self, root: &Path) -> Loadable {
        let root = root.to_string_lossy().into_owned();
        let files = match self {
            Self::Trusted(config) => config.files.iter().map(|file| file.path.clone()).collect(),
            _ => Vec::new(),
        };
        Loadable { root, files }
    }

    /// One line for people; `None` if there is nothing to say.
    pub fn words(&self) -> Option<String> {
        let listed = |paths: &[&str]| match paths {
            [one, two, three, rest @ ..] if !rest.is_empty() => {
                format!("{one}, {two}, {three} and {} more", rest.len())
            }
            all => all.join(", "),
        };
        let names = |config: &ProjectConfig| {
            listed(&config.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>())
        };
        Some(match self {
            Self::Nothing => return None,
            Self::Trusted(config) => format!("trusted, loaded ({})", names(config)),
            Self::Unknown(config) => format!("not loaded (ralph trust): {}", names(config)),
            Self::Changed { paths, .. } => {
                let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
                format!(
                    "not loaded, it changed since you trusted it (ralph trust): {}",
                    listed(&paths)
                )
            }
            Self::Unreadable { why } => format!("not loaded: {why}"),
        })
    }
}

/// Where the user's trust in one repository is kept.
#[derive(Debug, Clone)]
pub struct Ledger {
    file: PathBuf,
    repository: String,
}

/// What the user trusts in one repository.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    repository: String,
    digest: String,
    /// Digest of each file, to tell what changed.
    files: BTreeMap<String, String>,
    at: Timestamp,
}

impl Ledger {
    /// The ledger of this repository, shared by all its worktrees.
    pub fn of(repository: &Repository, state_home: &Path) -> Self {
        Self::at(repository.common_dir(), state_home)
    }

    fn at(common_dir: &Path, state_home: &Path) -> Self {
        let name = digest(&[common_dir.as_os_str().as_bytes()]);
        let file = state_home.join("ralph").join("trust").join(format!("{}.json", &name[..32]));
        Self { file, repository: common_dir.to_string_lossy().into_owned() }
    }

    /// How the configuration below `root` stands now.
    pub fn standing(&self, root: &Path) -> Standing {
        let config = match look(root) {
            Ok(config) if config.is_empty() => return Standing::Nothing,
            Ok(config) => config,
            Err(why) => return Standing::Unreadable { why },
        };
        match self.record() {
            None => Standing::Unknown(config),
            Some(record) if record.digest == config.digest() => Standing::Trusted(config),
            Some(record) => Standing::Changed { paths: changes(&record, &config), config },
        }
    }

    /// Remembers that the user trusts this configuration, and no other.
    pub fn trust(&self, config: &ProjectConfig) -> io::Result<()> {
        let record = Record {
            repository: self.repository.clone(),
            digest: config.digest(),
            files: config.files.iter().map(|f| (f.path.clone(), f.digest.clone())).collect(),
            at: clock::now(),
        };
        let folder = self.file.parent().unwrap_or(&self.file);
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let mut text = serde_json::to_vec_pretty(&record)?;
        text.push(b'\n');
        atomic_write::replace(&self.file, &text, Access::Private)
    }

    /// Forgets it; says whether there was any.
    pub fn revoke(&self) -> io::Result<bool> {
        match fs::remove_file(&self.file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What stands in the ledger; anything odd about it counts as nothing.
    fn record(&self) -> Option<Record> {
        let (text, about) = safe_files::read(&self.file, MAX_RECORD).ok()?;
        if about.uid() != geteuid().as_raw() || about.mode() & 0o022 != 0 {
            return None;
        }
        let record: Record = serde_json::from_slice(&text).ok()?;
        (record.repository == self.repository).then_some(record)
    }
}

fn changes(record: &Record, config: &ProjectConfig) -> Vec<String> {
    let now: BTreeMap<&str, &str> =
        config.files.iter().map(|file| (file.path.as_str(), file.digest.as_str())).collect();
    let gone = record.files.keys().filter(|path| !now.contains_key(path.as_str())).cloned();
    let differs = now
        .iter()
        .filter(|(path, digest)| record.files.get(**path).map(String::as_str) != Some(**digest))
        .map(|(path, _)| (*path).to_owned());
    let mut paths: Vec<String> = differs.chain(gone).collect();
    paths.sort();
    paths
}

/// All agent configuration below this folder; says why if it cannot be looked at as a whole.
pub fn look(root: &Path) -> Result<ProjectConfig, String> {
    let root = root.canonicalize().map_err(|error| error.to_string())?;
    let mut walk = Walk { root: &root, files: Vec::new(), bytes: 0 };
    for origin in ORIGINS {
        // A folder above it can be a link too: `.github` in `.github/hooks`.
        walk.entry(origin.path, "", 0)?;
    }
    Ok(ProjectConfig::of(walk.files))
}

struct Walk<'a> {
    root: &'a Path,
    files: Vec<ConfigFile>,
    bytes: u64,
}

impl Walk<'_> {
    /// Looks at one path below the root; `link` is where a link on the way to it leads.
    fn entry(&mut self, path: &str, link: &str, depth: usize) -> Result<(), String> {
        if is_left_alone(path) {
            return Ok(());
        }
        let full = self.root.join(path);
        let said = |error: io::Error| format!("{path}: {error}");
        let facts = match fs::symlink_metadata(&full) {
            Err(error) if is_absent(&error) => return Ok(()),
            facts => facts.map_err(said)?,
        };
        // Also where only a folder above it is a link.
        let truth =
            full.canonicalize().map_err(|_| format!("{path} is a link that leads nowhere"))?;
        if !truth.starts_with(self.root) {
            return Err(format!("{path} is a link that leads out of the repository"));
        }
        let mut link = link.to_owned();
        if facts.is_symlink() {
            link = format!("{link}>{}", fs::read_link(&full).map_err(said)?.display());
        }
        if depth > MAX_DEPTH {
            return Err(format!("{path} is nested too deeply"));
        }
        let facts = fs::metadata(&truth).map_err(said)?;
        if facts.is_dir() {
            return self.folder(path, &truth, (&link, depth));
        }
        if !facts.is_file() {
            return Err(format!("{path} is neither a file nor a folder"));
        }
        self.bytes += facts.len();
        if self.files.len() >= MAX_FILES || self.bytes > MAX_BYTES {
            return Err("there are too many files, or they are too large".into());
        }
        let (text, _) = safe_files::read(&truth, MAX_BYTES).map_err(said)?;
        self.files.push(ConfigFile::new(path, &link, &text));
        Ok(())
    }

    fn folder(
        &mut self,
        path: &str,
        truth: &Path,
        (link, depth): (&str, usize),
    ) -> Result<(), String> {
        for entry in fs::read_dir(truth).map_err(|error| format!("{path}: {error}"))? {
            let name = entry.map_err(|error| format!("{path}: {error}"))?.file_name();
            let name =
                name.to_str().ok_or_else(|| format!("{path} has a name that is not UTF-8"))?;
            self.entry(&format!("{path}/{name}"), link, depth + 1)?;
        }
        Ok(())
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
