//! Writes a truth as a commit: one `git fast-import` for all of it. What a commit does not name anew it keeps from its
//! parent, so a journal's whole segments stay the blobs they are.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context as _, Result};

use super::{
    lease::Lease,
    published::{Published, segment_name, segments_after},
    repository::Repository,
};

/// What changes from a truth to the next.
#[derive(Debug, Default)]
pub(crate) struct Change<'a> {
    /// The journal and how much of it the parent has; another run's journal has nothing of it.
    pub(crate) journal: Option<(&'a [u8], usize)>,
    /// Files by their names; None removes one.
    pub(crate) files: Vec<(&'a str, Option<&'a [u8]>)>,
    /// All wishes that wait.
    pub(crate) inbox: Option<&'a BTreeMap<String, Vec<u8>>>,
}

impl Repository {
    /// A commit on the parent; on this host alone, until it is pushed.
    pub(crate) fn write(
        &self,
        parent: Option<&str>,
        (lease, published): (&Lease, &Published),
        change: &Change<'_>,
    ) -> Result<String> {
        let lease_text = serde_json::to_vec_pretty(lease)?;
        let published_text = serde_json::to_vec_pretty(published)?;
        let mut stream = Stream::default();
        stream.file("lease.json", &lease_text);
        stream.file("published.json", &published_text);
        for (name, contents) in &change.files {
            match contents {
                Some(contents) => stream.file(name, contents),
                None => stream.remove(name),
            }
        }
        if let Some(inbox) = change.inbox {
            stream.remove("inbox");
            for (name, wish) in inbox {
                stream.file(&format!("inbox/{name}"), wish);
            }
        }
        if let Some((journal, published)) = change.journal {
            if published == 0 {
                stream.remove("journal");
            }
            for (number, segment) in segments_after(journal, published) {
                stream.file(&segment_name(number), segment);
            }
        }
        stream.remove("trees");
        for tree in &published.trees {
            stream.tree(tree);
        }
        let what = if lease.held { "held" } else { "free" };
        let message = format!("fleet: epoch {}, {what}, {}\n", lease.epoch, lease.holder);
        self.import(&stream.finish(&self.own_truth(), parent, &message))
    }

    /// A ref here from which trees can be fetched, and nothing of the truth's past with them.
    pub(crate) fn carry(&self, trees: &[String]) -> Result<Option<String>> {
        if trees.is_empty() {
            return Ok(None);
        }
        let mut stream = Stream::default();
        for tree in trees {
            stream.tree(tree);
        }
        let name = self.own("refs/carrier");
        self.import(&stream.finish(&name, None, "trees that no ref keeps yet\n"))?;
        Ok(Some(name))
    }

    fn import(&self, stream: &[u8]) -> Result<String> {
        let args = ["fast-import", "--quiet", "--force", "--done", "--date-format=raw"];
        let out = self.git.feed(&args, stream)?;
        let oid = String::from_utf8_lossy(&out).trim().to_owned();
        Some(oid).filter(|oid| !oid.is_empty()).context("git fast-import named no commit")
    }
}

/// A stream for `git fast-import`: blobs first, then the one commit that names them.
#[derive(Default)]
struct Stream {
    blobs: Vec<u8>,
    changes: String,
    marks: usize,
}

impl Stream {
    fn file(&mut self, name: &str, contents: &[u8]) {
        self.marks += 1;
        let head = format!("blob\nmark :{}\ndata {}\n", self.marks, contents.len());
        self.blobs.extend_from_slice(head.as_bytes());
        self.blobs.extend_from_slice(contents);
        self.blobs.push(b'\n');
        let _ = writeln!(self.changes, "M 100644 :{} {name}", self.marks);
    }

    fn tree(&mut self, tree: &str) {
        let _ = writeln!(self.changes, "M 040000 {tree} trees/{tree}");
    }

    fn remove(&mut self, name: &str) {
        let _ = writeln!(self.changes, "D {name}");
    }

    fn finish(self, name: &str, parent: Option<&str>, message: &str) -> Vec<u8> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mark = self.marks + 1;
        let mut text = format!(
            "commit {name}\nmark :{mark}\ncommitter ralph <ralph@localhost> {} +0000\ndata {}\n{message}",
            since.as_secs(),
            message.len()
        );
        if let Some(parent) = parent {
            let _ = writeln!(text, "from {parent}");
        }
        let _ = write!(text, "{}\nget-mark :{mark}\ndone\n", self.changes);
        let mut stream = self.blobs;
        stream.extend_from_slice(text.as_bytes());
        stream
    }
}
