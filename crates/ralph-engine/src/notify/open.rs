//! From the settings of a channel to something that delivers.

use std::time::Duration;

use ralph_core::{
    settings::{ChannelKind, NotifyChannel},
    time::Millis,
};

use super::{
    Deliver, Surroundings, Undelivered,
    address::{Address, value},
    http::Http,
    program::Program,
};

/// A channel that is ready to deliver. The terminal's is not among them: `None`.
pub fn open(
    channel: &NotifyChannel,
    timeout: Millis,
    around: &Surroundings,
) -> Result<Option<Box<dyn Deliver>>, Undelivered> {
    let timeout = Duration::from_millis(timeout.0);
    Ok(match channel.kind {
        ChannelKind::Terminal => None,
        ChannelKind::Desktop => Some(Box::new(Program::desktop(timeout, around))),
        ChannelKind::Command => Some(Box::new(Program::command(&channel.command, timeout, around))),
        kind @ (ChannelKind::Webhook
        | ChannelKind::Ntfy
        | ChannelKind::Slack
        | ChannelKind::Discord) => {
            let of = |what, names| value(what, names, around.outside.environment());
            let url = of("address", (&channel.url_env, &channel.url_file))?;
            let url = url.ok_or_else(|| Undelivered::lasting("it has no address"))?;
            let token = of("access token", (&channel.secret_env, &channel.secret_file))?;
            Some(Box::new(Http::new(kind, Address::parse(&url)?, token, timeout)?))
        }
    })
}
