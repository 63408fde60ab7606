//! Telegram bots: the number is public, what follows the colon is not.

use crate::redact::{
    alphabet::Alphabet::Token,
    window::{Short, Verdict, Window},
};

pub(in crate::redact) fn check(window: &Window<'_>) -> Verdict {
    let before = window.slice(window.start.saturating_sub(10), window.start);
    let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if window.anchor() != b":AA" || digits < 8 {
        return Verdict::No;
    }
    match window.short_run(window.after, Token, 40) {
        Short::More => Verdict::More,
        Short::Ends(end) if end - window.after >= 30 => Verdict::Found(window.start + 1, end),
        Short::Ends(_) | Short::TooLong => Verdict::No,
    }
}
