//! What an agent must not do to a repository.

use serde::{Deserialize, Serialize};

/// An act that rejects an attempt and restarts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "violation", rename_all = "snake_case")]
pub enum Violation {
    /// HEAD, a branch or a tag was moved; it was put back.
    MovedRef { name: String },
    /// A repository inside the worktree that was not there before; it was moved away.
    NestedRepository { path: String },
    /// A link that was not there before and leads out of the repository.
    LinkOutside { path: String, target: String },
    /// A secret in a file that was not there before; the file was taken out. Line 0 is none.
    Secret { path: String, line: u64, kind: String },
    /// Something that nobody could look into for secrets; it was taken out.
    Unscanned { path: String, why: String },
    /// A file that git does not take because of what it holds; it was put aside. Git's words say why.
    Unfit { path: String, why: String },
}

impl Violation {
    /// The violation in words.
    pub fn describe(&self) -> String {
        match self {
            Self::MovedRef { name } => format!("moved {name}; it was put back"),
            Self::NestedRepository { path } => {
                format!("left a nested repository at {path}; it was moved away")
            }
            Self::LinkOutside { path, target } => format!(
                "made {path} a link to {target}, which leads out of the repository, so a clone has nothing there: put \
                 the file itself there, or link to a file of the repository by a relative path"
            ),
            Self::Secret { path, line, kind } => {
                let place = if *line > 0 { format!("{path}, line {line}") } else { path.clone() };
                format!(
                    "wrote what looks like a secret ({kind}) into {place}; that was taken out and is in no \
                     commit of the run: write it again without the value, and read it from the environment instead"
                )
            }
            Self::Unscanned { path, why } => format!(
                "wrote {path}, which cannot be scanned for secrets ({why}); it was taken out: write it unpacked or \
                 smaller, or leave it out; only the user can allow the path, with secrets.allow"
            ),
            Self::Unfit { path, why } => format!(
                "wrote {path}, which git does not take ({why}); it was put aside: write it so that it fits its \
                 attributes in .gitattributes and git's settings for line ends, or leave it out"
            ),
        }
    }
}
