//! What a git command touches, by its name: only what never looks at a worktree may run outside the box.
//!
//! A command that is not listed goes into the box: forgetting one costs time, not safety.

use std::ffi::OsString;

/// What of a worktree a command touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    /// Refs, objects and git's own settings: neither files, nor attributes, nor ignore rules.
    Nothing,
    /// It reads files, or what they say about others.
    Reads,
    /// It writes files as well.
    Writes,
}

/// Commands that work on refs and objects by their names.
const OUTSIDE: &[&str] = &[
    "cat-file",
    "check-ref-format",
    "commit-tree",
    "config",
    "for-each-ref",
    "init",
    "ls-tree",
    "merge-base",
    "mktree",
    "rev-parse",
    "symbolic-ref",
    "update-ref",
    "var",
    "version",
    "worktree",
];

/// Options that make one of them run filters or look at files after all.
const INSIDE_AFTER_ALL: &[&str] = &["--filters", "--textconv"];

/// What the command `args[0]` touches.
pub(super) fn touch(args: &[OsString]) -> Touch {
    let is = |words: &[&str], arg: &OsString| words.iter().any(|word| arg == word);
    let Some((name, rest)) = args.split_first() else { return Touch::Reads };
    let writes =
        name == "checkout-index" || name == "read-tree" && rest.iter().any(|arg| arg == "-u");
    if writes {
        return Touch::Writes;
    }
    let is_outside = is(OUTSIDE, name) && !rest.iter().any(|arg| is(INSIDE_AFTER_ALL, arg));
    if is_outside { Touch::Nothing } else { Touch::Reads }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Touch {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        touch(&args)
    }

    #[test]
    fn what_is_not_known_goes_into_the_box() {
        for line in
            ["status -z", "diff-tree -p a b", "log -1", "no-such-command", "update-index -z"]
        {
            assert_eq!(of(line), Touch::Reads, "{line}");
        }
        assert_eq!(touch(&[]), Touch::Reads);
    }

    #[test]
    fn only_commands_on_refs_and_objects_stay_outside() {
        for line in ["update-ref refs/heads/a b", "rev-parse HEAD", "cat-file --batch"] {
            assert_eq!(of(line), Touch::Nothing, "{line}");
        }
        assert_eq!(of("cat-file --filters HEAD:a"), Touch::Reads);
        assert_eq!(of("cat-file --textconv HEAD:a"), Touch::Reads);
    }

    #[test]
    fn files_are_written_only_where_a_command_says_so() {
        assert_eq!(of("read-tree -m -u a b"), Touch::Writes);
        assert_eq!(of("read-tree -m a"), Touch::Reads);
        assert_eq!(of("checkout-index --all"), Touch::Writes);
    }
}
