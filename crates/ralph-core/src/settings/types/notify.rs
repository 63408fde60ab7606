//! `[notify]`: who is called when a run needs somebody or ends, when, and by which channel.
//!
//! Holds no address and no secret: settings are stored with the run, so they only name where those are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{settings::Length, time::Millis};

/// Something that people can be called about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    Parked,
    Proposal,
    Failed,
    Stuck,
    Done,
    Ended,
    Waiting,
    Budget,
    Died,
}

impl Occasion {
    /// The word in settings and payloads.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parked => "parked",
            Self::Proposal => "proposal",
            Self::Failed => "failed",
            Self::Stuck => "stuck",
            Self::Done => "done",
            Self::Ended => "ended",
            Self::Waiting => "waiting",
            Self::Budget => "budget",
            Self::Died => "died",
        }
    }

    /// Whether somebody should look at once.
    pub fn is_urgent(self) -> bool {
        matches!(self, Self::Parked | Self::Proposal | Self::Ended | Self::Died)
    }
}

/// How much a notification says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotifyDetail {
    /// What happened and to which task.
    #[default]
    Title,
    /// Questions and error lines too.
    Text,
}

/// How a notification is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChannelKind {
    #[default]
    Terminal,
    Desktop,
    Command,
    Webhook,
    Ntfy,
    Slack,
    Discord,
}

impl ChannelKind {
    /// The word in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Desktop => "desktop",
            Self::Command => "command",
            Self::Webhook => "webhook",
            Self::Ntfy => "ntfy",
            Self::Slack => "slack",
            Self::Discord => "discord",
        }
    }

    /// Whether it sends to an address.
    pub fn has_address(self) -> bool {
        matches!(self, Self::Webhook | Self::Ntfy | Self::Slack | Self::Discord)
    }
}

/// One way to reach people.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NotifyChannel {
    /// How notifications are delivered.
    pub kind: ChannelKind,
    /// Kind `command`: shell command that reads the notification as JSON from its standard input. It runs outside the sandbox.
    pub command: String,
    /// Environment variable that holds the address (kinds `webhook`, `ntfy`, `slack`, `discord`); HTTPS only.
    pub url_env: String,
    /// File that holds the address instead; nobody else may be able to read it (mode 0600).
    pub url_file: String,
    /// Kind `ntfy`: environment variable that holds an access token.
    pub secret_env: String,
    /// File that holds the access token instead; nobody else may be able to read it (mode 0600).
    pub secret_file: String,
    /// Events for this channel; empty means those of `notify.on`.
    pub on: Vec<Occasion>,
}

/// Notifications.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NotifySettings {
    /// Events to notify about: `parked`, `proposal`, `failed`, `stuck` (a task), `done`, `ended` (the run), `waiting`,
    /// `budget`.
    pub on: Vec<Occasion>,
    /// Minimum time between two notifications on a channel; events in between are joined.
    pub min_gap: Length,
    /// How much notifications say: `title`, or `text` to include questions and error lines.
    pub detail: NotifyDetail,
    /// How long a delivery may take, and how long the end of a run waits for deliveries.
    pub timeout: Length,
    /// Short for a channel of kind `command`.
    pub command: String,
    /// Short for a channel of kind `webhook`: the environment variable that holds its address.
    pub webhook: String,
    /// Ways to reach you.
    pub channel: Vec<NotifyChannel>,
}

impl Default for NotifySettings {
    fn default() -> Self {
        use Occasion::{Budget, Done, Ended, Failed, Parked, Proposal, Waiting};
        Self {
            on: vec![Done, Ended, Parked, Proposal, Failed, Waiting, Budget],
            min_gap: Length(Millis::secs(60)),
            detail: NotifyDetail::Title,
            timeout: Length(Millis::secs(10)),
            command: String::new(),
            webhook: String::new(),
            channel: Vec::new(),
        }
    }
}

impl NotifySettings {
    /// Every channel, those of the short forms first.
    pub fn channels(&self) -> Vec<NotifyChannel> {
        let short = |kind, command: &str, url_env: &str| NotifyChannel {
            kind,
            command: command.to_owned(),
            url_env: url_env.to_owned(),
            ..NotifyChannel::default()
        };
        let mut channels = Vec::new();
        if !self.command.is_empty() {
            channels.push(short(ChannelKind::Command, &self.command, ""));
        }
        if !self.webhook.is_empty() {
            channels.push(short(ChannelKind::Webhook, "", &self.webhook));
        }
        channels.extend(self.channel.iter().cloned());
        channels
    }
}
