//! What a changed path is, beside its name: the facts that whoever read the diff supplies.

/// A path that a commit would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change<'a> {
    pub path: &'a str,
    pub content: Content<'a>,
}

/// What is at a path after the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<'a> {
    Gone,
    File {
        /// By its mode.
        is_executable: bool,
        /// Its first bytes, at least four if it has so many.
        begins: &'a [u8],
    },
    Link {
        target: &'a str,
    },
    /// A repository of its own: a submodule, or what looks like one.
    Repository,
}

impl Content<'_> {
    /// A program: by its mode, by `#!`, or compiled.
    pub(super) fn is_program(&self) -> bool {
        const COMPILED: [&[u8]; 10] = [
            b"\x7fELF",
            b"MZ",
            b"\xfe\xed\xfa\xce",
            b"\xfe\xed\xfa\xcf",
            b"\xce\xfa\xed\xfe",
            b"\xcf\xfa\xed\xfe",
            b"\xca\xfe\xba\xbe",
            b"\0asm",
            b"!<arch>\n",
            b"\x1bLua",
        ];
        match self {
            Self::File { is_executable, begins } => {
                let begins = begins.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begins);
                *is_executable
                    || begins.starts_with(b"#!")
                    || COMPILED.iter().any(|magic| begins.starts_with(magic))
            }
            Self::Gone | Self::Link { .. } | Self::Repository => false,
        }
    }
}

/// Whether a link at `path` leads out of the worktree, or into what is git's own. By its words: what it passes through
/// is listed for itself if it is a link.
pub fn leads_out(path: &str, target: &str) -> bool {
    if target.starts_with(['/', '\\', '~']) || target.contains(":\\") {
        return true;
    }
    let mut at: Vec<&str> = path.split('/').collect();
    at.pop();
    for name in target.split('/') {
        match name {
            ".." if at.pop().is_none() => return true,
            "" | "." | ".." => {}
            name => at.push(name),
        }
        if at.first().is_some_and(|first| first.eq_ignore_ascii_case(".git")) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_out_by_its_words() {
        for (path, target) in [
            ("a", "/etc/passwd"),
            ("a", "../x"),
            ("d/e/a", "../../../x"),
            ("d/a", "../e/../../x"),
            ("d/a", "../.git/hooks/x"),
            ("a", ".GIT/config"),
            ("a", "~/x"),
            ("a", "C:\\x"),
        ] {
            assert!(leads_out(path, target), "{path} -> {target}");
        }
        for (path, target) in
            [("a", "b"), ("d/e/a", "../../x"), ("d/a", "./b/../c"), ("a", ".github/x"), ("a", "")]
        {
            assert!(!leads_out(path, target), "{path} -> {target}");
        }
    }

    #[test]
    fn programs_are_known_by_mode_or_first_bytes() {
        let file = |is_executable, begins| Content::File { is_executable, begins };
        for program in [
            file(true, b"text"),
            file(false, b"#!/bin/sh"),
            file(false, b"\xef\xbb\xbf#!/bin/sh"),
            file(false, b"\x7fELF\x02"),
            file(false, b"MZ\x90\0"),
            file(false, b"\xca\xfe\xba\xbe"),
        ] {
            assert!(program.is_program(), "{program:?}");
        }
        for other in [file(false, b"# title"), file(false, b""), Content::Gone, Content::Repository]
        {
            assert!(!other.is_program(), "{other:?}");
        }
    }
}
