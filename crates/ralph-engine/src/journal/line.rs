//! One line of the journal: a JSON object whose last field is the checksum of all that stands before it.

use serde::Serialize;

const MARK: &[u8] = b",\"crc\":\"";
const END: &[u8] = b"\"}\n";
const DIGITS: usize = 8;

/// The line for a value that serialises to a JSON object, newline included.
pub(super) fn seal<T: Serialize>(value: &T) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.pop();
    let sum = crc32fast::hash(&line);
    line.extend_from_slice(MARK);
    line.extend_from_slice(format!("{sum:08x}").as_bytes());
    line.extend_from_slice(END);
    Ok(line)
}

/// Whether a line, newline included, is whole and unchanged.
pub(super) fn is_sound(line: &[u8]) -> bool {
    let Some(rest) = line.strip_suffix(END) else {
        return false;
    };
    let Some((body, digits)) = rest
        .len()
        .checked_sub(DIGITS)
        .and_then(|at| rest.split_at_checked(at))
    else {
        return false;
    };
    let Some(body) = body.strip_suffix(MARK) else {
        return false;
    };
    digits == format!("{:08x}", crc32fast::hash(body)).as_bytes()
}

/// Whether bytes that are no sound line could be one line whose writing was cut off, and not several.
pub(super) fn may_be_torn(bytes: &[u8]) -> bool {
    let ending = MARK.len() + DIGITS + END.len();
    let before = bytes
        .get(..bytes.len().saturating_sub(ending))
        .unwrap_or_default();
    !before.windows(MARK.len()).any(|window| window == MARK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_flip_and_every_cut_of_a_line_is_noticed() {
        let line = seal(&serde_json::json!({"v": 1, "text": "tree ä"})).unwrap_or_default();
        assert!(is_sound(&line));
        for at in 0..line.len() {
            assert!(!is_sound(line.get(..at).unwrap_or_default()), "cut at {at}");
            for bit in 0..8 {
                let mut damaged = line.clone();
                if let Some(byte) = damaged.get_mut(at) {
                    *byte ^= 1 << bit;
                }
                assert!(!is_sound(&damaged), "byte {at} bit {bit}");
            }
        }
    }
}
