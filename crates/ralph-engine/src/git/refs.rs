//! HEAD, branches, tags and notes: what they were, who moved them, and putting them back.
//!
//! Must never lose a value: what is moved back is first kept under `refs/ralph/<run>/moved/`.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use ralph_core::ids::CommitId;
use serde::{Deserialize, Serialize};

use super::{binding::Git, command::Call, converse::Reply, error::GitError};

/// So often something is written that a clean-up of the repository takes away before a ref holds it.
pub(super) const WRITES: usize = 4;

/// The refs of a repository at one moment, seen from one worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refs {
    /// Full name of the branch that is checked out, unless HEAD is detached.
    pub(crate) current: Option<String>,
    values: BTreeMap<String, Value>,
    /// How many moved values this run keeps.
    kept: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Value {
    object: String,
    /// Checked out in another worktree, at this path: not ours to judge.
    elsewhere: Option<String>,
}

/// A value that must go back to what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) name: String,
    /// `None` if it is gone now.
    pub(crate) now: Option<String>,
    pub(crate) back_to: String,
}

impl Refs {
    /// Reads all of them with one git process.
    pub(crate) fn read(git: &Git, root: &Path, run: &str) -> Result<Self, GitError> {
        let format = "--format=%(refname)%00%(objectname)%00%(HEAD)%00%(worktreepath)%00";
        let moved = format!("refs/ralph/{run}/moved");
        let call = git
            .call(&["for-each-ref", format, "refs/heads", "refs/tags", "refs/notes", &moved])
            .reads();
        let out = call.ok()?;
        let text = String::from_utf8_lossy(&out);
        let mut refs = Self::default();
        for record in text.split("\0\n").filter(|record| !record.is_empty()) {
            let mut fields = record.split('\0');
            let mut next = || fields.next().unwrap_or_default().to_owned();
            let (name, object, mark, place) = (next(), next(), next(), next());
            if name.starts_with(&moved) {
                refs.kept += 1;
                continue;
            }
            if mark == "*" {
                refs.current = Some(name.clone());
            }
            let elsewhere = (!place.is_empty() && !is_same_folder(&place, root)).then_some(place);
            refs.values.insert(name, Value { object, elsewhere });
        }
        Ok(refs)
    }

    /// Where a ref stands.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|value| value.object.as_str())
    }

    /// The other worktree that has this branch checked out.
    pub(crate) fn elsewhere(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.elsewhere.as_deref()
    }

    /// Takes down a change that ralph made itself.
    pub(crate) fn set(&mut self, name: &str, object: &CommitId) {
        let value = Value { object: object.to_string(), elsewhere: None };
        self.values.insert(name.to_owned(), value);
    }

    /// Branches and tags, apart from `own`, that were moved or deleted since `before`.
    pub(crate) fn moved_since(&self, before: &Self, own: &str) -> Vec<Move> {
        let judged = before.values.iter().filter(|(name, was)| {
            *name != own && was.elsewhere.is_none() && self.elsewhere(name).is_none()
        });
        judged
            .filter(|(name, was)| self.get(name) != Some(was.object.as_str()))
            .map(|(name, was)| Move {
                name: name.clone(),
                now: self.get(name).map(str::to_owned),
                back_to: was.object.clone(),
            })
            .collect()
    }

    /// Branches, tags and notes that were not there before, by their full names.
    pub(crate) fn new_since(&self, before: &Self) -> Vec<String> {
        self.values.keys().filter(|name| before.get(name).is_none()).cloned().collect()
    }

    /// Everything that they stand at.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &str> {
        self.values.values().map(|value| value.object.as_str())
    }

    /// Takes a new ref away, after keeping its value.
    pub(crate) fn put_away(
        &mut self,
        git: &Git,
        run: &str,
        name: &str,
    ) -> Result<Option<String>, GitError> {
        let Some(value) = self.values.remove(name) else {
            return Ok(None);
        };
        let keep = self.next_kept(run);
        let script = format!("create {keep} {0}\ndelete {name} {0}\n", value.object);
        let call = git.call(&["update-ref", "-m", "ralph: put away", "--no-deref", "--stdin"]);
        call.stdin(script.into_bytes()).ok()?;
        let drop = self.how_to_drop(run);
        Ok(Some(format!(
            "a new ref with a secret was taken away; its value is kept as {keep}; {drop}"
        )))
    }

    /// The name under which one more value is kept.
    fn next_kept(&mut self, run: &str) -> String {
        self.kept += 1;
        format!("refs/ralph/{run}/moved/{}", self.kept)
    }

    /// The command that drops the value that was kept last.
    pub(crate) fn how_to_drop(&self, run: &str) -> String {
        format!("git update-ref -d refs/ralph/{run}/moved/{} drops it", self.kept)
    }

    /// Puts values back in one transaction, after keeping those that they have now.
    pub(crate) fn put_back(
        &mut self,
        git: &Git,
        run: &str,
        moves: &[Move],
    ) -> Result<Vec<String>, GitError> {
        if moves.is_empty() {
            return Ok(Vec::new());
        }
        let (mut script, mut notes) = (String::new(), Vec::new());
        for Move { name, now, back_to } in moves {
            if let Some(now) = now {
                let keep = self.next_kept(run);
                let _ = writeln!(script, "create {keep} {now}");
                notes.push(format!("{name} was moved; its value then is kept as {keep}"));
                let _ = writeln!(script, "update {name} {back_to} {now}");
            } else {
                notes.push(format!("{name} was deleted; it is back"));
                let _ = writeln!(script, "create {name} {back_to}");
            }
        }
        let call = git.call(&["update-ref", "-m", "ralph: put back", "--no-deref", "--stdin"]);
        call.stdin(script.into_bytes()).ok()?;
        for Move { name, back_to, .. } in moves {
            self.set(name, &CommitId(back_to.clone()));
        }
        Ok(notes)
    }

    /// Puts HEAD back onto `branch` (a full name), keeping a detached HEAD's commit.
    pub(crate) fn put_head_back(
        &mut self,
        git: &Git,
        run: &str,
        branch: &str,
    ) -> Result<Vec<String>, GitError> {
        if self.current.as_deref() == Some(branch) {
            return Ok(Vec::new());
        }
        let ask = |args: &[&str]| git.call(args).reads().line_if_any();
        let on = ask(&["symbolic-ref", "--quiet", "HEAD"])?;
        if on.as_deref() == Some(branch) {
            return Ok(Vec::new());
        }
        let mut note = format!("HEAD named no commit; it is on {branch} again");
        if let Some(other) = on {
            note = format!("HEAD was on {other}; it is on {branch} again");
        } else if let Some(commit) = ask(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])? {
            let keep = self.next_kept(run);
            git.call(&["update-ref", &keep, &commit, ""]).ok()?;
            note = format!("HEAD was detached; its commit is kept as {keep}");
        }
        git.call(&["symbolic-ref", "-m", "ralph: run branch", "HEAD", branch]).ok()?;
        self.current = Some(branch.to_owned());
        Ok(vec![note])
    }
}

impl Git {
    /// Sets a ref, and says why in its log; one more argument is the value that it must have now, empty for none.
    pub(crate) fn set_ref(&self, why: &str, name: &str, to: &str) -> Call<'_> {
        self.call(&["update-ref", "-m", &format!("ralph: {why}"), name, to])
    }
}

/// Writes a commit and the ref that holds it. What a clean-up (`git gc --prune=now`) takes away in between is written again.
pub(super) fn write_held(
    write: impl Fn() -> Result<CommitId, GitError>,
    hold: impl Fn(&CommitId) -> Result<Reply, GitError>,
) -> Result<(CommitId, Reply), GitError> {
    let mut left = WRITES;
    loop {
        let commit = write()?;
        let reply = hold(&commit)?;
        left -= 1;
        if left == 0 || reply.code == 0 || !reply.stderr.contains("nonexistent object") {
            return Ok((commit, reply));
        }
    }
}

/// Git prints a worktree's path as it was given, `root` is free of symbolic links.
fn is_same_folder(place: &str, root: &Path) -> bool {
    Path::new(place) == root || fs::canonicalize(place).is_ok_and(|place| place == root)
}

/// True if `old` is an ancestor of `new`.
pub(crate) fn is_ancestor(git: &Git, old: &str, new: &str) -> Result<bool, GitError> {
    if old == new {
        return Ok(true);
    }
    let call = git.call(&["merge-base", "--is-ancestor", old, new]).reads();
    Ok(call.found()?.code == 0)
}

/// A name that git accepts below `refs/ralph/`.
pub(crate) fn tame(name: &str) -> String {
    let parts = name.split('/').filter_map(|part| {
        let plain: String = part
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' })
            .collect();
        let plain = plain.replace("..", "--");
        let plain = plain.trim_matches('.');
        let plain = plain.strip_suffix(".lock").unwrap_or(plain);
        (!plain.is_empty()).then(|| plain.to_owned())
    });
    let tamed = parts.collect::<Vec<_>>().join("/");
    if tamed.is_empty() { "unnamed".into() } else { tamed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_tamed_for_git() {
        assert_eq!(tame("T-1/2"), "T-1/2");
        assert_eq!(tame("a b/../c~1/x.lock"), "a-b/--/c-1/x");
        assert_eq!(tame("//"), "unnamed");
    }
}
