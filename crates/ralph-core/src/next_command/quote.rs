//! Names inside commands that a person copies: a branch or a task may be called anything.

/// A name as a shell takes it for one word.
pub fn quoted(name: &str) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "._-/@%+=:,".contains(one);
    if !name.is_empty() && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}
