//! Which requests a relay sends on with the user's key: everything that is not named is refused.

use super::{head::Head, relay::RelayRule, rules::Why};
use crate::agent_facts::Request;

/// Most requests of one call that get a key: more than any work needs, fewer than a loop that only spends money makes.
pub const MOST_REQUESTS: u64 = 10_000;

/// Words in names of headers and parameters by which a server could be asked for something else than the first line
/// says: another method, another path, other headers.
const OVERRIDES: [&str; 8] = [
    "http-method",
    "method-override",
    "original-ur",
    "rewrite-ur",
    "forwarded",
    "envoy",
    "httpmethod",
    "httpheaders",
];

impl RelayRule {
    /// Whether a request is one that the agent needs. `path` is what follows the relay's name, parameters included.
    pub fn judge(&self, method: &str, path: &str, head: &Head) -> Result<(), Why> {
        let (path, parameters) = path.split_once('?').unwrap_or((path, ""));
        let is_named = self.requests.iter().any(|one| one.fits(method, path));
        let bends = |name: &str| OVERRIDES.iter().any(|word| name.contains(word));
        let is_bent = head.headers.iter().any(|one| bends(&one.name))
            || parameters.split(['&', ';']).any(is_override);
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
