//! Rules and exceptions of the user.

use super::super::{
    call::Call,
    marks,
    walk::{Denial, Frame, Walk},
};

/// Whether the words of a rule fit a call: the program, then words in this order among its arguments.
fn fits_words(words: &[String], program: &str, args: &[String]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    if first != program && first != "*" {
        return false;
    }
    let mut args = args.iter();
    rest.iter().all(|word| args.any(|arg| marks::typed(arg) == *word))
}

pub(super) fn check(call: &Call, frame: &Frame) -> Walk<()> {
    let rules = &frame.scene().rules.deny;
    match rules.iter().find(|rule| fits_words(&rule.words, &call.name, &call.args)) {
        None => Ok(()),
        Some(rule) => Err(Box::new(Denial::new(
            "user",
            &rule.reason,
            "do without it, or ask a person to change guard.rule in the settings",
        ))),
    }
}

/// Whether an exception of the user fits a call.
pub(in super::super) fn is_excepted(call: &Call, frame: &Frame) -> bool {
    let exceptions = &frame.scene().rules.allow;
    exceptions.iter().any(|exception| fits_words(&exception.words, &call.name, &call.args))
}
