//! The difference of two trees for people: a patch of bounded size, and its numbers.

use ralph_core::ids::TreeId;

use super::{error::GitError, repository::Repository};

/// How much two trees differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiffStat {
    pub files: u64,
    pub added: u64,
    pub removed: u64,
}

const SAFE: [&str; 7] = [
    "diff-tree",
    "-r",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--find-renames",
    "--ignore-submodules=all",
];

impl Repository {
    /// The patch from one tree to another, cut after `most` bytes with a line that says so.
    pub fn patch(&self, from: &TreeId, to: &TreeId, most: usize) -> Result<Vec<u8>, GitError> {
        let call = self.git.call(&SAFE).arg("-p").reads();
        let reply = call.arg(from.as_str()).arg(to.as_str()).cut_at(most).run()?;
        if reply.code != 0 && !reply.is_cut {
            return Err(reply.error("diff-tree"));
        }
        let mut patch = reply.stdout;
        if reply.is_cut {
            patch.extend_from_slice(format!("\n[cut after {most} bytes]\n").as_bytes());
        }
        Ok(patch)
    }

    /// How many files and lines differ; binary files count as files only.
    pub fn diff_stat(&self, from: &TreeId, to: &TreeId) -> Result<DiffStat, GitError> {
        let call = self.git.call(&SAFE).arg("--numstat").arg("--no-renames").arg("-z").reads();
        let out = call.arg(from.as_str()).arg(to.as_str()).ok()?;
        let mut stat = DiffStat::default();
        for record in super::files::split_nul(&out) {
            let text = String::from_utf8_lossy(record);
            let mut fields = text.split('\t');
            let mut number = || fields.next().and_then(|field| field.parse().ok()).unwrap_or(0);
            stat.files += 1;
            stat.added += number();
            stat.removed += number();
        }
        Ok(stat)
    }
}
