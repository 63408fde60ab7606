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
        if let Some(why) = self.refuses(&spec.repo, &url) {
            return Err(Lost::Refused(format!("host {}: {why}", self.name)));
        }
        let dir = place::mirror(&self.root, &url);
        Ok(Repository::open(&self.git, &dir, (&url, &spec.branch), folder.name())?)
    }

    /// Why this host does not open an address that it reaches this way, if it does not.
    fn refuses(&self, repo: &str, url: &str) -> Option<String> {
        let reached = self.rewrite.as_ref().map(|rewrite| self.allowed.rewritten(rewrite));
        let is_allowed =
            self.allowed.opens(repo) && reached.as_ref().unwrap_or(&self.allowed).opens(url);
        if !is_allowed {
            return Some(format!(
                "{repo} is not an address that this worker opens; its operator allows addresses with --repos"
            ));
        }
        local::refuses(url, &self.local, &self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a host opens an address that may open these and rewrites that.
    fn opens(repos: &[&str], (from, to): (&str, &str), repo: &str) -> bool {
        let mut host = Host::new("a", "/nowhere/root", "ralph");
        host.allowed = Allowed::new(&repos.iter().map(|&one| one.to_owned()).collect::<Vec<_>>());
        host.rewrite = Some((from.to_owned(), to.to_owned()));
        host.refuses(repo, &host.way_to(repo)).is_none()
    }

    #[test]
    fn a_path_that_is_rewritten_leads_only_to_what_is_allowed() {
        let team = ["git://127.0.0.1:7999/team/"];
        let served = ("/srv/", "git://127.0.0.1:7999/");
        assert!(opens(&team, served, "/srv/team/app.git"));
        for repo in [
            "/srv/other/secret.git",
            "/srv/team/../other/secret.git",
            "/srv/team/%2e%2e/other/secret.git",
            "/srv/team/..;/other/secret.git",
            "/srv/teams/app.git",
            "file:///srv/team/app.git",
            "/home/app.git",
            "git://127.0.0.1:7999/other/secret.git",
        ] {
            assert!(!opens(&team, served, repo), "{repo}");
        }
        // The operator may as well name them as they are submitted.
        assert!(opens(&["/srv/team/"], served, "/srv/team/app.git"));
        assert!(!opens(&["/srv/team/"], served, "/srv/other/secret.git"));
        assert!(!opens(&team, ("/srv/", "git://"), "/srv/evil.example/a.git"));
        assert!(opens(&[], served, "/srv/other/app.git"), "any may be named");
    }

    #[test]
    fn an_address_that_is_rewritten_stays_below_what_is_allowed() {
        let mirror = ("https://git.example.com/", "git://mirror/");
        for start in ["https://git.example.com", "https://git.example.com/team/"] {
            assert!(opens(&[start], mirror, "https://git.example.com/team/app.git"), "{start}");
            assert!(!opens(&[start], mirror, "https://git.example.com/team/../../x"), "{start}");
            assert!(!opens(&[start], mirror, "git://mirror/team/app.git"), "{start}");
        }
        let part = ("https://git.example.com/team/", "git://mirror/");
        let all = ["https://git.example.com/"];
        assert!(opens(&all, part, "https://git.example.com/team/app.git"));
        assert!(opens(&all, part, "https://git.example.com/other/app.git"));
        let open_end = ("https://git.example.com/", "git://mirror");
        assert!(!opens(&all, open_end, "https://git.example.com/.evil.example/app.git"));
    }

    #[test]
    fn an_address_that_becomes_a_path_is_opened_only_where_it_is_offered() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = std::fs::canonicalize(folder.path())?;
        for name in ["srv/app.git", "home/app.git"] {
            std::fs::create_dir_all(root.join(name).join("objects"))?;
            std::fs::create_dir_all(root.join(name).join("refs"))?;
            std::fs::write(root.join(name).join("HEAD"), "ref: refs/heads/main")?;
        }
        let mut host = Host::new("a", root.join("fleet"), "ralph");
        host.allowed = Allowed::new(&["https://git.example.com/".to_owned()]);
        host.local = vec![root.join("srv")];
        let to = format!("{}/srv/", root.display());
        host.rewrite = Some(("https://git.example.com/".to_owned(), to));
        let opens = |repo: &str| host.refuses(repo, &host.way_to(repo)).is_none();
        assert!(opens("https://git.example.com/app.git"));
        assert!(!opens("https://git.example.com/../home/app.git"));
        assert!(!opens(&root.join("home/app.git").to_string_lossy()));
        Ok(())
    }
}
