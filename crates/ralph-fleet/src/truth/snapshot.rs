//! What a run has at one moment where it works: its journal and its refs, of which neither is older than the other says.

use std::{collections::BTreeMap, fs, io, path::Path};

use anyhow::{Context as _, Result, bail};

use super::{
    record,
    repository::{Refs, Repository, is_plain},
};

/// A run at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    pub run: String,
    /// Whole lines.
    pub journal: Vec<u8>,
    pub refs: Refs,
    /// Trees that its journal names and that no ref may keep.
    pub trees: Vec<String>,
    /// The workspace's record, if it is closed: an open one means nothing elsewhere.
    pub workspace: Option<Vec<u8>>,
    /// Wishes that the run has not taken yet, by the names of their files.
    pub inbox: BTreeMap<String, Vec<u8>>,
}

/// How often a journal may grow while refs are read.
const LOOKS: u32 = 100;

impl Snapshot {
    /// Takes one. A ref that is ahead of the journal is found by ralph's own looking, a journal that is ahead of the
    /// refs names what nobody has: so the journal must not have grown while the refs were read.
    pub fn take(repository: &Repository, work: &Path, run: &str) -> Result<Self> {
        let own = format!("refs/ralph/{run}/");
        if !is_plain(own.trim_end_matches('/')) {
            bail!("{run:?} is not a valid run name");
        }
        let prefixes = repository.run_refs(&own);
        let folder = work.join(".git/ralph/runs").join(run);
        let path = folder.join("journal.jsonl");
        for _ in 0..LOOKS {
            // Before the journal: a wish that is taken meanwhile is then in both, and obeyed once all the same.
            let inbox = waiting(&work.join(".git/ralph/inbox"))?;
            let mut journal =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let refs = repository.refs_in(&work.join(".git"), &prefixes)?;
            if fs::metadata(&path)?.len() != journal.len() as u64 {
                continue;
            }
            let whole = journal.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            journal.truncate(whole);
            let workspace = closed_record(&folder.join("workspace.json"))?;
            let run = run.to_owned();
            return Ok(Self { run, journal, refs, trees: Vec::new(), workspace, inbox });
        }
        bail!("the journal of {run} grows faster than its refs can be read")
    }
}

/// The wishes that wait in an inbox.
fn waiting(inbox: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut wishes = BTreeMap::new();
    let entries = match fs::read_dir(inbox) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(wishes),
        read => read?,
    };
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_wish = Path::new(&name).extension().is_some_and(|end| end == "json");
        if name.starts_with('.') || !is_wish || name.contains(['"', '\n']) {
            continue;
        }
        match fs::read(inbox.join(&name)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            read => drop(wishes.insert(name, read?)),
        }
    }
    Ok(wishes)
}

fn closed_record(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let text = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read?,
    };
    Ok(record::is_closed(&text).then_some(text))
}
