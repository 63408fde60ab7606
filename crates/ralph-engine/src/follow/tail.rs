//! One file of chatter, line by line as it grows. What is not whole yet waits for its newline; what cannot be read as
//! chatter is passed over.

use std::{
    fs::{self, File, Metadata},
    io::{self, BufRead as _, BufReader},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use ralph_agents::live_event::Chatter;

use crate::project_file;

/// Most bytes of a line that are kept; the rest of it is skipped.
const LONGEST: usize = 1 << 20;

/// A file of chatter and how far it was read.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    reader: Option<BufReader<File>>,
    line: Vec<u8>,
    ahead: Option<Chatter>,
}

impl Tail {
    /// From the file's beginning. A file that is not there yet holds nothing so far.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), reader: None, line: Vec::new(), ahead: None }
    }

    /// What file it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The next piece, which stays the next one.
    pub fn peek(&mut self) -> io::Result<Option<&Chatter>> {
        if self.ahead.is_none() {
            self.ahead = self.read()?;
        }
        Ok(self.ahead.as_ref())
    }

    /// The next piece.
    pub fn take(&mut self) -> io::Result<Option<Chatter>> {
        self.peek()?;
        Ok(self.ahead.take())
    }

    fn read(&mut self) -> io::Result<Option<Chatter>> {
        if self.reader.is_none() {
            self.reader = open(&self.path)?;
        }
        let Some(reader) = &mut self.reader else { return Ok(None) };
        loop {
            let buffer = reader.fill_buf()?;
            if buffer.is_empty() {
                if !is_replaced(reader.get_ref(), &self.path) {
                    return Ok(None);
                }
                // A call that is repeated after a crash begins its file anew.
                let Some(anew) = open(&self.path)? else { return Ok(None) };
                *reader = anew;
                self.line.clear();
                continue;
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let read = end.unwrap_or(buffer.len());
            let room = LONGEST.saturating_sub(self.line.len()).min(read);
            self.line.extend_from_slice(buffer.get(..room).unwrap_or_default());
            reader.consume(read + usize::from(end.is_some()));
            if end.is_some() {
                let said = serde_json::from_slice(&self.line).ok();
                self.line.clear();
                if said.is_some() {
                    return Ok(said);
                }
            }
        }
    }
}

/// Whether another file is there by now.
fn is_replaced(file: &File, path: &Path) -> bool {
    let id = |about: &Metadata| (about.dev(), about.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(there)) => id(&open) != id(&there),
        _ => false,
    }
}

fn open(path: &Path) -> io::Result<Option<BufReader<File>>> {
    let file = match project_file::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(BufReader::with_capacity(1 << 16, file)))
}

#[cfg(test)]
mod tests {
    use std::{fs::OpenOptions, io::Write as _};

    use super::*;

    #[test]
    fn a_part_of_a_line_waits_and_what_is_no_chatter_is_passed_over() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("events.jsonl");
        let mut tail = Tail::new(&path);
        assert_eq!(tail.take()?, None);
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        let line = |text: &str| {
            format!("{{\"at\":\"7ms\",\"iteration\":1,\"kind\":\"noted\",\"text\":\"{text}\"}}\n")
        };
        let (first, second) = (line("one"), line("two"));
        let (begin, rest) = first.split_at(20);
        file.write_all(begin.as_bytes())?;
        assert_eq!(tail.take()?, None);
        file.write_all(rest.as_bytes())?;
        file.write_all(b"no chatter\n\xff\xfe\n")?;
        file.write_all(&vec![b'x'; LONGEST + 10])?;
        file.write_all(b"\n")?;
        file.write_all(second.as_bytes())?;
        assert!(tail.peek()?.is_some());
        let texts: Vec<String> = std::iter::from_fn(|| tail.take().ok().flatten())
            .map(|one| format!("{one:?}"))
            .collect();
        assert!(matches!(&texts[..], [one, two] if one.contains("one") && two.contains("two")));
        fs::remove_file(&path)?;
        fs::write(&path, line("three"))?;
        assert!(tail.take()?.is_some_and(|one| format!("{one:?}").contains("three")));
        Ok(())
    }
}
