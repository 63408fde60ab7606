//! The parts of a git command line.

use crate::call::Call;

/// A git command: settings in front of its verb, the verb, and the rest.
pub(super) struct Git {
    /// Values of `-c`, as key in small letters and value.
    pub(super) settings: Vec<(String, String)>,
    pub(super) verb: String,
    /// The arguments after the verb.
    pub(super) rest: Call,
}

impl Git {
    /// Takes a git command line apart; `None` for other programs.
    pub(super) fn of(call: &Call) -> Option<Self> {
        if !call.is("git hub") {
            return None;
        }
        let mut settings = Vec::new();
        let mut args = call.args.iter();
        let mut verb = String::new();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "-c" | "--config-env" => settings.extend(args.next().map(|text| setting(text))),
                "-C" | "--git-dir" | "--work-tree" | "--namespace" => drop(args.next()),
                option if option.starts_with('-') => {
                    settings.extend(option.strip_prefix("--config-env=").map(setting));
                }
                word => {
                    word.clone_into(&mut verb);
                    break;
                }
            }
        }
        let rest = Call { args: args.cloned().collect(), ..call.clone() };
        Some(Self { settings, verb, rest })
    }

    pub(super) fn is(&self, verbs: &str) -> bool {
        crate::call::one_of(verbs, &self.verb)
    }
}

fn setting(text: &str) -> (String, String) {
    let (key, value) = text.split_once('=').unwrap_or((text, "true"));
    (key.to_lowercase(), value.to_owned())
}
