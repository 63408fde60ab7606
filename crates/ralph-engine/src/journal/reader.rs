//! Reads a journal: every sound decision in order, and what is wrong with the rest.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use ralph_core::{
    event::{Decision, FORMAT},
    ids::RunId,
};

use super::line;

/// Why a journal cannot be used as it is.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("cannot use the journal {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("line {line} of the journal {} is damaged: {why}", path.display())]
    Damaged { path: PathBuf, line: u64, why: String },
    #[error("the journal {} was written by a newer ralph (format {found}, this one knows {FORMAT})", path.display())]
    TooNew { path: PathBuf, found: u32 },
    #[error("the journal {} holds no run", path.display())]
    Empty { path: PathBuf },
}

impl JournalError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Io { .. } => "check the disk and the permissions of the .git/ralph folder",
            Self::Damaged { .. } => {
                "ralph stop ends the run and restores your changes; its commits are safe on its branch"
            }
            Self::TooNew { .. } => "use the ralph that wrote it, or end the run with ralph stop",
            Self::Empty { .. } => "start anew with ralph run --fresh",
        }
    }
}

/// How a journal ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    Clean,
    /// The last write did not get through; this many bytes do not count.
    Torn {
        bytes: u64,
    },
}

/// Reads decisions from a byte offset on and hands each to `take`, in order.
///
/// Returns the offset behind the last sound decision and how the file ends. A line that is not sound is a
/// torn tail only if nothing follows it and it is not several lines run together.
pub fn read(
    path: &Path,
    from: u64,
    first_seq: u64,
    mut take: impl FnMut(Decision),
) -> Result<(u64, Tail), JournalError> {
    let io_error = |source| JournalError::Io { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(io_error)?;
    file.seek(SeekFrom::Start(from)).map_err(io_error)?;
    let reader = BufReader::with_capacity(1 << 16, file);
    read_from(reader, path, (from, first_seq), &mut take)
}

/// [`read`] without the first decision, which holds the whole plan and nothing that took time.
pub(crate) fn read_after_start(
    path: &Path,
    take: impl FnMut(Decision),
) -> Result<(u64, Tail), JournalError> {
    let first = File::open(path).and_then(|file| BufReader::new(file).skip_until(b'\n'));
    let length = first.map_err(|source| JournalError::Io { path: path.to_owned(), source })?;
    read(path, length as u64, 1, take)
}

/// [`read`] on anything that gives bytes; `path` only names it in errors.
pub(super) fn read_from(
    mut reader: impl BufRead,
    path: &Path,
    (from, first_seq): (u64, u64),
    take: &mut impl FnMut(Decision),
) -> Result<(u64, Tail), JournalError> {
    let io_error = |source| JournalError::Io { path: path.to_owned(), source };
    let mut line = Vec::new();
    let (mut offset, mut number, mut seq) = (from, 0, first_seq);
    let mut run: Option<RunId> = None;
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line).map_err(io_error)?;
        if length == 0 {
            return Ok((offset, Tail::Clean));
        }
        number += 1;
        match sound(path, &line, seq, run.as_ref())? {
            Ok(decision) => {
                run.get_or_insert_with(|| decision.run.clone());
                take(decision);
            }
            Err(why) => {
                let follows = !reader.fill_buf().map_err(io_error)?.is_empty();
                if follows || !line::may_be_torn(&line) {
                    return Err(JournalError::Damaged { path: path.to_owned(), line: number, why });
                }
                return Ok((offset, Tail::Torn { bytes: length as u64 }));
            }
        }
        offset += length as u64;
        seq += 1;
    }
}

fn sound(
    path: &Path,
    bytes: &[u8],
    seq: u64,
    run: Option<&RunId>,
) -> Result<Result<Decision, String>, JournalError> {
    if !line::is_sound(bytes) {
        return Ok(Err("its checksum does not match".into()));
    }
    let version = serde_json::from_slice::<Version>(bytes).map(|version| version.v);
    if let Ok(found) = version.as_ref().copied()
        && found > FORMAT
    {
        return Err(JournalError::TooNew { path: path.to_owned(), found });
    }
    Ok(match serde_json::from_slice::<Decision>(bytes) {
        Ok(decision) if run.is_some_and(|run| *run != decision.run) => {
            Err(format!("it belongs to run {}", decision.run))
        }
        Ok(decision) if decision.seq == seq => Ok(decision),
        Ok(decision) => Err(format!("it is decision {}, expected {seq}", decision.seq)),
        Err(error) => Err(error.to_string()),
    })
}

#[derive(serde::Deserialize)]
struct Version {
    v: u32,
}
