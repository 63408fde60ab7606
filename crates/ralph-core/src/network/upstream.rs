//! Where a relay sends its requests: a base URL, read strictly.

use std::{fmt, net::IpAddr};

use thiserror::Error;

use super::host::Host;

/// A base URL. Invariant: the path begins with no slash doubled and ends with none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    pub is_tls: bool,
    /// A name or an address, without brackets.
    pub host: String,
    pub port: u16,
    /// Empty, or begins with a slash.
    pub path: String,
}

/// What is wrong with a base URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum UpstreamProblem {
    #[error("it does not begin with https:// or http://")]
    Scheme,
    #[error("it contains a user name or a password")]
    UserInfo,
    #[error("its host is malformed")]
    Host,
    #[error("its port is not a number from 1 to 65535")]
    Port,
    #[error("its path has a query, a fragment or a character that is not allowed there")]
    Path,
}

impl Upstream {
    /// Reads a base URL.
    pub fn parse(text: &str) -> Result<Self, UpstreamProblem> {
        let (is_tls, rest) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (_, Some(rest)) => (false, rest),
            _ => return Err(UpstreamProblem::Scheme),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(UpstreamProblem::UserInfo);
        }
        let (host, port) = split_port(authority)?;
        let default = if is_tls { 443 } else { 80 };
        let port =
            if port.is_empty() { default } else { number(port).ok_or(UpstreamProblem::Port)? };
        let path = path.trim_end_matches('/');
        let is_plain =
            |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%:@!$&'()*+,;=".contains(&byte);
        if !path.bytes().all(is_plain)
            || path.contains("//")
            || path.split('/').any(|one| one == "..")
        {
            return Err(UpstreamProblem::Path);
        }
        Ok(Self { is_tls, host: read_host(host)?, port, path: path.to_owned() })
    }

    /// The value of a `Host` header.
    pub fn authority(&self) -> String {
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let is_default = self.port == if self.is_tls { 443 } else { 80 };
        if is_default { host } else { format!("{host}:{}", self.port) }
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}

fn split_port(authority: &str) -> Result<(&str, &str), UpstreamProblem> {
    let (host, rest) = if authority.starts_with('[') {
        let end = authority.find(']').ok_or(UpstreamProblem::Host)?;
        authority.split_at(end + 1)
    } else {
        authority.split_at(authority.find(':').unwrap_or(authority.len()))
    };
    if rest.is_empty() {
        return Ok((host, ""));
    }
    rest.strip_prefix(':').map(|port| (host, port)).ok_or(UpstreamProblem::Host)
}

fn read_host(host: &str) -> Result<String, UpstreamProblem> {
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    if let Some(inner) = inner {
        let address = inner.parse::<std::net::Ipv6Addr>().map_err(|_| UpstreamProblem::Host)?;
        return Ok(address.to_string());
    }
    // The user's own machine and network: there a name may have one label, and an address be meant.
    let is_label = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_one_label = is_label && host.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_address = host.parse::<IpAddr>().is_ok();
    if is_one_label || is_address || host.parse::<Host>().is_ok() {
        return Ok(host.to_ascii_lowercase());
    }
    Err(UpstreamProblem::Host)
}

/// A port, without the signs and spaces that other readers might forgive.
pub(super) fn number(text: &str) -> Option<u16> {
    let is_plain = (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|port| is_plain && *port != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_are_taken_apart() {
        for (text, shown, authority) in [
            ("https://model.example", "https://model.example", "model.example"),
            ("https://model.example/v1/", "https://model.example/v1", "model.example"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080", "127.0.0.1:8080"),
            ("http://[::1]:8080/a", "http://[::1]:8080/a", "[::1]:8080"),
            ("http://localhost", "http://localhost", "localhost"),
            ("https://Gate.example:8443", "https://gate.example:8443", "gate.example:8443"),
        ] {
            let upstream = Upstream::parse(text);
            assert_eq!(upstream.as_ref().map(ToString::to_string).as_deref(), Ok(shown), "{text}");
            assert_eq!(upstream.map(|one| one.authority()).as_deref(), Ok(authority), "{text}");
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for (text, problem) in [
            ("ftp://model.example", UpstreamProblem::Scheme),
            ("model.example", UpstreamProblem::Scheme),
            ("https://me:secret@model.example", UpstreamProblem::UserInfo),
            ("https://", UpstreamProblem::Host),
            ("https://model..example", UpstreamProblem::Host),
            ("https://0x7f000001.0x1", UpstreamProblem::Host),
            ("https://[::1", UpstreamProblem::Host),
            ("https://[::1]x", UpstreamProblem::Host),
            ("https://model.example:+1", UpstreamProblem::Port),
            ("https://model.example:0", UpstreamProblem::Port),
            ("https://model.example:99999", UpstreamProblem::Port),
            ("https://model.example/a?b", UpstreamProblem::Path),
            ("https://model.example/a b", UpstreamProblem::Path),
            ("https://model.example/a//b", UpstreamProblem::Path),
            ("https://model.example/a/../b", UpstreamProblem::Path),
        ] {
            assert_eq!(Upstream::parse(text), Err(problem), "{text}");
        }
    }
}
