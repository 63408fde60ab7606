//! What kept the agents in, and which hosts they reached and did not reach.

use super::phrases::{code, count, listed, said};
use crate::{isolation::Contact, network::Why, report::Report};

/// What no setting changes.
const BEYOND: [Why; 7] = [
    Why::Port,
    Why::Unresolved,
    Why::NoAddress,
    Why::Unreachable,
    Why::Proxy,
    Why::ServerName,
    Why::Broken,
];

/// What was really in force, for the head of the report.
pub(super) fn lines(report: &Report) -> Vec<String> {
    let now = said(&report.isolation.guarantee);
    if report.earlier_isolations.is_empty() {
        return vec![format!("isolation: {now}")];
    }
    let earlier = report.earlier_isolations.iter();
    let mut lines: Vec<String> =
        earlier.map(|one| format!("isolation at first: {}", said(&one.guarantee))).collect();
    lines.push(format!("isolation since the run was resumed: {now}"));
    lines
}

/// The section about the network; empty where nobody asked for a host.
pub(super) fn network(report: &Report) -> String {
    let asked = |is: fn(&&Contact) -> bool| report.traffic.iter().filter(is).collect::<Vec<_>>();
    let (reached, refused) = (asked(|one| one.allowed > 0), asked(|one| one.refused > 0));
    let parts = [
        listed("Hosts that were reached:", &reached, |one| reached_line(one)),
        listed("Hosts that were refused:", &refused, |one| refused_line(one)),
    ];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|one| !one.is_empty()).collect();
    if parts.is_empty() { String::new() } else { format!("## Network\n\n{}", parts.join("\n\n")) }
}

fn reached_line(one: &Contact) -> String {
    let times = count(one.allowed, "connection");
    let (sent, received) = (bytes(one.sent), bytes(one.received));
    format!("{}: {times}, {sent} sent, {received} received", code(&one.host))
}

fn refused_line(one: &Contact) -> String {
    let why = if one.why.is_empty() { String::new() } else { format!(" ({})", said(&one.why)) };
    let is_beyond = BEYOND.iter().any(|beyond| beyond.words() == one.why);
    let way = match allow(&one.host) {
        Some(way) if !is_beyond => format!("; to allow it: {way}"),
        _ => String::new(),
    };
    format!("{}: {}{why}{way}", code(&one.host), count(one.refused, "connection"))
}

/// How to let one host through; what is no plain host name must not end up in somebody's settings.
fn allow(host: &str) -> Option<String> {
    let is_label = |label: &str| {
        let inner = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        inner && !label.is_empty() && !label.starts_with('-') && !label.ends_with('-')
    };
    let is_name = host.contains('.')
        && host.split('.').all(is_label)
        && !host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_name.then(|| {
        let line = code(&format!("allow_hosts = [\"{host}\"]"));
        format!("{line} under `[sandbox]` in `.ralph/settings.local.toml` or your user settings")
    })
}

/// `812 B`, `4.2 kB`, `13.0 MB`.
fn bytes(n: u64) -> String {
    let (unit, size) = match n {
        0..1_000 => return format!("{n} B"),
        1_000..1_000_000 => ("kB", 100),
        1_000_000..1_000_000_000 => ("MB", 100_000),
        _ => ("GB", 100_000_000),
    };
    let tenths = n / size;
    format!("{}.{} {unit}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        let table = [
            (0, "0 B"),
            (999, "999 B"),
            (4_290, "4.2 kB"),
            (13_000_000, "13.0 MB"),
            (7_654_321_000, "7.6 GB"),
        ];
        for (n, text) in table {
            assert_eq!(bytes(n), text);
        }
    }

    #[test]
    fn a_setting_is_advised_only_where_it_helps() {
        let line = |why: Why| {
            let why = why.words().to_owned();
            refused_line(&Contact {
                host: "a.example".into(),
                refused: 1,
                why,
                ..Contact::default()
            })
        };
        for why in [Why::NotAllowed, Why::PrivateAddress] {
            assert!(line(why).contains("allow_hosts"), "{}", line(why));
        }
        for why in [Why::Port, Why::NoAddress, Why::Proxy] {
            assert!(!line(why).contains("allow_hosts"), "{}", line(why));
        }
    }

    #[test]
    fn only_a_plain_host_name_can_be_allowed() {
        for host in ["a.example", "x-1.b.example"] {
            assert!(allow(host).is_some_and(|way| way.contains(host)), "{host}");
        }
        for host in [
            "",
            "localhost",
            "10.0.0.1",
            "a..example",
            "a.example; rm",
            "-a.example",
            "a.example\n",
        ] {
            assert_eq!(allow(host), None, "{host}");
        }
    }
}
