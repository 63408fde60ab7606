//! Which requests a relay sends on with the user's key: everything that is not named is refused.

use super::{relay::RelayRule, rules::Why};
use crate::agent_facts::Request;

/// Most requests of one call that get a key: more than any work needs, fewer than a loop that only spends money makes.
pub const MOST_REQUESTS: u64 = 10_000;

/// Headers that agents send with a request to a model: whole names, and beginnings that end in a dash.
const HEADERS: &str = "
    accept accept-encoding accept-language anthropic- api-key authorization baggage chatgpt-
    content-encoding content-language content-length content-type conversation-id copilot-
    editor-plugin-version editor-version http-referer idempotency-key openai- originator session-id
    thread-id traceparent tracestate transfer-encoding user-agent version x-agent- x-api-key x-app
    x-claude- x-client-request-id x-codex- x-dashscope- x-gemini- x-github- x-goog- x-initiator
    x-interaction- x-oai- x-openai- x-opencode- x-qwen- x-request-id x-responsesapi- x-service-name
    x-session-id x-stainless- x-title
";

/// Whether a header is sent on. Everything that is not named is left out: a server may take a header for another method
/// or path than the first line has. Names with underscores stand for others to some servers.
pub fn passes(header: &str) -> bool {
    let is_same =
        |known: &str| header == known || known.ends_with('-') && header.starts_with(known);
    HEADERS.split_whitespace().any(is_same) && !header.contains(['_', '.'])
}

impl RelayRule {
    /// Whether a request is one that the agent needs. `path` is what follows the relay's name, parameters included.
    pub fn judge(&self, method: &str, path: &str) -> Result<(), Why> {
        let (path, parameters) = path.split_once('?').unwrap_or((path, ""));
        let is_named = self.requests.iter().any(|one| one.fits(method, path));
        let is_bent = parameters.split(['&', ';']).any(is_override);
        if is_named && !is_bent { Ok(()) } else { Err(Why::NotRelayed) }
    }
}

/// Whether a parameter could change what is asked for. Nobody writes the name of an ordinary one with escapes.
fn is_override(parameter: &str) -> bool {
    let name = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
    name.contains(['%', '+']) || name.contains("method") || name.contains("header")
}

impl Request {
    /// Whether a request is this one. A `*` stands for one name without separators.
    fn fits(&self, method: &str, path: &str) -> bool {
        let path = if path.is_empty() { "/" } else { path };
        self.method == method
            && self.path.split('/').count() == path.split('/').count()
            && self.path.split('/').zip(path.split('/')).all(|(rule, part)| fits(rule, part))
    }
}

fn fits(rule: &str, part: &str) -> bool {
    let Some((before, after)) = rule.split_once('*') else { return rule == part };
    let name = part.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    let is_plain = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    name.is_some_and(|name| !name.trim_matches('.').is_empty() && is_plain(name))
}
