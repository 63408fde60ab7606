//! The terminal as a channel: the sequence that this terminal shows as a notification, else its bell.

use std::{
    io::{IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

use ralph_core::notify::Message;
use ralph_engine::notify::{Attention, Deliver, Undelivered};

/// How a terminal is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// OSC 99: kitty.
    Kitty,
    /// OSC 9: iTerm2, WezTerm.
    Nine,
    /// OSC 777: Ghostty, foot, terminals made with VTE.
    Notify,
    Bell,
}

/// Writes to the terminal on stderr, if there is one.
pub(super) struct TerminalNotice {
    way: Way,
    is_in_tmux: bool,
    /// Says whether somebody looks at the run, who needs no notice then.
    attention: Option<PathBuf>,
}

impl TerminalNotice {
    /// For the terminal that the environment describes.
    pub(super) fn new(env: &dyn Fn(&str) -> Option<String>, attention: Option<&Path>) -> Self {
        let is = |name: &str, words: &[&str]| {
            env(name).is_some_and(|value| words.iter().any(|word| value.eq_ignore_ascii_case(word)))
        };
        let has = |name: &str| env(name).is_some_and(|value| !value.is_empty());
        let way = if has("KITTY_WINDOW_ID") || is("TERM", &["xterm-kitty"]) {
            Way::Kitty
        } else if is("TERM_PROGRAM", &["iTerm.app", "WezTerm"]) || is("LC_TERMINAL", &["iTerm2"]) {
            Way::Nine
        } else if has("VTE_VERSION")
            || is("TERM_PROGRAM", &["ghostty"])
            || is("TERM", &["foot", "foot-extra", "xterm-ghostty"])
        {
            Way::Notify
        } else {
            Way::Bell
        };
        Self { way, is_in_tmux: has("TMUX"), attention: attention.map(Path::to_owned) }
    }

    fn sequence(&self, message: &Message) -> String {
        let (title, words) = (&message.title, message.words());
        let body = words.split_once('\n').map_or("", |(_, body)| body).replace('\n', " ");
        let told = match self.way {
            Way::Kitty => format!(
                "\u{1b}]99;i={id}:d=0;{title}\u{1b}\\\u{1b}]99;i={id}:p=body;{body}\u{1b}\\",
                id = message.seq
            ),
            Way::Nine => format!("\u{1b}]9;{}\u{1b}\\", words.replace('\n', " ")),
            // Its parts are told apart by semicolons.
            Way::Notify => {
                format!(
                    "\u{1b}]777;notify;{};{}\u{1b}\\",
                    title.replace(';', ","),
                    body.replace(';', ",")
                )
            }
            Way::Bell => "\u{7}".to_owned(),
        };
        if self.is_in_tmux && self.way != Way::Bell {
            return format!("\u{1b}Ptmux;{}\u{1b}\\", told.replace('\u{1b}', "\u{1b}\u{1b}"));
        }
        told
    }
}

impl Deliver for TerminalNotice {
    fn deliver(&mut self, message: &Message) -> Result<(), Undelivered> {
        let mut stderr = std::io::stderr().lock();
        if !stderr.is_terminal() || self.attention.as_deref().is_some_and(Attention::is_paid) {
            return Ok(());
        }
        // In one write, so that no line of the console comes between.
        let written = stderr.write_all(self.sequence(message).as_bytes());
        written.map_err(|error| Undelivered::lasting(format!("the terminal is gone: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use ralph_core::time::Timestamp;

    use super::*;

    fn told(variables: &[(&str, &str)], title: &str) -> String {
        let find = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let mut message = Message::test(Timestamp(7));
        message.title = title.into();
        message.next = "ralph run".into();
        TerminalNotice::new(&find, None)
            .sequence(&message)
            .replace('\u{1b}', "^")
            .replace('\u{7}', "!")
    }

    #[test]
    fn each_terminal_is_told_in_its_own_way() {
        let kitty = "^]99;i=7:d=0;a;b^\\^]99;i=7:p=body;next: ralph run^\\";
        assert_eq!(told(&[("TERM", "xterm-kitty")], "a;b"), kitty);
        assert_eq!(told(&[("TERM_PROGRAM", "iTerm.app")], "a"), "^]9;a next: ralph run^\\");
        assert_eq!(told(&[("VTE_VERSION", "7")], "a;b"), "^]777;notify;a,b;next: ralph run^\\");
        assert_eq!(told(&[("TERM", "xterm")], "a"), "!");
        assert_eq!(told(&[("TMUX", "x")], "a"), "!");
        let through = "^Ptmux;^^]9;a next: ralph run^^\\^\\";
        assert_eq!(told(&[("TMUX", "x"), ("LC_TERMINAL", "iTerm2")], "a"), through);
    }
}
