//! The verdict on one command.

use super::{
    Scene, Verdict, marks, syntax,
    walk::{Denial, Walk, Walker},
};

/// Longer commands are not read.
const LONGEST: usize = 128 * 1024;

/// Words that make a text too dangerous to let pass unread.
const DESTRUCTIVE: [&str; 16] = [
    "rm", "rmdir", "shred", "mkfs", "dd", "wipefs", "unlink", "truncate", "sudo", "chmod", "chown",
    "kill", "pkill", "killall", "shutdown", "reboot",
];

/// Judges a command of a shell as an agent would run it.
pub fn judge(command: &str, scene: &Scene) -> Verdict {
    match look(command, scene) {
        Ok(()) => Verdict::Allow,
        Err(denial) => {
            let Denial { rule, reason, instead } = *denial;
            Verdict::Deny { rule, reason, instead }
        }
    }
}

fn look(command: &str, scene: &Scene) -> Walk<()> {
    if command.len() > LONGEST {
        return Err(Box::new(Denial::new(
            "size",
            "the command is too long to be read",
            "put it into a script of the project and run that",
        )));
    }
    if command.contains(marks::is_sign) {
        return Err(Box::new(Denial::new(
            "private-characters",
            "it has characters of private use, which no command needs",
            "write the command without them",
        )));
    }
    match syntax::parse(command) {
        Ok(script) => Walker::new(scene).run(&script),
        Err(_) => unreadable(command),
    }
}

/// A text that is not a script is denied only if a destructive word occurs in it.
pub(super) fn unreadable(text: &str) -> Walk<()> {
    let is_word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let mut words = text.split(|c| !is_word(c));
    if !words.any(|word| DESTRUCTIVE.contains(&word)) {
        return Ok(());
    }
    Err(Box::new(Denial::new(
        "unreadable",
        "the command cannot be read as shell, and a destructive word stands in it",
        "write it so that a shell can read it, one step a command",
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_writes_the_guards_own_signs() {
        let scene = Scene::at_root("/home/user/proj", "/home/user");
        for command in [
            "rm -rf \u{e00a}/../../..",
            "cat \u{e00a}x",
            "echo \u{f8ff}",
            "rm -rf $'\\ue00a'/../../../home",
            "rm -rf \"$(printf '\\ue00aall')\"",
        ] {
            assert!(!judge(command, &scene).is_allowed(), "{command:?}");
        }
        assert!(judge("echo 'naïve — 日本語 🦀'", &scene).is_allowed());
    }
}
