//! What a remote said when it took nothing, as people and a server's history may have it. Decides nothing by it.

use ralph_text::{cut, redact::Redactor};

use crate::words::harmless;

/// How git marks what the remote itself refused, by a rule of its own.
pub(crate) const REJECTED: &str = "[remote rejected]";

/// What the remote's own words begin with.
const REMOTE: &str = "remote:";

/// The longest that is repeated of what it said.
const LONGEST: usize = 300;

/// What the remote said, in a line that anybody may read.
pub(crate) fn remote_said(why: &str) -> String {
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
        assert_eq!(remote_said(HOOK), "error: GH001: no big files (pre-receive hook declined)");
        assert_eq!(remote_said("!\ta:b\t[remote rejected] (unpacker error)"), "unpacker error");
        let secret =
            remote_said("fatal: unable to access 'https://me:hunter2hunter2@host/a': 403; Done");
        assert!(secret.contains("host/a") && !secret.contains("hunter2"), "{secret}");
        assert!(remote_said(&"long words ".repeat(100)).len() <= LONGEST);
        assert_eq!(remote_said(""), "");
    }
}
