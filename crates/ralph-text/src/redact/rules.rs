//! Which check follows which anchor. Anchors are found without regard to case; checks look at it where it counts.

use super::{
    checks::{
        assignment, azure, discord, google, header, jwt, pem, sendgrid, telegram, url, webhook,
    },
    prefixes::PREFIXES,
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
    Prefix(usize),
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
    for (number, prefix) in PREFIXES.iter().enumerate() {
        for anchor in specific(prefix.begins) {
            all.push((anchor.into(), Anchored::Prefix(number)));
        }
    }
    for (anchor, kind, check) in [
        ("-----BEGIN ", "private-key", pem::check as fn(&Window<'_>) -> Verdict),
        ("eyJ", "jwt", jwt::check),
        ("AIza", "google-api-key", google::check),
        ("SG.", "sendgrid-key", sendgrid::check),
        (":AA", "telegram-token", telegram::check),
        ("://", "url-password", url::check),
        ("hooks.slack.com/", "slack-webhook", webhook::check),
        ("discord.com/api/webhooks/", "discord-webhook", webhook::check),
        ("AccountKey", "azure-storage-key", azure::check),
        ("SharedAccessKey", "azure-storage-key", azure::check),
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
    for start in discord::starts() {
        all.push((start.into(), rule("discord-token", discord::check)));
    }
    all
}
