//! Where everything is in the scratch world that an attempt is made in: all of it is known from one folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The places of the scratch world.
#[derive(Debug, Clone)]
pub struct World {
    folder: PathBuf,
    work: PathBuf,
}

impl World {
    /// The world below `folder`, seen from a worktree of it.
    pub fn new(folder: &Path, work: &Path) -> Self {
        Self { folder: folder.to_owned(), work: work.to_owned() }
    }

    /// The world as the worktree that this process is in tells it.
    pub fn around() -> io::Result<Self> {
        let work = std::env::current_dir()?;
        let folder = fs::read_to_string(work.join("escape/world"))?;
        Ok(Self { folder: folder.trim().into(), work })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The worktree that the agent works in.
    pub fn work(&self) -> &Path {
        &self.work
    }

    /// The user's home folder.
    pub fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// The repository's main worktree.
    pub fn main(&self) -> PathBuf {
        self.home().join("code/work")
    }

    /// A folder of the attempts' own in the worktree, which git ignores.
    pub fn own(&self, name: &str) -> PathBuf {
        self.work.join("escape").join(name)
    }

    /// Where attempts tell what came of them: outside the worktree, of which only what git would track stays.
    pub fn told(&self, name: &str) -> PathBuf {
        self.folder.join("told").join(name)
    }

    /// Where a program leaves a sign that it was run outside.
    pub fn marks(&self) -> PathBuf {
        self.folder.join("marks")
    }

    /// What a file is called that an attempt leaves in a folder of the machine, where other worlds leave theirs.
    pub fn mark_name(&self) -> String {
        let own = self.folder.file_name().unwrap_or_default();
        format!("ralph-escape-mark{}", own.to_string_lossy())
    }

    /// A process outside: `ralph`, or one that is there to be hurt.
    pub fn process(&self, name: &str) -> Option<i32> {
        fs::read_to_string(self.own(name)).ok()?.trim().parse().ok()
    }

    /// `{home}`, `{work}`, `{main}`, `{git}`, `{outside}`, `{folder}`, `{mark}`, `{uid}` and `{ralph}` (its process)
    /// by what they stand for.
    pub fn expand(&self, text: &str) -> PathBuf {
        let shown = |path: PathBuf| path.display().to_string();
        text.replace("{home}", &shown(self.home()))
            .replace("{work}", &shown(self.work.clone()))
            .replace("{main}", &shown(self.main()))
            .replace("{git}", &shown(self.main().join(".git")))
            .replace("{outside}", &shown(self.folder.join("outside")))
            .replace("{folder}", &shown(self.folder.clone()))
            .replace("{mark}", &self.mark_name())
            .replace("{uid}", &nix::unistd::Uid::current().to_string())
            .replace("{ralph}", &self.process("ralph").unwrap_or(-1).to_string())
            .into()
    }
}
