//! The parts of a git command line.

use super::super::call::Call;

/// A git command: what stands in front of its verb, the verb, and the rest.
pub(super) struct Git {
    /// Values of `-c`.
    pub(super) settings: Vec<String>,
    /// Other options in front of the verb.
    pub(super) globals: Vec<String>,
    pub(super) verb: String,
    /// The arguments after the verb.
    pub(super) rest: Call,
}

impl Git {
    /// Takes a git command line apart; `None` for other programs.
    pub(super) fn of(call: &Call) -> Option<Self> {
        if call.name != "git" && call.name != "hub" {
            return None;
        }
        let mut settings = Vec::new();
        let mut globals = Vec::new();
        let mut args = call.args.iter();
        let mut verb = String::new();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "-c" | "--config-env" => settings.extend(args.next().cloned()),
                set if set.starts_with("--config-env=") => {
                    settings.extend(set.strip_prefix("--config-env=").map(str::to_owned));
                }
                "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" => {
                    globals.push(arg.clone());
                    globals.extend(args.next().cloned());
                }
                option if option.starts_with('-') => globals.push(option.to_owned()),
                word => {
                    word.clone_into(&mut verb);
                    break;
                }
            }
        }
        let rest = Call { args: args.cloned().collect(), ..call.clone() };
        Some(Self { settings, globals, verb, rest })
    }

    /// Whether a setting of this one command has such a key, in small letters, and such a value.
    pub(super) fn sets(&self, is_meant: impl Fn(&str, &str) -> bool) -> bool {
        self.settings.iter().any(|setting| {
            let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
            is_meant(&key.to_lowercase(), value)
        })
    }

    pub(super) fn is(&self, verbs: &[&str]) -> bool {
        verbs.contains(&self.verb.as_str())
    }

    /// The first operand, which is a second verb for some.
    pub(super) fn second(&self) -> &str {
        self.rest
            .args
            .iter()
            .map(String::as_str)
            .find(|arg| !arg.starts_with('-'))
            .unwrap_or_default()
    }
}
