//! A host: where loops work, with which ralph, and what it is called.

use std::{fmt, path::PathBuf, time::Duration};

use super::{
    active::Active,
    allowed::Allowed,
    line::Line,
    local,
    place::{self, Folder},
    quota::Quota,
    wishes,
};
use crate::{
    truth::{Program, Repository},
    wire::{LoopSpec, Wish},
};

/// One host, as a worker knows it.
#[derive(Debug, Clone)]
pub struct Host {
    pub name: String,
    /// Everything of this host lies below it.
    pub root: PathBuf,
    /// The ralph that does the work.
    pub ralph: PathBuf,
    /// How git is run, and with which credentials.
    pub git: Program,
    /// Where this host reaches repositories: a beginning of their addresses, and what stands for it here.
    pub rewrite: Option<(String, String)>,
    /// Addresses that loops may name.
    pub allowed: Allowed,
    /// Folders whose repositories loops may name by path.
    pub local: Vec<PathBuf>,
    /// The home that ralph and its agents get; none is the worker's.
    pub home: Option<PathBuf>,
    /// Truths of later versions are refused.
    pub version: String,
    pub quota: Quota,
    pub(super) active: Active,
}

/// Why a stint gives no report.
#[derive(Debug)]
pub enum Lost {
    /// The branch is somebody else's.
    Fenced(String),
    /// Neither server nor remote answered; the agent was ended.
    CutOff,
    /// Another host can do it: this one is too old for the truth.
    Refused(String),
    Failed(anyhow::Error),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fenced(why) => write!(f, "the branch is taken: {why}"),
            Self::CutOff => write!(f, "neither server nor remote answered; the agent was ended"),
            Self::Refused(why) => write!(f, "{why}"),
            Self::Failed(error) => write!(f, "{error:#}"),
        }
    }
}

impl std::error::Error for Lost {}

impl From<anyhow::Error> for Lost {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}

/// How long a delivered wish may take until the truth has it.
const KEPT_WITHIN: Duration = Duration::from_secs(15);

impl Host {
    pub fn new(
        name: impl Into<String>,
        root: impl Into<PathBuf>,
        ralph: impl Into<PathBuf>,
    ) -> Self {
        Self {
            name: name.into(),
            root: root.into(),
            ralph: ralph.into(),
            git: Program::default(),
            rewrite: None,
            allowed: Allowed::default(),
            local: Vec::new(),
            home: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            quota: Quota::default(),
            active: Active::default(),
        }
    }

    /// Puts a wish into the inbox of a loop's run and waits until the truth has it too; false if no ralph works on that
    /// loop here yet, or if it ended without.
    pub fn deliver(&self, key: &str, wish: &Wish) -> anyhow::Result<bool> {
        let Some(line) = self.active.line(key).filter(Line::has_begun) else {
            return Ok(false);
        };
        let name = wishes::file_name(&wish.id)?;
        wishes::put(&Folder::new(&self.root, key).work(), wish)?;
        line.tell_of_a_wish(&name, &wish.id);
        Ok(line.is_kept(&name, KEPT_WITHIN))
    }

    /// Where this host keeps work of a loop for a person.
    pub fn kept(&self, key: &str) -> Vec<String> {
        place::kept(Folder::new(&self.root, key).path())
    }

    /// An address as this host reaches it.
    pub fn way_to(&self, repo: &str) -> String {
        let rewritten = self
            .rewrite
            .as_ref()
            .and_then(|(from, to)| Some(format!("{to}{}", repo.strip_prefix(from.as_str())?)));
        rewritten.unwrap_or_else(|| repo.to_owned())
    }

    /// The loop's repository, as this host reaches it.
    pub(super) fn repository(&self, spec: &LoopSpec, folder: &Folder) -> Result<Repository, Lost> {
        let url = self.way_to(&spec.repo);
        let refused = self.allowed.refuses(&spec.repo);
        if let Some(why) = refused.or_else(|| local::refuses(&url, &self.local, &self.root)) {
            return Err(Lost::Refused(format!("host {}: {why}", self.name)));
        }
        let dir = place::mirror(&self.root, &url);
        Ok(Repository::open(&self.git, &dir, (&url, &spec.branch), folder.name())?)
    }
}
