//! Accepted work becomes a commit of the run branch: commit-tree, then a compare-and-swap of the ref.

use std::{borrow::Cow, fmt::Write as _};

use ralph_core::{
    effect::Commit,
    ids::{CommitId, RunId, TreeId},
};
use ralph_text::sanitise::clean;

use super::{command::Call, error::GitError, refs, worktree::Worktree};

const RUN: &str = "Ralph-Run";
const ITERATION: &str = "Ralph-Iteration";
const TASK: &str = "Ralph-Task";

impl Worktree {
    /// Commits a tree; if the run branch already stands at that commit, gives it.
    pub fn commit(&mut self, request: &Commit) -> Result<CommitId, GitError> {
        let message = with_trailers(request, &self.run);
        let message = self.harmless(&message);
        let (log, branch) = (format!("iteration {}", request.iteration), self.full_branch());
        let (git, parent) = (&self.repo.git, &request.parent);
        // The captured tree is let go as it becomes a commit.
        let held = self.held.as_ref() == Some(&request.tree);
        let (commit, reply) = refs::write_held(
            || self.repo.write_branch_commit(&request.tree, &[parent], &message),
            |commit| {
                let mut script = format!("update {branch} {commit} {parent}\n");
                if held {
                    let _ = writeln!(script, "delete {}", self.captured_ref());
                }
                let call = git.call(&["update-ref", "-m", &format!("ralph: {log}"), "--stdin"]);
                call.stdin(script.into_bytes()).run()
            },
        )?;
        let is_released = held && reply.code == 0;
        let commit = if reply.code == 0 {
            commit
        } else if let Some(made_before) = self.find_commit(request)? {
            made_before
        } else {
            let found = self.repo.commit_at(&branch)?.unwrap_or_default();
            if found == request.parent {
                return Err(reply.error("update-ref"));
            }
            if !self.replace_theirs(&found, &request.parent, &commit)? {
                self.catch_up(&found, &request.parent, &commit)?;
            }
            commit
        };
        self.trees.insert(commit.clone(), request.tree.clone());
        self.line_up_users_index(&request.tree)?;
        if is_released {
            self.held = None;
        } else {
            self.release_captured()?;
        }
        Ok(commit)
    }

    /// Puts the branch at `to` where somebody else has committed onto what the run had; their commits are kept and
    /// named.
    fn replace_theirs(
        &mut self,
        found: &CommitId,
        parent: &CommitId,
        to: &CommitId,
    ) -> Result<bool, GitError> {
        let is_there = !found.as_str().is_empty();
        let is_later =
            is_there && refs::is_ancestor(&self.repo.git, parent.as_str(), found.as_str())?;
        if !is_later || self.is_own(found)? {
            return Ok(false);
        }
        self.keep_commits(found, self.record.is_layered)?;
        self.their_tip = None;
        let why = "their commits give way";
        let call = self.repo.git.set_ref(why, &self.full_branch(), to.as_str());
        call.arg(found.as_str()).ok()?;
        Ok(true)
    }

    /// Whether this run made a commit, by its trailer.
    fn is_own(&self, commit: &CommitId) -> Result<bool, GitError> {
        let format = format!("--format=%(trailers:key={RUN},valueonly)");
        let call = self.repo.git.call(&["log", "-1", &format, commit.as_str(), "--"]);
        Ok(call.reads().line()?.trim() == self.run.as_str())
    }

    /// Moves the run branch on where it stands before `expected`: closing took the agent's own commits off it.
    pub(crate) fn catch_up(
        &self,
        found: &CommitId,
        expected: &CommitId,
        to: &CommitId,
    ) -> Result<(), GitError> {
        let git = &self.repo.git;
        if found.as_str().is_empty() || !refs::is_ancestor(git, found.as_str(), expected.as_str())?
        {
            return Err(GitError::BranchMoved {
                branch: self.record.branch.clone(),
                expected: expected.short().to_owned(),
                found: found.short().to_owned(),
            });
        }
        git.set_ref("catch up", &self.full_branch(), to.as_str()).arg(found.as_str()).ok().map(drop)
    }

    /// Looks whether the run branch stands at the commit that was asked for: same parent, tree and trailers.
    pub fn find_commit(&self, request: &Commit) -> Result<Option<CommitId>, GitError> {
        let branch = self.full_branch();
        let call =
            self.repo.git.call(&["log", "-1", "--format=%H%x00%T%x00%P%x00%B", &branch, "--"]);
        let reply = call.reads().run()?;
        if reply.code != 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&reply.stdout).into_owned();
        let mut fields = text.splitn(4, '\0');
        let mut next = || fields.next().unwrap_or_default();
        let (commit, tree, parent, body) = (next(), next(), next(), next());
        let expected = trailers(request, &self.run).map(|line| self.harmless(&line).into_owned());
        let is_it = tree == request.tree.as_str()
            && parent == request.parent.as_str()
            && expected.iter().all(|trailer| body.lines().any(|line| line == trailer));
        Ok(is_it.then(|| CommitId::from(commit)))
    }

    /// A commit object, in no branch yet.
    pub(crate) fn write_commit(
        &self,
        tree: &TreeId,
        parents: &[&CommitId],
        message: &str,
    ) -> Result<CommitId, GitError> {
        write_commit(&self.repo.git, tree, parents, &self.harmless(message))
    }

    /// A message or a name without secrets.
    pub(crate) fn harmless<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.repo.secrets().redactor().text(text)
    }
}

/// A commit object, in no branch yet.
pub(crate) fn write_commit(
    git: &super::binding::Git,
    tree: &TreeId,
    parents: &[&CommitId],
    message: &str,
) -> Result<CommitId, GitError> {
    write_commit_by(git.call(&["commit-tree", "--no-gpg-sign", tree.as_str()]), parents, message)
}

/// The same by a call that says which tree, and whether it is signed.
pub(crate) fn write_commit_by(
    mut call: Call<'_>,
    parents: &[&CommitId],
    message: &str,
) -> Result<CommitId, GitError> {
    for parent in parents {
        call = call.arg("-p").arg(parent.as_str());
    }
    Ok(CommitId(call.arg("-F").arg("-").stdin(clean(message).into_bytes()).line()?))
}

fn trailers(request: &Commit, run: &RunId) -> [String; 3] {
    let plain = |text: &str| text.replace(|c: char| c.is_control(), " ").trim().to_owned();
    [
        format!("{RUN}: {}", plain(run.as_str())),
        format!("{ITERATION}: {}", request.iteration),
        format!("{TASK}: {}", plain(request.task.as_str())),
    ]
}

/// The message with ralph's trailers in one block with any that are there; none of them can be forged.
fn with_trailers(request: &Commit, run: &RunId) -> String {
    let is_ours = |line: &&str| {
        [RUN, ITERATION, TASK].iter().any(|key| {
            line.trim_start().get(..=key.len()).is_some_and(|start| {
                start.strip_suffix(':').is_some_and(|word| word.eq_ignore_ascii_case(key))
            })
        })
    };
    let message = clean(&request.message);
    let lines: Vec<&str> = message.lines().filter(|line| !is_ours(line)).collect();
    let mut text = lines.join("\n").trim().to_owned();
    if text.is_empty() {
        text = format!("ralph: iteration {}", request.iteration);
    }
    let ends_in_trailers = text.rsplit_once("\n\n").is_some_and(|(_, last)| {
        last.lines().all(|line| {
            line.split_once(": ").is_some_and(|(key, _)| {
                !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
            })
        })
    });
    text.push_str(if ends_in_trailers { "\n" } else { "\n\n" });
    text.push_str(&trailers(request, run).join("\n"));
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        let request = Commit {
            iteration: 7,
            task: "T-1".into(),
            tree: TreeId::default(),
            parent: CommitId::default(),
            message: text.into(),
        };
        with_trailers(&request, &"r1".into())
    }

    #[test]
    fn trailers_stand_in_a_block_of_their_own() {
        assert_eq!(
            message("feat: add it"),
            "feat: add it\n\nRalph-Run: r1\nRalph-Iteration: 7\nRalph-Task: T-1\n"
        );
    }

    #[test]
    fn trailers_join_a_block_that_is_there() {
        assert_eq!(
            message("feat: a\n\nbody\n\nCo-authored-by: x <x@y>\n"),
            "feat: a\n\nbody\n\nCo-authored-by: x <x@y>\nRalph-Run: r1\nRalph-Iteration: 7\n\
             Ralph-Task: T-1\n"
        );
    }

    #[test]
    fn a_message_cannot_bring_ralphs_trailers_itself() {
        let text = message("fix: b\n\nralph-iteration: 99\nRalph-Task: other");
        assert_eq!(text.matches("teration:").count(), 1);
        assert!(!text.contains("other"));
    }

    #[test]
    fn nothing_in_a_message_moves_a_cursor_or_hides() {
        let text =
            message("evil\u{1b}[2J\u{202e}\0 one\n\n\u{1b}]0;title\u{7}red\rRalph-Task: other\n");
        assert!(text.starts_with("evil one\n\nred\n"), "{text:?}");
        assert!(!text.contains("other") && !text.contains(|c: char| c.is_control() && c != '\n'));
    }

    #[test]
    fn an_empty_message_gets_a_subject() {
        assert!(message(" \n").starts_with("ralph: iteration 7\n\n"));
    }
}
