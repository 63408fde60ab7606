//! The one way by which other programs' output reaches ralph's disk, and the one place where it is redacted:
//! whoever else reads that output reads what a sink gives back.

use std::{
    fs::File,
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
};

use ralph_text::redact::{self, Redactor};

use crate::safe_files;

/// Opens sinks below one folder, all with the same redactor.
#[derive(Debug, Clone)]
pub struct RedactedFiles {
    base: PathBuf,
    redactor: Redactor,
}

impl RedactedFiles {
    /// `base` is the folder that people own; nothing below it may be a link.
    pub fn new(base: &Path, redactor: Redactor) -> Self {
        Self { base: base.to_owned(), redactor }
    }

    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Begins a file anew, with the folders above it. A link in its place is replaced, never followed.
    pub fn open(&self, path: &Path) -> io::Result<Sink> {
        let file = safe_files::begin(&self.base, path)?;
        Ok(Sink {
            file: BufWriter::with_capacity(1 << 16, file),
            stream: self.redactor.stream(),
            redactor: self.redactor.clone(),
            told: Vec::new(),
            broken: None,
        })
    }

    /// Writes a whole text to a file of its own.
    pub fn write(&self, path: &Path, text: &[u8]) -> io::Result<()> {
        safe_files::begin(&self.base, path)?.write_all(&self.redactor.bytes(text))
    }

    /// Adds one value as one JSON line to a file, or begins the file with it.
    pub(crate) fn append_line<T: serde::Serialize>(
        &self,
        path: &Path,
        value: &T,
    ) -> io::Result<()> {
        let mut line = self.redactor.bytes(&serde_json::to_vec(value)?).into_owned();
        line.push(b'\n');
        safe_files::append(&self.base, path)?.write_all(&line)
    }

    /// Puts a whole text in the place of a file, so that nobody ever sees half of it.
    pub fn replace(&self, path: &Path, text: &[u8]) -> io::Result<()> {
        safe_files::replace(&self.base, path, &self.redactor.bytes(text))
    }
}

/// A file that takes another program's output as it comes.
#[derive(Debug)]
pub struct Sink {
    file: BufWriter<File>,
    stream: redact::Stream,
    redactor: Redactor,
    /// What the last bytes gave.
    told: Vec<u8>,
    broken: Option<io::Error>,
}

impl Sink {
    /// Takes the next bytes and gives what is known of them now, without secrets. A write that fails is told by
    /// [`Self::failure`] and by [`Self::finish`].
    pub fn accept(&mut self, bytes: &[u8]) -> &[u8] {
        self.told.clear();
        self.stream.push(bytes, &mut self.told);
        self.keep()
    }

    /// Nothing more comes: gives what was held back.
    pub fn rest(&mut self) -> &[u8] {
        self.told.clear();
        self.stream.finish(&mut self.told);
        self.keep()
    }

    /// Takes one value as one JSON line.
    pub fn line<T: serde::Serialize>(&mut self, value: &T) -> io::Result<()> {
        let line = serde_json::to_vec(value)?;
        self.file.write_all(&self.redactor.bytes(&line))?;
        self.file.write_all(b"\n")
    }

    /// Lets whoever follows the file see what was taken so far.
    pub fn show(&mut self) {
        if let Err(error) = self.file.flush() {
            self.broken.get_or_insert(error);
        }
    }

    /// Why something could not be written, once.
    pub fn failure(&mut self) -> Option<io::Error> {
        self.broken.take()
    }

    /// Writes out what is still held back.
    pub fn finish(mut self) -> io::Result<()> {
        self.rest();
        match self.broken {
            Some(error) => Err(error),
            None => self.file.flush(),
        }
    }

    fn keep(&mut self) -> &[u8] {
        if let Err(error) = self.file.write_all(&self.told) {
            self.broken.get_or_insert(error);
        }
        &self.told
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_planted_link_is_replaced_and_not_written_through() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (target, log) = (folder.path().join("precious"), folder.path().join("logs/a.log"));
        fs::write(&target, "precious")?;
        fs::create_dir_all(folder.path().join("logs"))?;
        std::os::unix::fs::symlink(&target, &log)?;
        let mut sink = RedactedFiles::new(folder.path(), Redactor::default()).open(&log)?;
        assert_eq!(sink.accept(b"out\xff"), b"out\xff");
        sink.finish()?;
        assert_eq!(fs::read(&log)?, b"out\xff");
        assert_eq!(fs::read_to_string(&target)?, "precious");
        Ok(())
    }

    #[test]
    fn what_is_written_and_what_is_given_back_hold_no_secret() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let log = folder.path().join("a.log");
        let redacted =
            RedactedFiles::new(folder.path(), Redactor::new([("KEY", "hunter2hunter3")]));
        let mut sink = redacted.open(&log)?;
        let mut given = sink.accept(b"it is hunter2h").to_vec();
        given.extend_from_slice(sink.accept(b"unter3\nand"));
        given.extend_from_slice(sink.rest());
        sink.line(&"hunter2hunter3")?;
        sink.finish()?;
        assert_eq!(given, b"it is [redacted:KEY]\nand");
        assert_eq!(fs::read(&log)?, b"it is [redacted:KEY]\nand\"[redacted:KEY]\"\n");
        Ok(())
    }
}
