//! What the place we write to can do: width, colour, characters, live redrawing. Asked once, at start.

use std::io::IsTerminal as _;

use anstream::ColorChoice;
use jiff::tz::TimeZone;

use super::line::Look;

/// Columns of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// Lines are as long as they are.
    Endless,
    /// Always this many, since COLUMNS says so.
    Fixed(usize),
    /// Asked of the terminal each time, since people resize it.
    Terminal,
}

/// A place to write to.
#[derive(Debug, Clone)]
pub(crate) struct Screen {
    pub(crate) look: Look,
    pub(crate) width: Width,
    /// A status line may be redrawn in place.
    pub(crate) live: bool,
    /// Zone in which times are shown.
    pub(crate) zone: TimeZone,
}

impl Screen {
    /// Stderr, as the environment and `--color` describe it.
    pub(crate) fn stderr(color: ColorChoice, env: &dyn Fn(&str) -> Option<String>) -> Self {
        let stderr = std::io::stderr();
        let choice = match color {
            ColorChoice::Auto => anstream::AutoStream::choice(&stderr),
            given => given,
        };
        Self::new(choice, stderr.is_terminal(), env)
    }

    /// Stdout, as the environment and `--color` describe it; never live.
    pub(crate) fn stdout(color: ColorChoice, env: &dyn Fn(&str) -> Option<String>) -> Self {
        let stdout = std::io::stdout();
        let choice = match color {
            ColorChoice::Auto => anstream::AutoStream::choice(&stdout),
            given => given,
        };
        let screen = Self::new(choice, stdout.is_terminal(), env);
        Self { live: false, ..screen }
    }

    fn new(choice: ColorChoice, terminal: bool, env: &dyn Fn(&str) -> Option<String>) -> Self {
        let dumb = env("TERM").is_none_or(|term| term == "dumb");
        let ci = env("CI").is_some_and(|ci| !ci.is_empty() && ci != "false" && ci != "0");
        Self {
            look: Look {
                colour: choice != ColorChoice::Never,
                ascii: !speaks_utf8(env),
                emoji: false,
            },
            width: match env("COLUMNS").and_then(|columns| columns.parse().ok()) {
                Some(columns) if terminal && columns >= 20 => Width::Fixed(columns),
                _ if terminal => Width::Terminal,
                _ => Width::Endless,
            },
            live: terminal && !dumb && !ci,
            zone: TimeZone::system(),
        }
    }

    /// Columns right now.
    pub(crate) fn columns(&self) -> Option<usize> {
        match self.width {
            Width::Endless => None,
            Width::Fixed(columns) => Some(columns),
            Width::Terminal => terminal_size::terminal_size_of(std::io::stderr())
                .or_else(terminal_size::terminal_size)
                .map(|(width, _)| usize::from(width.0).max(20)),
        }
    }
}

/// Whether the locale can show more than ASCII, by the rules of POSIX.
fn speaks_utf8(env: &dyn Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| env(name).filter(|value| !value.is_empty()));
    match locale {
        Some(locale) => {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => cfg!(target_os = "macos"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_locale_variable_that_is_set_decides() {
        let table: [(&[(&str, &str)], bool); 4] = [
            (&[("LANG", "en_GB.UTF-8")], true),
            (&[("LC_ALL", "C"), ("LANG", "en_GB.UTF-8")], false),
            (&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8")], true),
            (&[("LANG", "POSIX")], false),
        ];
        for (vars, expected) in table {
            let env = |name: &str| {
                vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(speaks_utf8(&env), expected, "{vars:?}");
        }
    }

    #[test]
    fn ci_and_dumb_terminals_get_plain_lines() {
        let set = |pairs: &'static [(&str, &str)]| {
            move |name: &str| {
                pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            }
        };
        let live =
            |env: &dyn Fn(&str) -> Option<String>| Screen::new(ColorChoice::Never, true, env).live;
        assert!(live(&set(&[("TERM", "xterm")])));
        assert!(!live(&set(&[("TERM", "xterm"), ("CI", "true")])));
        assert!(!live(&set(&[("TERM", "dumb")])));
        assert!(!Screen::new(ColorChoice::Never, false, &set(&[("TERM", "xterm")])).live);
    }
}
