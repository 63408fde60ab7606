//! Passwords and tokens in addresses: `scheme://user:password@host`.

use super::random;
use crate::redact::{
    alphabet::Alphabet,
    window::{Care, Miss, Verdict, Window},
};

/// Longest user and password together.
const LONGEST: usize = 512;

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let has_scheme = window.start > 0
        && window.byte(window.start - 1).is_some_and(|byte| byte.is_ascii_alphanumeric());
    if !has_scheme {
        return Err(Miss::No);
    }
    let at = window.short_run(window.after, Alphabet::Userinfo, LONGEST)?;
    if window.byte(at) != Some(b'@') {
        return Err(Miss::No);
    }
    let userinfo = window.slice(window.after, at);
    match userinfo.iter().position(|byte| *byte == b':') {
        Some(colon) if is_secret(window, userinfo.split_at(colon), at) => {
            Ok((window.after + colon + 1, at))
        }
        None if random::is_random(userinfo, 16, 3.0) => Ok((window.after, at)),
        _ => Err(Miss::No),
    }
}

fn is_secret(window: &Window<'_>, (user, password): (&[u8], &[u8]), at: usize) -> bool {
    let password = password.get(1..).unwrap_or_default();
    let is_variable = password.iter().any(|byte| matches!(byte, b'$' | b'{' | b'<' | b'*'));
    if password.is_empty() || is_variable {
        return false;
    }
    if window.care == Care::Logs {
        return true;
    }
    let host = window.slice(at + 1, at + 64);
    let is_local = [&b"localhost"[..], b"127.0.0.1", b"[::1]", b"example."]
        .iter()
        .any(|local| host.starts_with(local));
    !is_local && password != user && random::is_random(password, SHORTEST_IN_FILES, 2.5)
}

/// Shorter ones in files are taken for made up.
const SHORTEST_IN_FILES: usize = 10;
