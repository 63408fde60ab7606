//! The parts of a git command line; pushes that would overwrite branches or go to foreign places, and commands that
//! would throw away the changes of the whole tree.

use crate::{
    call::{Call, one_of},
    frame::Frame,
    marks,
    paths::Zone,
};

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
        let mut verb = String::new();
        let mut args = call.args.iter();
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
}

fn setting(text: &str) -> (String, String) {
    let (key, value) = text.split_once('=').unwrap_or((text, "true"));
    (key.to_lowercase(), value.to_owned())
}

pub(super) fn check(call: &Call, frame: &Frame) -> Option<&'static str> {
    let git = Git::of(call)?;
    let has = |options: &str| git.rest.has(options);
    let discards = match git.verb.as_str() {
        "push" | "send-pack" => return pushes(&git.rest, frame),
        "checkout" => !has("-b --orphan"),
        "restore" => !has("--staged -S") || has("--worktree -W --source -s"),
        "rm" => !has("--cached -n --dry-run"),
        _ => false,
    };
    let is_all = || git.rest.words().iter().any(|word| means_all(word, frame));
    (discards && is_all()).then_some("git-discard-all")
}

/// Whether a path means everything.
fn means_all(word: &str, frame: &Frame) -> bool {
    let typed = marks::typed(word);
    word.starts_with(marks::CHANGED)
        || one_of("* :/ : ./* :(top) :/*", &typed)
        || typed.starts_with(['.', '/'])
            && matches!(frame.zone(word), Zone::Worktree | Zone::Outside)
}

fn pushes(rest: &Call, frame: &Frame) -> Option<&'static str> {
    let words = rest.operands("-o --push-option");
    let target = rest.value("--repo").or(words.first().copied()).unwrap_or_default();
    let is_address = target.contains("://") || target.contains('@') && target.contains(':');
    if is_address || frame.remotes.iter().any(|remote| remote == target) {
        return Some("git-foreign-push");
    }
    let refs = words.get(1..).unwrap_or_default();
    let is_shared = |name: &&str| {
        let name = name.rsplit([':', '/']).next().unwrap_or_default();
        one_of("main master develop dev trunk release production HEAD", name)
    };
    let is_leased = rest.args.iter().any(|arg| arg.starts_with("--force-with-lease"));
    let overwrites = |name: &&str| name.starts_with('+') || name.starts_with(':') && name.len() > 1;
    let is_forced =
        is_leased && (refs.is_empty() || refs.iter().any(is_shared)) || refs.iter().any(overwrites);
    (is_forced && !rest.has("--dry-run -n")).then_some("git-force-push")
}
