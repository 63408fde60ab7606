//! Asks the terminal for its background (OSC 11). A question that every terminal answers (DA1) comes after it, so that one
//! which does not know the first is not waited for. What was typed meanwhile is handed on.

use std::{
    io::{self, Write as _},
    os::fd::AsFd as _,
    time::{Duration, Instant},
};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nix::{
    poll::{PollFd, PollFlags, PollTimeout, poll},
    unistd,
};

use super::theme::Theme;

const QUESTIONS: &[u8] = b"\x1b]11;?\x1b\\\x1b[c";
/// How long the answers are waited for.
const PATIENCE: Duration = Duration::from_millis(100);
/// Keys that an answer can look like.
const LONGEST: u8 = 40;

/// What the terminal said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) theme: Option<Theme>,
    /// Everything else that came: keys.
    pub(super) typed: Vec<u8>,
    /// No more answers come.
    pub(super) is_whole: bool,
    /// It stopped in the middle of one.
    is_cut: bool,
}

/// Asks, on a terminal that is read key by key.
pub(super) fn ask() -> io::Result<Answer> {
    let mut out = io::stdout().lock();
    out.write_all(QUESTIONS)?;
    out.flush()?;
    let until = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    loop {
        let answer = read(&bytes);
        // What has begun to come is waited for a little longer.
        let until = if answer.is_cut { until + PATIENCE } else { until };
        let left = until.saturating_duration_since(Instant::now());
        if answer.is_whole || left.is_zero() {
            return Ok(answer);
        }
        let stdin = io::stdin();
        let mut fds = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        if poll(&mut fds, PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO))? > 0 {
            let mut buffer = [0; 256];
            let count = unistd::read(&stdin, &mut buffer)?;
            if count == 0 {
                return Ok(answer);
            }
            bytes.extend(buffer.iter().take(count));
        }
    }
}

/// An answer that comes when nobody waits for it any longer, and that then looks like keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum LateAnswer {
    #[default]
    None,
    Awaited,
    /// It has begun, and so many keys of it may still come.
    Comes(u8),
}

impl LateAnswer {
    /// What is still to come after an answer.
    pub(super) fn after(answer: &Answer) -> Self {
        match (answer.is_whole, answer.is_cut) {
            (true, _) => Self::None,
            (false, true) => Self::Comes(LONGEST),
            (false, false) => Self::Awaited,
        }
    }

    /// Takes a key that is part of the answer: from `Esc ]` to its end.
    pub(super) fn takes(&mut self, key: KeyEvent) -> bool {
        let is_with = |modifiers, code| key.modifiers.contains(modifiers) && key.code == code;
        let begins = is_with(KeyModifiers::ALT, KeyCode::Char(']'));
        let ends = is_with(KeyModifiers::ALT, KeyCode::Char('\\'))
            || is_with(KeyModifiers::CONTROL, KeyCode::Char('g'));
        let (is_part, next) = match *self {
            Self::Awaited if begins => (true, Self::Comes(LONGEST)),
            Self::Comes(left @ 1..) if !ends => (true, Self::Comes(left - 1)),
            Self::Comes(_) => (ends, Self::None),
            other => (false, other),
        };
        *self = next;
        is_part
    }
}

/// Takes the answers out of what came.
fn read(bytes: &[u8]) -> Answer {
    let mut answer = Answer::default();
    let mut rest = bytes;
    while let Some((first, others)) = rest.split_first() {
        if let Some(colour) = rest.strip_prefix(b"\x1b]11;")
            && let Some(end) = colour.iter().position(|byte| matches!(byte, 0x07 | 0x1b))
        {
            let text = String::from_utf8_lossy(colour.get(..end).unwrap_or_default()).into_owned();
            answer.theme = theme(&text);
            let after = colour.get(end..).unwrap_or_default();
            rest = after.strip_prefix(b"\x1b\\").or(after.get(1..)).unwrap_or_default();
        } else if let Some(attributes) = rest.strip_prefix(b"\x1b[?")
            && let Some(end) = attributes.iter().position(|byte| *byte == b'c')
        {
            answer.is_whole = true;
            rest = attributes.get(end + 1..).unwrap_or_default();
        } else if rest.starts_with(b"\x1b]11;") || rest.starts_with(b"\x1b[?") {
            answer.is_cut = true;
            break;
        } else {
            answer.typed.push(*first);
            rest = others;
        }
    }
    answer
}

/// `rgb:ffff/ffff/ffff`, with one to four digits each.
fn theme(text: &str) -> Option<Theme> {
    let parts = text.strip_prefix("rgb:")?.split('/').map(|part| {
        let most = 16_u32.pow(u32::try_from(part.len()).ok()?.min(4)) - 1;
        Some(f64::from(u32::from_str_radix(part, 16).ok()?) / f64::from(most.max(1)))
    });
    let parts: Vec<f64> = parts.collect::<Option<_>>()?;
    let [red, green, blue] = parts[..] else { return None };
    let is_light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5;
    Some(if is_light { Theme::Light } else { Theme::Dark })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_from_what_was_typed() {
        for (bytes, theme, typed, is_whole) in [
            (&b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;4c"[..], Some(Theme::Light), "", true),
            (b"j\x1b]11;rgb:00/2b/36\x07k\x1b[?6cq", Some(Theme::Dark), "jkq", true),
            (b"\x1b[?1;2c\x1b[A", None, "\x1b[A", true),
            (b"x", None, "x", false),
            (b"\x1b]11;nonsense\x07", None, "", false),
        ] {
            let typed = typed.as_bytes().to_vec();
            assert_eq!(read(bytes), Answer { theme, typed, is_whole, is_cut: false });
        }
        for bytes in [&b"j\x1b]11;rgb:ff"[..], b"j\x1b[?62"] {
            let cut = read(bytes);
            assert_eq!((cut.typed.as_slice(), cut.is_cut, cut.is_whole), (&b"j"[..], true, false));
        }
    }

    #[test]
    fn a_late_answer_is_no_key() {
        let key = |c: char, modifiers| KeyEvent::new(KeyCode::Char(c), modifiers);
        let mut late = LateAnswer::after(&Answer::default());
        assert!(!late.takes(key('x', KeyModifiers::NONE)));
        assert!(late.takes(key(']', KeyModifiers::ALT)));
        assert!("11;rgb:ffff/ffff/ffff".chars().all(|c| late.takes(key(c, KeyModifiers::NONE))));
        assert!(late.takes(key('\\', KeyModifiers::ALT)));
        assert!(!late.takes(key('x', KeyModifiers::NONE)));
        assert!(!late.takes(key(']', KeyModifiers::ALT)));
    }
}
