//! Commits that are signed by the user's own program with the user's own key: both run or lie outside every sandbox.
//!
//! Must never start a program or use a key that a path below the repository leads to: agents write there.

use std::path::{Path, PathBuf};

use ralph_core::ids::{CommitId, TreeId};
use ralph_text::cut;

use super::{
    command::Call, commit::write_commit_by, error::GitError, repository::Repository, users_settings,
};
use crate::outside::Outside;

/// Most bytes of what a signing program says that are shown.
const MAX_REASON: usize = 600;

impl Repository {
    /// A commit of the run branch, signed where the settings want that.
    pub(crate) fn write_branch_commit(
        &self,
        tree: &TreeId,
        parents: &[&CommitId],
        message: &str,
    ) -> Result<CommitId, GitError> {
        let Some(settings) = self.signing()? else {
            let call = self.git.call(&["commit-tree", "--no-gpg-sign", tree.as_str()]);
            return write_commit_by(call, parents, message);
        };
        // Git stands where no file of the project is found by a relative path.
        let call = self.git.call(&["commit-tree", "-S", tree.as_str()]).dir(Path::new("/"));
        let call = settings.into_iter().fold(call, Call::config);
        write_commit_by(call, parents, message).map_err(|error| match error {
            GitError::Command { said, .. } => {
                GitError::Signing { why: cut::tail(said.trim(), MAX_REASON).to_owned() }
            }
            other => other,
        })
    }

    /// Signs once, before the first call of an agent: an attempt whose commit cannot be signed would be paid for in vain.
    pub(crate) fn try_signing(&self, tree: &TreeId) -> Result<(), GitError> {
        if !self.git.manner().signs {
            return Ok(());
        }
        self.write_branch_commit(tree, &[], "ralph tries to sign; in no branch").map(drop)
    }

    /// That the user signs their commits and ralph does not, if so.
    pub(crate) fn note_unsigned(&self) -> Result<Option<String>, GitError> {
        let configuration = self.git.configuration()?;
        let is_wanted = configuration.get("commit.gpgsign").is_some_and(|value| {
            ["true", "yes", "on", "1"].contains(&value.to_lowercase().as_str())
        });
        Ok((is_wanted && !self.git.manner().signs).then(|| {
            "commit.gpgsign is set, but the commits of this run are not signed; git.sign = true in \
             ~/.config/ralph/settings.toml signs them"
                .to_owned()
        }))
    }

    /// The settings with which git signs; `None` where it does not.
    fn signing(&self) -> Result<Option<Vec<String>>, GitError> {
        if !self.git.manner().signs {
            return Ok(None);
        }
        let configuration = self.git.configuration()?;
        let format = configuration.get("gpg.format").unwrap_or("openpgp");
        let usual = match format {
            "ssh" => "ssh-keygen",
            "x509" => "gpgsm",
            _ => "gpg",
        };
        let key = format!("gpg.{format}.program");
        let common = configuration.get("gpg.program").filter(|_| format == "openpgp");
        let named = configuration.get(&key).or(common).unwrap_or(usual);
        let program = self.program_outside(&key, named)?;
        if format != "ssh" {
            // A pinentry, an agent or a card daemon that GnuPG's settings name runs outside too.
            users_settings::refuse_gnupg(&self.outside())
                .map_err(|error| GitError::Signing { why: error.to_string() })?;
        }
        let mut settings =
            vec![format!("gpg.format={format}"), format!("{key}={}", program.display())];
        if format == "ssh" {
            let key = configuration.get("user.signingkey").ok_or_else(|| GitError::Signing {
                why: "gpg.format is ssh, and user.signingkey names no key".into(),
            })?;
            let is_literal = key.starts_with("ssh-") || key.starts_with("key::");
            let key = if is_literal {
                key.to_owned()
            } else {
                self.path_outside("user.signingkey", key)?.to_string_lossy().into_owned()
            };
            settings.push(format!("user.signingkey={key}"));
        }
        Ok(Some(settings))
    }

    fn program_outside(&self, key: &str, named: &str) -> Result<PathBuf, GitError> {
        if named.contains('/') {
            return self.path_outside(key, named);
        }
        let found = self.outside().find(named);
        found.ok_or_else(|| GitError::Signing {
            why: format!("{named} is not on the PATH outside the repository"),
        })
    }

    fn path_outside(&self, key: &str, named: &str) -> Result<PathBuf, GitError> {
        let path = self.git.env.expanded(named);
        if path.is_absolute() && !self.outside().is_agents(&path) {
            return Ok(path);
        }
        let why = format!("{key} is {named}, which leads below the repository, where agents write");
        Err(GitError::Signing { why })
    }

    /// Git's own folder counts too: a program in there is not the user's usual one.
    fn outside(&self) -> Outside {
        let folders = [self.root(), self.main_root(), self.common_dir()].map(Path::to_owned);
        Outside::new(self.git.env.vars.clone(), folders.to_vec())
    }
}
