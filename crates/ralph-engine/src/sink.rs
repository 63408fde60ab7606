//! The one way by which other programs' output reaches ralph's disk, so that there is one place to redact it.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::Path,
};

/// A file that takes another program's output as it comes.
#[derive(Debug)]
pub struct Sink {
    file: BufWriter<File>,
}

impl Sink {
    /// Begins the file anew, with the folders above it. A link in its place is replaced, never followed.
    pub fn create(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        Ok(Self { file: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Takes the next bytes and gives back what was written: whoever else reads the output reads this.
    pub fn accept<'a>(&mut self, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        self.file.write_all(bytes)?;
        Ok(bytes)
    }

    /// Takes one value as one JSON line.
    pub fn line<T: serde::Serialize>(&mut self, value: &T) -> io::Result<()> {
        serde_json::to_writer(&mut self.file, value)?;
        self.file.write_all(b"\n")
    }

    /// Writes out what is still held back.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes a whole text to a file of its own.
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut sink = Sink::create(path)?;
    sink.accept(text)?;
    sink.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planted_link_is_replaced_and_not_written_through() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (target, log) = (folder.path().join("precious"), folder.path().join("logs/a.log"));
        fs::write(&target, "precious")?;
        fs::create_dir_all(folder.path().join("logs"))?;
        std::os::unix::fs::symlink(&target, &log)?;
        let mut sink = Sink::create(&log)?;
        assert_eq!(sink.accept(b"out\xff")?, b"out\xff");
        sink.finish()?;
        assert_eq!(fs::read(&log)?, b"out\xff");
        assert_eq!(fs::read_to_string(&target)?, "precious");
        Ok(())
    }
}
