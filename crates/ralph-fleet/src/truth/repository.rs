//! A repository as one loop sees it: a bare one on this host through which everything goes, and the remote behind it.
//! Each loop has a space of refs of its own there, so that loops of one repository never wait for each other.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context as _, Result, bail};

use super::git::{Git, Program};

/// Refs and what they point to.
pub(crate) type Refs = BTreeMap<String, String>;

/// Held by whoever makes a repository: loops that begin together may share one.
static MAKING: Mutex<()> = Mutex::new(());

/// One loop's view of a repository and its remote.
#[derive(Debug, Clone)]
pub struct Repository {
    pub(super) git: Git,
    pub(super) url: String,
    branch: String,
    space: String,
}

/// What a remote has.
#[derive(Debug, Clone, Default)]
pub(crate) struct Advertised {
    pub(crate) refs: Refs,
    /// The branch that is checked out by default.
    pub(crate) default_branch: Option<String>,
}

impl Repository {
    /// Opens the bare repository in this folder and makes it if need be. `name` is the loop's, and tells its refs
    /// from those of other loops there.
    pub fn open(
        program: &Program,
        dir: &Path,
        (url, branch): (&str, &str),
        name: &str,
    ) -> Result<Self> {
        let (full, space) = (format!("refs/heads/{branch}"), format!("refs/loops/{name}"));
        for one in [&full, &space] {
            if !is_plain(one) {
                bail!("{one} is not a valid ref name; choose a plain branch name");
            }
        }
        if url.is_empty() || url.starts_with('-') {
            bail!("{url:?} is not the address of a repository");
        }
        let git = Git::new(program, dir);
        let alone = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        if !dir.join("HEAD").is_file() {
            make_bare(&git)?;
        }
        drop(alone);
        Ok(Self { git, url: url.to_owned(), branch: branch.to_owned(), space })
    }

    /// A way out for what a run made in its folder: a repository that reads the objects of both and that nothing
    /// depends on. This one would be broken once the folder is gone.
    pub fn way_out(&self, dir: &Path, work: &Path) -> Result<Self> {
        if dir.exists() {
            fs::remove_dir_all(dir).with_context(|| format!("cannot remove {}", dir.display()))?;
        }
        let git = self.git.in_place(dir);
        make_bare(&git)?;
        self.lead_way_out(dir, work)?;
        Ok(Self { git, ..self.clone() })
    }

    /// Lets a way out read the objects of a run's folder, wherever that lies now.
    pub(crate) fn lead_way_out(&self, dir: &Path, work: &Path) -> Result<()> {
        let (own, theirs) = (self.dir().join("objects"), work.join(".git/objects"));
        let text = format!("{}\n{}\n", own.display(), theirs.display());
        fs::create_dir_all(dir.join("objects/info"))
            .and_then(|()| fs::write(dir.join("objects/info/alternates"), text))
            .with_context(|| format!("cannot write below {}", dir.display()))
    }

    /// The same, for commands that must not take longer than this.
    #[must_use]
    pub fn within(&self, patience: Duration) -> Self {
        Self { git: self.git.within(patience), ..self.clone() }
    }

    /// The ref on the remote whose commits are the truth.
    pub fn truth_ref(&self) -> String {
        format!("refs/ralph/fleet/{}", self.branch)
    }

    pub fn run_branch(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }

    /// Where this repository keeps the truth it knows.
    pub(super) fn own_truth(&self) -> String {
        format!("{}/truth", self.space)
    }

    /// Where this repository keeps a ref of the remote's for this loop.
    pub(crate) fn own(&self, name: &str) -> String {
        format!("{}/{}", self.space, name.trim_start_matches("refs/"))
    }

    pub(crate) fn dir(&self) -> &Path {
        self.git.dir()
    }

    /// What the remote has under these names or patterns.
    pub(crate) fn advertised(&self, patterns: &[&str]) -> Result<Advertised> {
        let mut args = vec!["ls-remote", "--quiet", "--symref", "--", &self.url];
        args.extend(patterns);
        let text = self.git.ask(&args)?;
        let mut known = Advertised::default();
        for (value, name) in text.lines().filter_map(|line| line.split_once('\t')) {
            match value.strip_prefix("ref: refs/heads/") {
                Some(branch) => known.default_branch = Some(branch.to_owned()),
                None => drop(known.refs.insert(name.to_owned(), value.to_owned())),
            }
        }
        Ok(known)
    }

    /// What the truth ref on the remote points to.
    pub fn remote_truth(&self) -> Result<Option<String>> {
        let name = self.truth_ref();
        Ok(self.advertised(&[&name])?.refs.remove(&name))
    }

    /// Brings refs of the remote here: pairs of a name there and a name here.
    pub(crate) fn fetch(&self, pairs: &[(String, String)]) -> Result<()> {
        if pairs.is_empty() {
            return Ok(());
        }
        let specs: Vec<String> = pairs.iter().map(|(from, to)| format!("+{from}:{to}")).collect();
        let mut args =
            vec!["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", &self.url];
        args.extend(specs.iter().map(String::as_str));
        self.git.ask(&args).map(drop)
    }

    /// Refs below these prefixes in another repository, whose configuration starts nothing here.
    pub(crate) fn refs_in(&self, git_dir: &Path, prefixes: &[impl AsRef<str>]) -> Result<Refs> {
        let mut args = vec!["for-each-ref", "--format=%(refname) %(objectname)"];
        args.extend(prefixes.iter().map(AsRef::as_ref));
        let text = self.git.in_place(git_dir).ask(&args)?;
        let pairs = text.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(name, oid)| (name.to_owned(), oid.to_owned())).collect())
    }

    /// Whether a run's folder has commits that this repository, just brought up to date, has not: never published, or
    /// taken from the remote since.
    pub(crate) fn lacks_work_of(&self, work: &Path) -> Result<bool> {
        let there = self.refs_in(&work.join(".git"), &self.run_refs("refs/ralph/"))?;
        for oid in there.values() {
            if !self.git.agrees(&["cat-file", "-e", oid])? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the refs of a run begin with, those of its own below this one.
    pub(super) fn run_refs(&self, own: &str) -> [String; 4] {
        let branch = self.run_branch();
        [&branch, "refs/heads/ralph/parked/", "refs/heads/wip/", own].map(str::to_owned)
    }

    /// Whether the first commit is the second or one of those it stands on.
    pub(crate) fn is_within(&self, old: &str, new: &str) -> Result<bool> {
        self.git.agrees(&["merge-base", "--is-ancestor", old, new])
    }
}

fn make_bare(git: &Git) -> Result<()> {
    let dir = git.dir();
    fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    git.ask(&["init", "--quiet", "--bare", "--template=", "--initial-branch=none"]).map(drop)
}

/// Whether git takes this as a ref's full name, and a refspec takes it as nothing more.
pub(crate) fn is_plain(name: &str) -> bool {
    let is_odd = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
    let is_bad = |part: &str| {
        let is_lock = Path::new(part).extension().is_some_and(|end| end == "lock");
        part.is_empty() || part.starts_with(['.', '-']) || part.ends_with('.') || is_lock
    };
    !name.contains(is_odd)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.split('/').any(is_bad)
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn a_branch_cannot_smuggle_in_a_refspec() {
        for good in ["refs/heads/ralph/app", "refs/heads/a-b_c.d", "refs/heads/ü"] {
            assert!(is_plain(good), "{good}");
        }
        for bad in [
            "a:b", "a b", "a*", "a..b", "a//b", "a/", "/a", "a/.b", "a.lock", "a@{1}", "a\n", "^a",
            "-a",
        ] {
            assert!(!is_plain(bad), "{bad}");
        }
    }
}
