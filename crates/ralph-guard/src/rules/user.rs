//! Rules and exceptions of the user.

use crate::{
    call::Call,
    frame::Frame,
    marks,
    verdict::{Verdict, Walk},
};

/// Whether the words of a rule fit a call: the program, then words in this order among its arguments.
fn fits_words(words: &[String], call: &Call) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let mut args = call.args.iter();
    (*first == call.name || first == "*")
        && rest.iter().all(|word| args.any(|arg| marks::typed(arg) == *word))
}

pub(super) fn check(call: &Call, frame: &Frame) -> Walk<()> {
    let mut rules = frame.scene.rules.deny.iter();
    let Some(rule) = rules.find(|rule| fits_words(&rule.words, call)) else { return Ok(()) };
    Err(Box::new(Verdict::Deny {
        rule: "user".into(),
        reason: rule.reason.clone(),
        instead: "do without it, or ask a person to change guard.rule in the settings".into(),
    }))
}

/// Whether an exception of the user fits a call.
pub(crate) fn is_excepted(call: &Call, frame: &Frame) -> bool {
    frame.scene.rules.allow.iter().any(|exception| fits_words(&exception.words, call))
}
