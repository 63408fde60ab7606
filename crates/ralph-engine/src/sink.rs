//! The one way by which bytes of others (agents, gates, git) reach a file.
//!
//! Everything that is not ralph's own words passes here, so that whatever must never be written can be held
//! back in one place.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

/// A file that takes what others say.
#[derive(Debug)]
pub struct Sink {
    file: BufWriter<File>,
}

impl Sink {
    /// Begins a file, making its folder if need be.
    pub fn create(path: &Path) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(Self { file: BufWriter::with_capacity(1 << 16, File::create(path)?) })
    }

    /// Takes bytes as they came.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Takes one value as one JSON line.
    pub fn line<T: serde::Serialize>(&mut self, value: &T) -> io::Result<()> {
        serde_json::to_writer(&mut self.file, value)?;
        self.file.write_all(b"\n")
    }

    /// Hands everything on to the file.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes a whole text of others to a file.
pub fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut sink = Sink::create(path)?;
    sink.write(text)?;
    sink.flush()
}
