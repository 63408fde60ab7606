//! The verdict on one command.

use crate::{
    marks, rules, syntax,
    verdict::{Scene, Verdict, Walk},
    walk::{Walker, unreadable},
};

/// Longer commands are not read.
const LONGEST: usize = 128 * 1024;

/// Judges a command of a shell as an agent would run it.
pub fn judge(command: &str, scene: &Scene) -> Verdict {
    look(command, scene).map_or_else(|denial| *denial, |()| Verdict::Allow)
}

fn look(command: &str, scene: &Scene) -> Walk<()> {
    if command.len() > LONGEST {
        return rules::deny("size");
    }
    if command.contains(marks::is_sign) {
        return rules::deny("private-characters");
    }
    match syntax::parse(command) {
        Ok(script) => Walker::new(scene).run(&script),
        Err(_) => unreadable(command),
    }
}

#[cfg(test)]
mod tests;
