//! Which check follows which anchor. Anchors are found without regard to case; checks look at it where it counts.

use super::{
    checks::{assignment, header, pem, shapes, url},
    prefixes::{PREFIXES, Prefix},
    window::{Verdict, Window},
};

/// A pattern that needs more than a prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) kind: &'static str,
    pub(super) check: fn(&Window<'_>) -> Verdict,
}

/// What an anchor may begin.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchored {
    Prefix(&'static Prefix),
    Rule(Rule),
    /// A form of a known value.
    Value(usize),
}

const KEYWORDS: [&str; 12] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "accesskey",
    "private_key",
    "credential",
];

/// Two letters stand everywhere: what follows them in a key makes them rare.
fn specific(prefix: &str) -> Vec<String> {
    if prefix.len() > 2 {
        return vec![prefix.to_owned()];
    }
    (0..=255_u8).map(|byte| format!("{prefix}{byte:02x}")).collect()
}

/// The anchors of every pattern, with what follows each.
pub(super) fn anchors() -> Vec<(Vec<u8>, Anchored)> {
    let rule = |kind, check| Anchored::Rule(Rule { kind, check });
    let mut all: Vec<(Vec<u8>, Anchored)> = Vec::new();
    for prefix in PREFIXES {
        for anchor in specific(prefix.begins) {
            all.push((anchor.into(), Anchored::Prefix(prefix)));
        }
    }
    for (anchor, kind, check) in [
        ("-----BEGIN ", "private-key", pem::check as fn(&Window<'_>) -> Verdict),
        ("eyJ", "jwt", shapes::jwt),
        ("AIza", "google-api-key", shapes::google),
        ("SG.", "sendgrid-key", shapes::sendgrid),
        (":AA", "telegram-token", shapes::telegram),
        ("://", "url-password", url::check),
        ("hooks.slack.com/", "slack-webhook", shapes::webhook),
        ("discord.com/api/webhooks/", "discord-webhook", shapes::webhook),
        ("AccountKey", "azure-storage-key", shapes::azure),
        ("SharedAccessKey", "azure-storage-key", shapes::azure),
        ("authorization", "authorization", header::check),
        ("bearer ", "authorization", header::check_bearer),
    ] {
        all.push((anchor.into(), rule(kind, check)));
    }
    for word in ["aws_secret", "aws_session_token", "SecretAccessKey", "SessionToken"] {
        all.push((word.into(), rule("aws-secret-key", assignment::check)));
    }
    for word in KEYWORDS {
        all.push((word.into(), rule("assigned-secret", assignment::check)));
    }
    for start in shapes::discord_starts() {
        all.push((start.into(), rule("discord-token", shapes::discord)));
    }
    all
}
