//! Telegram bots: the number is public, what follows the colon is not.

use crate::redact::window::{Verdict, Window, is_token};

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let before = window.slice(window.start.saturating_sub(10), window.start);
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if window.anchor() != b":AA" || digits < 8 {
        return Verdict::No;
    }
    match window.run(window.after, is_token) {
        None => Verdict::More,
        Some(end) if (30..=40).contains(&(end - window.after)) => {
            Verdict::Found(window.start + 1, end)
        }
        Some(_) => Verdict::No,
    }
}
