//! `[notify]`: channels that have what they need.

use super::Findings;
use crate::settings::{ChannelKind, NotifyChannel, NotifySettings, Occasion};

/// Checks names and what each channel needs.
pub(super) fn check(notify: &NotifySettings, findings: &mut Findings<'_>) {
    if notify.timeout.0.is_zero() {
        let help = "set how long a delivery may take, such as \"10s\"";
        findings.add("notify.timeout", "is 0s, so nothing could be delivered", help);
    }
    if notify.on.contains(&Occasion::Died) {
        let why = "lists died, which no run can say of itself";
        let help = "leave it out and start ralph watch --notify; a channel's `on` can list it";
        findings.add("notify.on", why, help);
    }
    variable("notify.webhook", &notify.webhook, findings);
    for (index, channel) in notify.channel.iter().enumerate() {
        one(&format!("notify.channel[{index}]"), channel, findings);
    }
}

fn one(key: &str, channel: &NotifyChannel, findings: &mut Findings<'_>) {
    let kind = channel.kind.as_str();
    if channel.kind == ChannelKind::Command && channel.command.trim().is_empty() {
        let help = "set the command to run, such as command = \"notify-me\"";
        findings.add(key, "is of kind command and has no command", help);
    }
    if channel.kind != ChannelKind::Command && !channel.command.is_empty() {
        let why = format!("has a command, but is of kind {kind}");
        findings.add(key, why, "remove it, or use kind = \"command\"");
    }
    let addresses = [&channel.url_env, &channel.url_file];
    let addresses = addresses.iter().filter(|one| !one.is_empty()).count();
    if channel.kind.has_address() && addresses != 1 {
        let why = format!("is of kind {kind} and needs one address");
        let help = "set url_env to the name of an environment variable, or url_file to a file of mode 0600";
        findings.add(key, why, help);
    }
    let has_secret = !channel.secret_env.is_empty() || !channel.secret_file.is_empty();
    if has_secret && channel.kind != ChannelKind::Ntfy {
        let why = format!("has a secret, but is of kind {kind}");
        let help = "0.2.0 dropped signed webhooks: put a secret into the address itself";
        findings.add(key, why, help);
    }
    variable(&format!("{key}.url_env"), &channel.url_env, findings);
    variable(&format!("{key}.secret_env"), &channel.secret_env, findings);
}

/// An address in its place would be stored with every run.
fn variable(key: &str, name: &str, findings: &mut Findings<'_>) {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if !name.bytes().all(is_name) {
        let help =
            "put the value into an environment variable, and write that variable's name here";
        findings.add(key, "is not the name of an environment variable", help);
    }
}
