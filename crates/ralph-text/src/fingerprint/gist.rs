//! What stands for a gate's whole output, gathered while it runs. Must never grow without limit.

use super::{digest, normalise};
use crate::lines::Piece;

/// Bytes of output beyond which only the excerpt is compared.
const MOST: usize = 256 * 1024;

/// Gathers clean lines.
#[derive(Debug, Default)]
pub struct Gist {
    text: String,
    is_too_long: bool,
}

impl Gist {
    /// Takes the next piece of a line.
    pub fn piece(&mut self, piece: Piece<'_>) {
        if self.is_too_long {
            return;
        }
        if piece.begins && !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(piece.text);
        if self.text.len() > MOST {
            self.is_too_long = true;
            self.text = String::new();
        }
    }

    /// Sixteen hexadecimal digits; nothing if there was too much output.
    pub fn finish(self) -> String {
        if self.is_too_long { String::new() } else { of(&self.text) }
    }
}

/// What stands for this output.
pub(super) fn of(output: &str) -> String {
    digest(&[normalise(output).as_bytes()]).chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gist(text: &str) -> String {
        let mut gist = Gist::default();
        text.lines().for_each(|text| gist.piece(Piece { text, begins: true }));
        gist.finish()
    }

    #[test]
    fn a_gist_stands_for_the_whole_output() {
        let text = "a failed\nleft: 1\n\nb failed";
        assert_eq!(gist(text), of(text));
        assert_ne!(gist(text), gist("a failed\nleft: 2\n\nb failed"));
    }

    #[test]
    fn too_much_output_has_no_gist() {
        assert_eq!(gist(&"a line\n".repeat(MOST)), "");
        assert_ne!(gist(""), "");
    }
}
