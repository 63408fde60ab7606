//! Git in memory: commits, the run branch, refs that keep things, and one worktree.

use std::collections::BTreeMap;

use ralph_core::ids::{CommitId, TaskId};

use super::tree::Tree;

/// Who made a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Author {
    User,
    Agent,
    /// With its trailers.
    Ralph {
        iteration: u32,
        task: TaskId,
    },
    /// It only keeps a tree, for this reason.
    Keep(String),
}

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    pub tree: Tree,
    pub parent: Option<usize>,
    pub author: Author,
}

/// A repository.
#[derive(Debug, Clone)]
pub struct Git {
    pub commits: Vec<Object>,
    /// Where the run branch stands.
    pub branch: Option<usize>,
    /// Refs and branches beside it.
    pub refs: BTreeMap<String, usize>,
    pub worktree: Tree,
}

impl Git {
    pub fn new(base: Tree) -> Self {
        let first = Object { tree: base, parent: None, author: Author::User };
        Self { commits: vec![first], branch: None, refs: BTreeMap::new(), worktree: base }
    }

    pub fn commit(&mut self, tree: Tree, parent: usize, author: Author) -> usize {
        self.commits.push(Object { tree, parent: Some(parent), author });
        self.commits.len() - 1
    }

    pub fn name(at: usize) -> CommitId {
        CommitId(format!("c{at}"))
    }

    pub fn find(&self, id: &CommitId) -> Option<usize> {
        let at: usize = id.as_str().strip_prefix('c')?.parse().ok()?;
        (at < self.commits.len()).then_some(at)
    }

    pub fn tree(&self, at: usize) -> Tree {
        self.commits.get(at).map_or(Tree(0), |commit| commit.tree)
    }

    /// Where the run branch stands.
    pub fn head(&self) -> usize {
        self.branch.unwrap_or(0)
    }

    pub fn descends(&self, mut from: usize, ancestor: usize) -> bool {
        loop {
            if from == ancestor {
                return true;
            }
            match self.commits.get(from).and_then(|commit| commit.parent) {
                Some(parent) => from = parent,
                None => return false,
            }
        }
    }

    /// Keeps a tree under the first free name: the same again is the same, and nothing is overwritten.
    pub fn keep(&mut self, name: &str, tree: Tree, parent: usize, why: &str) -> String {
        let object = Object { tree, parent: Some(parent), author: Author::Keep(why.to_owned()) };
        let mut free = name.to_owned();
        for number in 2.. {
            match self.refs.get(&free).and_then(|&at| self.commits.get(at)) {
                Some(there) if *there == object => return free,
                Some(_) => free = format!("{name}-{number}"),
                None => break,
            }
        }
        self.commits.push(object);
        self.refs.insert(free.clone(), self.commits.len() - 1);
        free
    }

    /// What the branch has beyond what both share, on top of `onto`. `None` if there is no such branch.
    pub fn merged(&self, branch: &str, onto: usize) -> Option<Tree> {
        let parked = *self.refs.get(branch)?;
        let mut shared = parked;
        while !self.descends(onto, shared) {
            shared = self.commits.get(shared)?.parent?;
        }
        let (base, theirs) = (self.tree(shared), self.tree(parked));
        Some(self.tree(onto).with(theirs.without(base)).without(base.without(theirs)))
    }

    /// Whether some ref or the run branch's history holds this tree.
    pub fn holds(&self, tree: Tree) -> bool {
        self.refs.values().any(|&at| self.tree(at) == tree)
            || self.history().any(|at| self.tree(at) == tree)
    }

    /// The run branch's commits, newest first.
    pub fn history(&self) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.branch, |&at| {
            self.commits.get(at).and_then(|commit| commit.parent)
        })
    }
}
