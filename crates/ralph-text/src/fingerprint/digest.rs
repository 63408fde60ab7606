//! The one hash of this crate: bytes in, hexadecimal digits out. Must never depend on what the bytes mean.

/// A hash of all parts in their order, as hexadecimal digits. Moving a byte from one part to the next changes it.
pub fn digest(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_that_moves_to_the_next_part_changes_the_digest() {
        assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
    }
}
