//! Names of hosts: the one strict grammar in which they are read, and the rules that allow them.
//!
//! Whatever a resolver, a C string or a URL parser might read differently is refused here, before anything is
//! compared. Rules compare whole labels, never the ends of strings.

use std::{fmt, str::FromStr};

use thiserror::Error;

/// Longest name in the domain name system.
const LONGEST_NAME: usize = 253;
/// Longest label of a name.
const LONGEST_LABEL: usize = 63;

/// A host's full name in small letters. Invariant: letters, digits, hyphens and dots; never an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Host(String);

/// What is wrong with a text that should be a host's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum HostProblem {
    #[error("the name is empty or longer than {LONGEST_NAME} characters")]
    Length,
    #[error("the name has an empty label: two dots in a row, or one at an end")]
    EmptyLabel,
    #[error("a label is longer than {LONGEST_LABEL} characters")]
    LongLabel,
    #[error("the name has a character other than ASCII letters, digits and hyphens")]
    Character,
    #[error("a label begins or ends with a hyphen")]
    Hyphen,
    #[error("it is an address, or can be read as one, not a name")]
    Address,
    #[error("the name has only one label")]
    OneLabel,
}

impl Host {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn labels(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('.')
    }
}

impl FromStr for Host {
    type Err = HostProblem;

    fn from_str(text: &str) -> Result<Self, HostProblem> {
        if text.is_empty() || text.len() > LONGEST_NAME {
            return Err(HostProblem::Length);
        }
        let is_of_address = |byte: u8| byte.is_ascii_hexdigit() || b"[]:.".contains(&byte);
        if text.contains(':') && text.bytes().all(is_of_address) {
            return Err(HostProblem::Address);
        }
        text.split('.').try_for_each(check_label)?;
        // Every form of an IPv4 address, decimal, octal, hexadecimal or short, ends in a number; no name may.
        let (is_whole, last) = match text.rsplit_once('.') {
            Some((_, last)) => (true, last),
            None => (false, text),
        };
        if is_number(last) {
            return Err(HostProblem::Address);
        }
        if is_whole { Ok(Self(text.to_ascii_lowercase())) } else { Err(HostProblem::OneLabel) }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check_label(label: &str) -> Result<(), HostProblem> {
    if label.is_empty() {
        return Err(HostProblem::EmptyLabel);
    }
    if !label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Err(HostProblem::Character);
    }
    if label.len() > LONGEST_LABEL {
        return Err(HostProblem::LongLabel);
    }
    if label.starts_with('-') || label.ends_with('-') {
        return Err(HostProblem::Hyphen);
    }
    Ok(())
}

fn is_number(label: &str) -> bool {
    let hexadecimal = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
    label.bytes().all(|byte| byte.is_ascii_digit())
        || hexadecimal.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Allows one host (`example.org`), or all below one (`*.example.org`, which leaves `example.org` itself out).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct HostRule {
    host: Host,
    is_below: bool,
}

impl HostRule {
    /// Whether the rule allows this host.
    pub fn allows(&self, host: &Host) -> bool {
        if !self.is_below {
            return self.host == *host;
        }
        let mut labels = host.labels().rev();
        self.host.labels().rev().all(|wanted| labels.next() == Some(wanted))
            && labels.next().is_some()
    }
}

impl FromStr for HostRule {
    type Err = HostProblem;

    fn from_str(text: &str) -> Result<Self, HostProblem> {
        let below = text.strip_prefix("*.");
        let host = below.unwrap_or(text).parse()?;
        Ok(Self { host, is_below: below.is_some() })
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let below = if self.is_below { "*." } else { "" };
        write!(f, "{below}{}", self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Result<String, HostProblem> {
        text.parse::<Host>().map(|host| host.to_string())
    }

    fn allows(rule: &str, name: &str) -> bool {
        let (Ok(rule), Ok(name)) = (rule.parse::<HostRule>(), name.parse()) else { return false };
        rule.allows(&name)
    }

    #[test]
    fn names_are_read_in_small_letters() {
        assert_eq!(host("Registry.EXAMPLE").as_deref(), Ok("registry.example"));
        assert_eq!(host("xn--bcher-kva.example").as_deref(), Ok("xn--bcher-kva.example"));
        assert_eq!(host("1password.9a.example").as_deref(), Ok("1password.9a.example"));
    }

    #[test]
    fn tricks_with_characters_are_refused() {
        for name in [
            "registry.example\0.evil.example",
            "registry.example#.evil.example",
            "registry.example%00.evil.example",
            "user@registry.example",
            "user:password@registry.example",
            "registry.example:443",
            "registry.example/",
            "registry.example\\",
            "registry.example ",
            "registry.example\n",
            "reg\u{456}stry.example",
            "registry\u{3002}example",
            "registry_.example",
            "*.registry.example",
            "evil.example?.registry.example",
        ] {
            assert_eq!(host(name), Err(HostProblem::Character), "{name:?}");
        }
    }

    #[test]
    fn empty_labels_are_refused_wherever_they_stand() {
        for name in ["a..registry.example", ".registry.example", "registry.example.", ".", ".."] {
            assert_eq!(host(name), Err(HostProblem::EmptyLabel), "{name:?}");
        }
        assert_eq!(host(""), Err(HostProblem::Length));
    }

    #[test]
    fn addresses_in_any_spelling_are_no_names() {
        for name in [
            "127.0.0.1",
            "2130706433",
            "0x7f000001",
            "0X7F.1",
            "0177.0.0.1",
            "127.1",
            "1.1.1.1",
            "169.254.169.254",
            "a.0x",
            "registry.example.1",
            "[::1]",
            "::1",
            "[::ffff:127.0.0.1]",
        ] {
            assert_eq!(host(name), Err(HostProblem::Address), "{name:?}");
        }
    }

    #[test]
    fn lengths_and_hyphens_are_bounded() {
        let long = "a".repeat(64);
        assert_eq!(host(&format!("{long}.example")), Err(HostProblem::LongLabel));
        assert!(host(&format!("{}.example", &long[1..])).is_ok());
        assert_eq!(host(&format!("{}example", "ab.".repeat(90))), Err(HostProblem::Length));
        assert_eq!(host("-a.example"), Err(HostProblem::Hyphen));
        assert_eq!(host("a-.example"), Err(HostProblem::Hyphen));
        assert_eq!(host("localhost"), Err(HostProblem::OneLabel));
    }

    #[test]
    fn rules_match_whole_labels() {
        assert!(allows("registry.example", "REGISTRY.example"));
        assert!(!allows("registry.example", "evilregistry.example"));
        assert!(!allows("registry.example", "a.registry.example"));
        assert!(allows("*.registry.example", "a.registry.example"));
        assert!(allows("*.registry.example", "a.b.registry.example"));
        assert!(!allows("*.registry.example", "registry.example"));
        assert!(!allows("*.registry.example", "evilregistry.example"));
        assert!(!allows("*.registry.example", "a.evilregistry.example"));
        assert!(!allows("*.registry.example", "registry.example.evil.example"));
    }

    #[test]
    fn a_rule_for_all_names_or_for_a_whole_top_level_is_none() {
        for rule in
            ["*", "*.", "*.example", "**.registry.example", "a.*.example", ".registry.example"]
        {
            assert!(rule.parse::<HostRule>().is_err(), "{rule}");
        }
        let shown = "*.Registry.example".parse::<HostRule>().map(|rule| rule.to_string());
        assert_eq!(shown.as_deref(), Ok("*.registry.example"));
    }
}
