//! Reads a truth that was fetched: its lease, what it says about itself, its files. Must not read what it has not learned
//! the size of.

use std::collections::{BTreeMap, BTreeSet};

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

/// Files by their names: the object, and how many bytes it has.
type Listing = BTreeMap<String, (String, u64)>;

/// The files of a truth that have names of their own.
const NAMES: [&str; 5] =
    ["lease.json", "published.json", "plan.json", "settings.toml", "workspace.json"];
/// The most bytes of a listing, some thousand names, and of what git says of their objects besides the contents.
const LISTING: usize = 1 << 20;
/// So many segments of a journal are held twice.
const AT_ONCE: usize = 32;

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
        let listing = self.listing(commit)?;
        let [lease, published, plan, settings, workspace] =
            <[_; 5]>::try_from(self.contents(&listing, &NAMES.map(str::to_owned))?)
                .map_err(|_| anyhow::anyhow!("git returned an unexpected number of files"))?;
        let lease: Lease = serde_json::from_slice(&lease.context("it has no lease.json")?)
            .context("its lease.json is damaged")?;
        let published: Published = match published {
            Some(text) => serde_json::from_slice(&text).context("its published.json is damaged")?,
            None => Published::default(),
        };
        sound::check(&lease, &published, &self.run_branch())?;
        let journal = self.journal(&listing, published.journal_bytes)?;
        let named: BTreeSet<&String> = published.inbox.iter().collect();
        let below = listing.keys().filter_map(|name| name.strip_prefix("inbox/"));
        let waiting: Vec<String> =
            below.map(str::to_owned).filter(|name| named.contains(name)).collect();
        let paths: Vec<String> = waiting.iter().map(|name| format!("inbox/{name}")).collect();
        let wishes = waiting.into_iter().zip(self.contents(&listing, &paths)?);
        let inbox = wishes.filter_map(|(name, text)| Some((name, text?))).collect();
        let files = Files { plan, settings, workspace, journal, inbox };
        Ok(Truth { commit: commit.to_owned(), lease, published, files })
    }

    fn journal(&self, listing: &Listing, bytes: u64) -> Result<Vec<u8>> {
        let names: Vec<String> = (0..segment_count(bytes)).map(segment_name).collect();
        let held: u64 = names.iter().filter_map(|name| Some(listing.get(name)?.1)).sum();
        if held != bytes {
            bail!("its journal has {held} bytes but should have {bytes}");
        }
        let mut journal = Vec::with_capacity(usize::try_from(bytes)?);
        for some in names.chunks(AT_ONCE) {
            for segment in self.contents(listing, some)? {
                journal.extend(segment.context("a segment of its journal is missing")?);
            }
        }
        Ok(journal)
    }

    /// The files of a truth, none of them larger than workers write it.
    fn listing(&self, commit: &str) -> Result<Listing> {
        let mut args = vec!["ls-tree", "-r", "-l", "-z", "--full-tree", commit];
        args.extend(NAMES.iter().chain(&["journal", "inbox"]));
        let out = self.git.up_to(LISTING).feed(&args, b"")?;
        let mut listing = Listing::new();
        for entry in String::from_utf8_lossy(&out).split_terminator('\0') {
            let (about, name) = entry.split_once('\t').context("git's output is cut short")?;
            let about: Vec<&str> = about.split_whitespace().collect();
            let [_, "blob", oid, bytes] = about[..] else { continue };
            listing.insert(name.to_owned(), (oid.to_owned(), bytes.parse().context("no size")?));
        }
        sound::check_sizes(listing.iter().map(|(name, (_, bytes))| (name.as_str(), *bytes)))?;
        Ok(listing)
    }

    /// Files of a listing, in the order of their names.
    fn contents(&self, listing: &Listing, names: &[String]) -> Result<Vec<Option<Vec<u8>>>> {
        let known = || names.iter().filter_map(|name| listing.get(name));
        let mut out = Vec::new();
        if known().next().is_some() {
            let input: Vec<&str> = known().map(|(oid, _)| oid.as_str()).collect();
            let bytes: u64 = known().map(|(_, bytes)| bytes).sum();
            let git = self.git.up_to(usize::try_from(bytes)? + LISTING);
            out = git.feed(&["cat-file", "--batch"], input.join("\n").as_bytes())?;
        }
        let mut rest = out.as_slice();
        let next =
            |name| if listing.contains_key(name) { next_object(&mut rest) } else { Ok(None) };
        names.iter().map(next).collect()
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
