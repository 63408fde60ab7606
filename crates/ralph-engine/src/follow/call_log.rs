//! What the calls of one iteration said, as one long log: a place in it is a count of bytes over all its files. Reads
//! any part of it and keeps nothing.

use std::{
    fs,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use ralph_agents::live_event::Chatter;
use ralph_core::ids::RunId;

use crate::{layout::Layout, project_file};

/// The files of one iteration's calls, oldest first.
#[derive(Debug, Default)]
pub struct CallLog {
    files: Vec<PathBuf>,
}

impl CallLog {
    /// Adds the files of calls that have begun since; tells whether there are any.
    pub fn grow(&mut self, layout: &Layout, run: &RunId, iteration: u32) -> bool {
        let known = self.files.len();
        loop {
            let retry = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
            let path = layout.events(run, iteration, retry);
            if !path.is_file() {
                return self.files.len() > known;
            }
            self.files.push(path);
        }
    }

    /// The place after everything.
    pub fn length(&self) -> u64 {
        self.files.iter().map(|file| length(file)).sum()
    }

    /// Gives the whole lines of about so many bytes from a place on, each with its place, until `take` declines one; what
    /// is no chatter is passed over. Tells the place to read on from, which is the same if there is nothing more.
    pub fn read(
        &self,
        from: u64,
        most: usize,
        mut take: impl FnMut(u64, Chatter) -> bool,
    ) -> io::Result<u64> {
        let mut begin = 0;
        for (nth, file) in self.files.iter().enumerate() {
            let end = begin + length(file);
            if from < end {
                let take = |at, said| take(begin + at, said);
                let next = begin + part(file, from - begin, most, take)?;
                // A call that was killed in the middle of a line never ends it.
                let is_stuck = next == from && nth + 1 < self.files.len();
                return Ok(if is_stuck { end } else { next });
            }
            begin = end;
        }
        Ok(from)
    }
}

fn length(file: &Path) -> u64 {
    fs::metadata(file).map(|about| about.len()).unwrap_or_default()
}

fn part(
    file: &Path,
    from: u64,
    most: usize,
    mut take: impl FnMut(u64, Chatter) -> bool,
) -> io::Result<u64> {
    let mut file = project_file::open(file)?;
    // The byte before tells whether a line begins here.
    let before = from.saturating_sub(1);
    file.seek(SeekFrom::Start(before))?;
    let mut bytes = Vec::new();
    file.take(most as u64 + (from - before)).read_to_end(&mut bytes)?;
    let newline = |at: usize| bytes.iter().skip(at).position(|byte| *byte == b'\n');
    let is_full = bytes.len() >= most;
    let mut at = if from == 0 { 0 } else { newline(0).map_or(bytes.len(), |at| at + 1) };
    if at == bytes.len() && !is_full {
        return Ok(from);
    }
    let first = at;
    while let Some(length) = newline(at) {
        let line = bytes.get(at..at + length).unwrap_or_default();
        if let Ok(said) = serde_json::from_slice(line)
            && !take(before + at as u64, said)
        {
            return Ok(before + at as u64);
        }
        at += length + 1;
    }
    // A line that is longer than all that was read is passed over.
    let is_endless = at == first && is_full;
    Ok(before + if is_endless { bytes.len() } else { at } as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(nth: u32) -> String {
        format!("{{\"at\":\"7ms\",\"iteration\":1,\"kind\":\"noted\",\"text\":\"n{nth}\"}}\n")
    }

    #[test]
    fn any_part_is_read_across_files_part_lines_and_endless_ones() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let layout = Layout::new(folder.path(), folder.path());
        let run = RunId::from("r");
        let first = layout.events(&run, 1, 0);
        fs::create_dir_all(first.parent().unwrap_or(folder.path()))?;
        let endless = "x".repeat(5_000);
        fs::write(&first, format!("{}{endless}\n{}half a li", line(1), line(2)))?;
        fs::write(layout.events(&run, 1, 1), line(3) + "{\"at\"")?;
        let mut log = CallLog::default();
        assert!(log.grow(&layout, &run, 1) && !log.grow(&layout, &run, 1));
        let mut seen = Vec::new();
        let mut place = 0;
        loop {
            let next = log.read(place, 1_000, |at, said| {
                seen.push((at, format!("{:?}", said.said)));
                true
            })?;
            if next == place {
                break;
            }
            place = next;
        }
        let texts: Vec<bool> =
            ["n1", "n2", "n3"].iter().zip(&seen).map(|(n, (_, s))| s.contains(n)).collect();
        assert_eq!((texts, seen.len()), (vec![true; 3], 3));
        assert_eq!(place, log.length() - 5, "a part line waits");
        // From the middle of a line, and from where a line was declined.
        let (second, _) = seen[1];
        let mut from_middle = None;
        log.read(5, 10_000, |at, _| from_middle.get_or_insert(at) == &at)?;
        assert_eq!(from_middle, Some(second));
        assert_eq!(log.read(0, 10_000, |at, _| at < second)?, second);
        Ok(())
    }
}
