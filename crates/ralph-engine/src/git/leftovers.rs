//! What runs left in git beside their branches: kept trees, given-up and parked work. Which of it is the only copy, and
//! removing what nobody needs.
//!
//! Must never touch the branch that a run commits to, nor one that is checked out anywhere.

use std::collections::BTreeSet;

use ralph_core::time::Timestamp;

use super::{error::GitError, repository::Repository};

/// Where runs leave work: refs of their own, given-up tasks, parked tasks.
const PLACES: [&str; 3] = ["refs/ralph", "refs/heads/wip", "refs/heads/ralph/parked"];

/// A ref that a run left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// Full name.
    pub name: String,
    object: String,
    /// When what it names was made.
    pub made: Timestamp,
    /// A branch or tag that stays holds the same commits.
    pub is_merged: bool,
}

impl Repository {
    /// Everything that runs left, in order of name.
    pub fn leftovers(&self) -> Result<Vec<Leftover>, GitError> {
        let format =
            "--format=%(refname)%00%(objectname)%00%(creatordate:unix)%00%(worktreepath)%00";
        let out = self.git.call(&[&["for-each-ref", format], &PLACES[..]].concat()).reads().ok()?;
        let text = String::from_utf8_lossy(&out);
        let mut found = Vec::new();
        for record in text.split("\0\n").filter(|record| !record.is_empty()) {
            let mut fields = record.split('\0');
            let mut next = || fields.next().unwrap_or_default().to_owned();
            let (name, object, made, place) = (next(), next(), next(), next());
            if !place.is_empty() {
                continue;
            }
            let seconds: i64 = made.parse().unwrap_or_default();
            let made = Timestamp(seconds.saturating_mul(1000));
            found.push(Leftover { name, object, made, is_merged: false });
        }
        let names: BTreeSet<String> = found.iter().map(|one| one.name.clone()).collect();
        for one in &mut found {
            one.is_merged = self.is_held_elsewhere(&one.object, &names)?;
        }
        Ok(found)
    }

    /// Whether a ref that is not among these holds an object.
    fn is_held_elsewhere(&self, object: &str, names: &BTreeSet<String>) -> Result<bool, GitError> {
        let contains = format!("--contains={object}");
        let args = ["for-each-ref", "--format=%(refname)", &contains];
        let places = ["refs/heads", "refs/tags", "refs/remotes"];
        let out = self.git.call(&[&args[..], &places].concat()).reads().ok()?;
        let holders = String::from_utf8_lossy(&out);
        Ok(holders.lines().any(|name| !names.contains(name)))
    }

    /// Removes a ref, if it still is what it was.
    pub fn remove_leftover(&self, one: &Leftover) -> Result<(), GitError> {
        self.git.call(&["update-ref", "-d", &one.name, &one.object]).ok().map(drop)
    }
}
