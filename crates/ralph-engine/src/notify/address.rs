//! Addresses and secrets of channels: from the environment, or from a file that nobody else can read.

use std::{ffi::OsString, os::unix::fs::MetadataExt as _, path::Path};

use super::Undelivered;
use crate::safe_files;

/// Largest file with an address or a secret.
const LARGEST: u64 = 8 << 10;

/// The value of a variable, or of a private file; `None` where neither is named.
pub(super) fn value(
    what: &str,
    (variable, file): (&str, &str),
    environment: &[(OsString, OsString)],
) -> Result<Option<String>, Undelivered> {
    if !variable.is_empty() {
        let found = environment.iter().find(|(name, _)| name.to_str() == Some(variable));
        let text = found.and_then(|(_, value)| value.to_str()).map(str::trim).unwrap_or_default();
        if text.is_empty() {
            return Err(Undelivered::lasting(format!(
                "{variable}, which holds its {what}, is not set"
            )));
        }
        return Ok(Some(text.to_owned()));
    }
    if file.is_empty() {
        return Ok(None);
    }
    let unread = |why: String| {
        Undelivered::lasting(format!("the file with its {what} cannot be used: {why}"))
    };
    let (content, about) =
        safe_files::read(Path::new(file), LARGEST).map_err(|error| unread(error.to_string()))?;
    if about.mode() & 0o077 != 0 {
        return Err(unread("others can read it; run chmod 600 on it".into()));
    }
    let text = String::from_utf8(content).map_err(|_| unread("it is not text".into()))?;
    match text.trim() {
        "" => Err(unread("it is empty".into())),
        text => Ok(Some(text.to_owned())),
    }
}

/// Where a request may go: HTTPS, or this very machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) url: String,
    pub(super) is_loopback: bool,
}

impl Address {
    /// Refuses what would send a message over the network in the clear.
    pub(super) fn parse(url: &str) -> Result<Self, Undelivered> {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let host = match host.strip_prefix('[') {
            Some(six) => six.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        let is_loopback = host == "localhost"
            || host.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback());
        let is_allowed = scheme == "https" || scheme == "http" && is_loopback;
        if !is_allowed || host.is_empty() {
            return Err(Undelivered::lasting("its address does not begin with https://"));
        }
        Ok(Self { url: url.to_owned(), is_loopback })
    }

    /// The server and the last part of the path: `https://ntfy.sh/` and `topic`.
    pub(super) fn topic(&self) -> Result<(String, String), Undelivered> {
        let url = self.url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        let from = url.find("://").map_or(0, |at| at + 3);
        match url.rsplit_once('/') {
            Some((server, topic)) if server.len() > from && !topic.is_empty() => {
                Ok((format!("{server}/"), topic.to_owned()))
            }
            _ => Err(Undelivered::lasting(
                "its address has no topic, as in https://ntfy.sh/my-topic",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_this_machine_are_addresses() {
        let loopback = |url: &str| Address::parse(url).map(|address| address.is_loopback).ok();
        let cases = [
            ("https://example.org/x", Some(false)),
            ("https://127.0.0.1.example.org/x", Some(false)),
            ("http://127.0.0.1:8080/x", Some(true)),
            ("http://[::1]:8080/x", Some(true)),
            ("http://localhost/x", Some(true)),
            ("http://localhost.example.org/x", None),
            ("http://localhost@example.org/x", None),
            ("http://example.org/?http://localhost/", None),
            ("http://example.org#@localhost/", None),
            ("ftp://example.org", None),
            ("https://", None),
            ("example.org", None),
        ];
        for (url, expected) in cases {
            assert_eq!(loopback(url), expected, "{url}");
        }
    }

    #[test]
    fn a_topic_is_the_last_part_of_the_path() {
        let topic = |url: &str| Address::parse(url).and_then(|address| address.topic()).ok();
        let some = |server: &str, topic: &str| Some((server.to_owned(), topic.to_owned()));
        assert_eq!(topic("https://ntfy.sh/mine"), some("https://ntfy.sh/", "mine"));
        assert_eq!(topic("https://a.example/ntfy/mine/"), some("https://a.example/ntfy/", "mine"));
        assert_eq!(topic("https://ntfy.sh"), None);
        assert_eq!(topic("https://ntfy.sh/"), None);
    }
}
