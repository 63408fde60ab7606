//! One name inside a token or a path: identifiers, hashes and addresses in it change, the rest is kept. Must never
//! look at what stands around it.

/// A name or number that holds no more structure than `-`, `.`, `:` and `@`.
pub(super) fn normalise(text: &str) -> String {
    if is_uuid(text) {
        return "<uuid>".to_owned();
    }
    if is_temporary(text) {
        return "<temp>".to_owned();
    }
    if let Some((class, hash)) = text.split_once('@')
        && hash.len() >= 5
        && is_hexadecimal(hash)
    {
        return format!("{class}@<hex>");
    }
    pieces(text, |piece| is_address(piece) || is_hash(piece))
}

/// The same where hexadecimal digits may be what a test expected or got: only addresses are removed.
pub(super) fn without_addresses(text: &str) -> String {
    pieces(text, is_address)
}

fn pieces(text: &str, is_moving: impl Fn(&str) -> bool) -> String {
    const BREAKS: [char; 4] = ['-', '.', ':', '@'];
    text.split_inclusive(BREAKS)
        .map(|piece| {
            let core = piece.trim_end_matches(BREAKS);
            let edge = piece.get(core.len()..).unwrap_or_default();
            if is_moving(core) { format!("<hex>{edge}") } else { piece.to_owned() }
        })
        .collect()
}

pub(super) fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// `0x7f05fa29e850`, or `+0x24e` in a trace. Eight digits are rather an error's code, fewer than six a value.
fn is_address(text: &str) -> bool {
    if let Some(offset) = text.strip_prefix("+0x") {
        return is_hexadecimal(offset);
    }
    let digits = text.strip_prefix("0x").unwrap_or_default();
    digits.len() >= 6 && digits.len() != 8 && is_hexadecimal(digits)
}

/// At least seven hexadecimal digits, letters among them: `facade` is a word, `1000000` a number.
fn is_hash(text: &str) -> bool {
    text.len() >= 7
        && is_hexadecimal(text)
        && text.contains(|c: char| c.is_ascii_digit())
        && text.contains(|c: char| c.is_ascii_alphabetic())
}

pub(super) fn is_hexadecimal(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit())
}

/// `.tmpAb12Cd`, `tmp.Ab12Cd90`, `tmpab12cd_x`; `tmp_folder` is somebody's name.
fn is_temporary(text: &str) -> bool {
    let rest = text.trim_start_matches('.').strip_prefix("tmp").unwrap_or_default();
    let rest = rest.trim_start_matches(['.', '-', '_']);
    rest.len() >= 6
        && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && rest.contains(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase())
}
