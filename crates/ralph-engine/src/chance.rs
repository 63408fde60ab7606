//! Words that nobody can guess.

use std::{
    fmt::Write as _,
    fs::File,
    io::{self, Read as _},
};

/// Thirty-two letters and digits from the system's own source.
pub(crate) fn word() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut word = String::new();
    for byte in bytes {
        let _ = write!(word, "{byte:02x}");
    }
    Ok(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_words_are_alike() -> io::Result<()> {
        let (one, other) = (word()?, word()?);
        assert_eq!(one.len(), 32);
        assert_ne!(one, other);
        Ok(())
    }
}
