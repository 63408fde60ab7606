//! Reads a truth that was fetched: its lease, what it says about itself, its files.

use anyhow::{Context as _, Result, bail};

use super::{
    lease::Lease,
    published::{Files, Published, segment_count, segment_name},
    repository::Repository,
    sound,
};

/// One truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    pub commit: String,
    pub lease: Lease,
    pub published: Published,
    pub files: Files,
}

impl Repository {
    /// The truth on the remote, brought here; none if the branch never had one.
    pub(crate) fn latest(&self) -> Result<Option<Truth>> {
        let name = self.truth_ref();
        let Some(seen) = self.remote_truth()? else {
            return Ok(None);
        };
        self.fetch(&[(name, self.own_truth())])?;
        // It may have moved on since it was asked for; then that is the one that is here.
        let commit = self.git.ask(&["rev-parse", "--verify", "--quiet", &self.own_truth()])?;
        self.read(&commit).with_context(|| format!("cannot read the truth {seen}")).map(Some)
    }

    /// Reads a truth by its commit.
    pub(crate) fn read(&self, commit: &str) -> Result<Truth> {
        let names =
            ["lease.json", "published.json", "plan.json", "settings.toml", "workspace.json"];
        let [lease, published, plan, settings, workspace] =
            <[_; 5]>::try_from(self.contents(commit, &names.map(str::to_owned))?)
                .map_err(|_| anyhow::anyhow!("git returned an unexpected number of files"))?;
        let lease: Lease = serde_json::from_slice(&lease.context("it has no lease.json")?)
            .context("its lease.json is damaged")?;
        let published: Published = match published {
            Some(text) => serde_json::from_slice(&text).context("its published.json is damaged")?,
            None => Published::default(),
        };
        sound::check(&lease, &published)?;
        let journal = self.journal(commit, published.journal_bytes)?;
        let wishes: Vec<String> =
            published.inbox.iter().map(|name| format!("inbox/{name}")).collect();
        let wishes = self.contents(commit, &wishes)?;
        let wishes = published.inbox.iter().cloned().zip(wishes);
        let inbox = wishes.filter_map(|(name, text)| Some((name, text?))).collect();
        let files = Files { plan, settings, workspace, journal, inbox };
        Ok(Truth { commit: commit.to_owned(), lease, published, files })
    }

    fn journal(&self, commit: &str, bytes: u64) -> Result<Vec<u8>> {
        let names: Vec<String> = (0..segment_count(bytes)).map(segment_name).collect();
        let segments = self.contents(commit, &names)?;
        let journal: Option<Vec<Vec<u8>>> = segments.into_iter().collect();
        let journal = journal.context("a segment of its journal is missing")?.concat();
        if journal.len() as u64 != bytes {
            bail!("its journal has {} bytes but should have {bytes}", journal.len());
        }
        Ok(journal)
    }

    /// Files of a commit, in the order of their names.
    fn contents(&self, commit: &str, names: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let input =
            names.iter().map(|name| format!("{commit}:{name}")).collect::<Vec<_>>().join("\n");
        let out = self.git.feed(&["cat-file", "--batch"], input.as_bytes())?;
        let mut rest = out.as_slice();
        names.iter().map(|_| next_object(&mut rest)).collect()
    }
}

/// Takes one answer of `git cat-file --batch` from the front.
fn next_object(rest: &mut &[u8]) -> Result<Option<Vec<u8>>> {
    let end = rest.iter().position(|byte| *byte == b'\n').context("git's output is cut short")?;
    let (head, after) = rest.split_at(end);
    let head = String::from_utf8_lossy(head).into_owned();
    let after = after.get(1..).unwrap_or_default();
    if head.ends_with(" missing") {
        *rest = after;
        return Ok(None);
    }
    let size: usize = head.rsplit(' ').next().and_then(|size| size.parse().ok()).context(head)?;
    let contents = after.get(..size).context("git's output is cut short")?;
    *rest = after.get(size + 1..).unwrap_or_default();
    Ok(Some(contents.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_taken_one_by_one_whatever_they_hold() -> Result<()> {
        let mut rest = b"0a blob 4\na\nb\n\nc:x missing\n0b blob 0\n\n".as_slice();
        assert_eq!(next_object(&mut rest)?, Some(b"a\nb\n".to_vec()));
        assert_eq!(next_object(&mut rest)?, None);
        assert_eq!(next_object(&mut rest)?, Some(Vec::new()));
        assert!(rest.is_empty() && next_object(&mut rest).is_err());
        Ok(())
    }
}
