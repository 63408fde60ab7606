//! Tokens in the files of an agent's login: what of such a file is lent to a box, and until when that works.
//!
//! Must never lend a refresh token: whoever has one has the account, long after the run, and each use of one can end the
//! user's own login. So nothing an agent writes into its copy ever comes back.

use ralph_core::time::Timestamp;
use serde_json::Value;

/// Top-level entries of login files that no agent in a box needs: other programs, other repositories, their keys.
const NOT_LENT: [&str; 4] = ["mcpServers", "mcpOAuth", "projects", "githubRepoPaths"];
/// Names, in lower case and without separators, of tokens that renew the others.
const REFRESH: [&str; 2] = ["refreshtoken", "refresh"];
/// Names of tokens that work until a certain time.
const ACCESS: [&str; 2] = ["accesstoken", "access"];
/// Names of the times until which the token beside them works.
const UNTIL: [&str; 3] = ["expiresat", "expirydate", "expires"];
/// Numbers below this are seconds, above it milliseconds.
const MILLISECONDS_FROM: i64 = 100_000_000_000;

/// What an agent gets of a JSON file of its login or configuration: everything but refresh tokens and what names other
/// programs and other repositories.
#[must_use]
pub fn lendable(file: &Value) -> Value {
    let mut lent = file.clone();
    if let Value::Object(entries) = &mut lent {
        entries.retain(|name, _| !NOT_LENT.contains(&name.as_str()));
    }
    blank(&mut lent);
    lent
}

/// When the first access token of a login file stops working, as far as the file tells.
#[must_use]
pub fn expiry(file: &Value) -> Option<Timestamp> {
    let inner: Box<dyn Iterator<Item = &Value>> = match file {
        Value::Object(entries) => Box::new(entries.values()),
        Value::Array(items) => Box::new(items.iter()),
        _ => return None,
    };
    inner.filter_map(expiry).chain(own_expiry(file)).min()
}

/// Empties every refresh token: the tools that read the file want the entry and take an empty one for none.
fn blank(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            for (name, value) in entries.iter_mut() {
                match value {
                    Value::String(token) if is_in(name, &REFRESH) => token.clear(),
                    other => blank(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(blank),
        // Some tools keep a login as JSON inside a string.
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            if let Ok(mut inner) = serde_json::from_str::<Value>(text) {
                blank(&mut inner);
                *text = inner.to_string();
            }
        }
        _ => {}
    }
}

/// The time that stands beside an access token, or in it.
fn own_expiry(file: &Value) -> Option<Timestamp> {
    let entries = file.as_object()?;
    let find = |names: &[&str]| entries.iter().find(|(name, _)| is_in(name, names));
    let (_, token) = find(&ACCESS).filter(|(_, value)| value.is_string())?;
    match find(&UNTIL) {
        Some((_, until)) => moment(until),
        None => claims(token.as_str()?)?.get("exp").and_then(moment),
    }
}

/// What a signed token says; `None` if it is no such token.
fn claims(token: &str) -> Option<Value> {
    let payload = token.split('.').nth(1)?;
    serde_json::from_slice(&base64(payload)?).ok()
}

/// The bytes behind base64 in its form for addresses.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        held = (held << 6 | u32::from(digit)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}

fn moment(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => Timestamp::parse(text),
        Value::Number(number) => {
            let number = number.as_i64().filter(|number| *number > 0)?;
            let is_seconds = number < MILLISECONDS_FROM;
            Some(Timestamp(if is_seconds { number.saturating_mul(1000) } else { number }))
        }
        _ => None,
    }
}

fn is_in(name: &str, names: &[&str]) -> bool {
    let plain: String =
        name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect();
    names.contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp(1_790_000_000_000);

    #[test]
    fn no_known_form_of_a_login_is_lent_with_its_refresh_token() {
        for (file, lent) in [
            (
                json!({ "claudeAiOauth": { "accessToken": "a", "refreshToken": "SECRET",
                    "expiresAt": NOW.0, "scopes": ["user:inference"] } }),
                json!({ "claudeAiOauth": { "accessToken": "a", "refreshToken": "",
                    "expiresAt": NOW.0, "scopes": ["user:inference"] } }),
            ),
            (
                json!({ "OPENAI_API_KEY": null, "tokens": { "id_token": "i", "access_token": "a",
                    "refresh_token": "SECRET", "account_id": "me" } }),
                json!({ "OPENAI_API_KEY": null, "tokens": { "id_token": "i", "access_token": "a",
                    "refresh_token": "", "account_id": "me" } }),
            ),
            (
                json!({ "anthropic": { "type": "oauth", "refresh": "SECRET", "access": "a" } }),
                json!({ "anthropic": { "type": "oauth", "refresh": "", "access": "a" } }),
            ),
            (
                json!([{ "Refresh-Token": "SECRET", "refresh": { "seconds": 5 } }]),
                json!([{ "Refresh-Token": "", "refresh": { "seconds": 5 } }]),
            ),
            (
                json!({ "account": "{\"idToken\":\"i\",\"refreshToken\":\"SECRET\"}" }),
                json!({ "account": "{\"idToken\":\"i\",\"refreshToken\":\"\"}" }),
            ),
        ] {
            assert_eq!(lendable(&file), lent);
        }
    }

    #[test]
    fn other_programs_and_other_repositories_are_not_lent() {
        let file = json!({ "oauthAccount": { "a": 1 }, "mcpServers": { "x": { "env": { "KEY": "k" } } }, "projects": {} });
        assert_eq!(lendable(&file), json!({ "oauthAccount": { "a": 1 } }));
        assert_eq!(lendable(&json!([1])), json!([1]));
    }

    #[test]
    fn the_end_of_an_access_token_is_read_beside_it_or_in_it() {
        // {"alg":"none"}.{"exp":1790000000}
        let signed = "eyJhbGciOiJub25lIn0.eyJleHAiOjE3OTAwMDAwMDB9.x";
        for (file, until) in [
            (json!({ "claudeAiOauth": { "accessToken": "a", "expiresAt": NOW.0 } }), Some(NOW)),
            (json!({ "access_token": "a", "expiry_date": NOW.0 / 1000 }), Some(NOW)),
            (json!({ "tokens": { "access_token": signed, "refresh_token": "" } }), Some(NOW)),
            (
                json!({ "a": { "access": "x", "expires": NOW.0 + 1 }, "b": { "access": "y", "expires": NOW.0 } }),
                Some(NOW),
            ),
            (json!({ "tokens": { "access_token": "opaque" } }), None),
            (json!({ "claudeAiOauth": { "accessToken": "a", "expiresAt": null } }), None),
            (json!({ "expires": NOW.0, "theme": "dark" }), None),
            (json!({ "access_token": "a.!.c" }), None),
        ] {
            assert_eq!(expiry(&file), until, "{file}");
        }
    }
}
