//! A remote that answers and takes nothing: how often it is asked again, and what it said. One that does not answer is
//! none of this: it is waited for.

use ralph_text::{cut, redact::Redactor};

use crate::words::harmless;

/// How git marks what the remote itself refused, by a rule of its own.
const REJECTED: &str = "[remote rejected]";

/// What the remote's own words begin with.
const REMOTE: &str = "remote:";

/// So often a remote may answer and take nothing without saying that it refuses: it may be in trouble.
const UNCLEAR: u32 = 20;

/// The longest that is repeated of what it said.
const LONGEST: usize = 300;

/// Refusals in a row.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    clear: u32,
    all: u32,
}

impl Refusals {
    /// It answered, and this is why nothing was taken.
    pub(super) fn count(&mut self, why: &str) {
        self.clear += u32::from(why.contains(REJECTED));
        self.all += 1;
    }

    /// Whether it will not take it however often it is asked; a remote that says so is asked this often.
    pub(super) fn are_enough(&self, clear: u32) -> bool {
        self.clear >= clear || self.all >= UNCLEAR
    }
}

/// What the remote said, in a line that anybody may read.
pub(super) fn said(why: &str) -> String {
    let parts = || why.split("; ").map(str::trim);
    let words = || {
        let own = parts().filter_map(|part| part.strip_prefix(REMOTE)).map(str::trim);
        own.filter(|words| !words.is_empty() && !words.contains("100%"))
    };
    let is_error = |words: &&str| words.to_ascii_lowercase().contains("error");
    let words = words().find(is_error).or_else(|| words().next());
    let rule = parts().find_map(|part| part.split_once(REJECTED)).map(|(_, rule)| rule.trim());
    let text = match (words, rule) {
        (Some(words), Some(rule)) => format!("{words} {rule}"),
        (Some(words), None) => words.to_owned(),
        (None, Some(rule)) => rule.trim_matches(['(', ')']).to_owned(),
        (None, None) => parts().next().unwrap_or_default().to_owned(),
    };
    let text = harmless(&text);
    let text = Redactor::default().text(&text).into_owned();
    cut::words(&text, LONGEST).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOOK: &str = "remote: Resolving deltas: 100% (1/1); remote:; remote: error: GH001: no \u{1b}[31mbig files; \
        error: failed to push some refs to 'https://host/a'; To https://host/a; \
        !\tHEAD:refs/heads/x\t[remote rejected] (pre-receive hook declined); Done";

    #[test]
    fn what_a_remote_says_is_one_short_line_without_secrets() {
        assert_eq!(said(HOOK), "error: GH001: no big files (pre-receive hook declined)");
        assert_eq!(said("!\ta:b\t[remote rejected] (unpacker error)"), "unpacker error");
        let secret = said("fatal: unable to access 'https://me:hunter2hunter2@host/a': 403; Done");
        assert!(secret.contains("host/a") && !secret.contains("hunter2"), "{secret}");
        assert!(said(&"long words ".repeat(100)).len() <= LONGEST);
        assert_eq!(said(""), "");
    }

    #[test]
    fn a_remote_in_trouble_is_asked_more_often_than_one_that_refuses() {
        let after = |why: &str, times: u32| {
            let mut refusals = Refusals::default();
            (0..times).for_each(|_| refusals.count(why));
            refusals.are_enough(5)
        };
        assert!(!after(HOOK, 4) && after(HOOK, 5));
        assert!(!after("error: RPC failed; HTTP 503", 19) && after("error: RPC failed", 20));
    }
}
