//! Channels that send a request: webhook, ntfy, Slack, Discord. One request each, no redirects, no cookies.

use std::{sync::Arc, time::Duration};

use ralph_core::{notify::Message, settings::ChannelKind};
use ralph_text::cut;
use serde_json::{Value, json};
use ureq::{
    Agent,
    tls::{Certificate, RootCerts, TlsConfig, TlsProvider},
};

use super::{Deliver, Undelivered, address::Address};
use crate::clock;

/// Most characters that Discord takes.
const DISCORD: usize = 1_900;

/// Sends messages to an address.
pub(super) struct Http {
    agent: Agent,
    address: Address,
    form: Form,
}

/// What a service expects.
enum Form {
    Webhook,
    Ntfy { topic: String, token: Option<String> },
    Slack,
    Discord,
}

impl Http {
    /// A channel to this address; no request takes longer than `timeout`.
    pub(super) fn new(
        kind: ChannelKind,
        mut address: Address,
        token: Option<String>,
        timeout: Duration,
    ) -> Result<Self, Undelivered> {
        let form = match kind {
            ChannelKind::Ntfy => {
                let (server, topic) = address.topic()?;
                address.url = server;
                Form::Ntfy { topic, token }
            }
            ChannelKind::Slack => Form::Slack,
            ChannelKind::Discord => Form::Discord,
            _ => Form::Webhook,
        };
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .https_only(!address.is_loopback)
            .timeout_global(Some(timeout))
            .max_idle_connections(0)
            .user_agent(concat!("ralph/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls());
        let config = if address.is_loopback { config.proxy(None) } else { config };
        Ok(Self { agent: config.build().into(), address, form })
    }
}

impl Deliver for Http {
    fn deliver(&mut self, message: &Message) -> Result<(), Undelivered> {
        let body = body(&self.form, message).to_string();
        let mut request =
            self.agent.post(&self.address.url).header("content-type", "application/json");
        match &self.form {
            Form::Webhook => {
                let (id, seconds) = (message.id(), clock::now().0 / 1000);
                request = request.header("webhook-id", &id);
                request = request.header("webhook-timestamp", seconds.to_string());
            }
            Form::Ntfy { token: Some(token), .. } => {
                request = request.header("authorization", format!("Bearer {token}"));
            }
            _ => {}
        }
        let answer = request.send(&body).map_err(|error| failed(&error))?;
        match answer.status().as_u16() {
            200..=299 => Ok(()),
            code @ (429 | 500..) => Err(Undelivered::passing(format!("it answered {code}"))),
            code @ 300..=399 => {
                Err(Undelivered::lasting(format!("it answered {code}; redirects are not followed")))
            }
            code => Err(Undelivered::lasting(format!("it answered {code}"))),
        }
    }
}

fn body(form: &Form, message: &Message) -> Value {
    match form {
        Form::Webhook => json!(message),
        Form::Ntfy { topic, .. } => {
            let priority = if message.urgent { 4 } else { 3 };
            let Message { title, occasion, .. } = message;
            let words = message.words();
            // ntfy puts a word of its own in the place of an empty message.
            let text = words.split_once('\n').map_or(title.as_str(), |(_, text)| text);
            json!({
                "topic": topic, "title": title, "message": text, "priority": priority,
                "tags": [occasion.as_str()],
            })
        }
        Form::Slack => {
            // Slack reads <…> as a link or as a mention.
            let words =
                message.words().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            json!({ "text": words })
        }
        Form::Discord => {
            let words = plain(&message.words());
            let content = cut::words(&words, DISCORD);
            json!({ "content": content, "allowed_mentions": { "parse": [] } })
        }
    }
}

/// Text of which Discord makes neither links nor code: a link could look like one of ralph's.
fn plain(text: &str) -> String {
    let is_mark = |letter: char| "\\[]()*_~`|".contains(letter);
    let escaped = |letter| is_mark(letter).then_some('\\').into_iter().chain([letter]);
    text.chars().flat_map(escaped).collect()
}

/// Whom this system trusts, ralph trusts.
fn tls() -> TlsConfig {
    let certificates = rustls_native_certs::load_native_certs().certs;
    let roots: Vec<_> =
        certificates.iter().map(|one| Certificate::from_der(one.as_ref()).to_owned()).collect();
    TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .root_certs(RootCerts::new_with_certs(&roots))
        .build()
}

/// Some errors quote the address, which is a secret, so that none is passed on word for word.
fn failed(error: &ureq::Error) -> Undelivered {
    use ureq::Error as E;
    match error {
        E::Timeout(_) => Undelivered::passing("it did not answer in time"),
        E::HostNotFound => Undelivered::passing("its host was not found"),
        E::ConnectionFailed => Undelivered::passing("no connection"),
        E::Io(error) => Undelivered::passing(format!("no connection: {}", error.kind())),
        E::Tls(_) | E::Rustls(_) | E::Pem(_) => {
            Undelivered::lasting("TLS failed; its certificate may not be trusted here")
        }
        E::BadUri(_) | E::Http(_) | E::RequireHttpsOnly(_) => {
            Undelivered::lasting("its address cannot be used")
        }
        E::InvalidProxyUrl | E::ConnectProxyFailed(_) => {
            Undelivered::passing("the proxy of the environment cannot be used")
        }
        _ => Undelivered::passing("it gave no proper answer"),
    }
}
