//! Tokens in the files of an agent's login: what of such a file is lent, and which of an agent's changes come back.
//!
//! Must never let anything back but refreshed tokens and their times: the same files can hold settings that run code
//! or name the host that the tokens are sent to.

use serde_json::{Map, Value};

use crate::time::{Millis, Timestamp};

/// Top-level entries of login files that no agent in a box needs: other programs, other repositories, their keys.
const NOT_LENT: [&str; 4] = ["mcpServers", "mcpOAuth", "projects", "githubRepoPaths"];
/// Names, in lower case and without separators, of tokens that a CLI renews by itself.
const TOKENS: [&str; 5] = ["accesstoken", "refreshtoken", "idtoken", "access", "refresh"];
/// Names of the token without which no other is renewed.
const REFRESH: [&str; 2] = ["refreshtoken", "refresh"];
/// Names of times that tell which of two logins is the newer one.
const TIMES: [&str; 4] = ["expiresat", "expirydate", "expires", "lastrefresh"];
/// The one time that stands outside the object that it belongs to.
const LAST_REFRESH: &str = "lastrefresh";
/// Longest token.
const MAX_TOKEN: usize = 16 * 1024;
/// No token is good for longer: a later time is made up.
const MAX_AHEAD: Millis = Millis(400 * 24 * 3600 * 1000);
/// Numbers below this are seconds, above it milliseconds.
const MILLISECONDS_FROM: i64 = 100_000_000_000;

/// What an agent gets of a login file: all but what names other programs and other repositories.
#[must_use]
pub fn lendable(file: &Value) -> Value {
    let mut lent = file.clone();
    if let Value::Object(entries) = &mut lent {
        entries.retain(|name, _| !NOT_LENT.contains(&name.as_str()));
    }
    lent
}

/// The user's file with the tokens that an agent renewed in its copy; `None` if there is nothing to take over.
///
/// `lent` is the user's file as it was when the copy was made, `returned` the copy as the agent returned it and `current` the
/// user's file as it is now. Tokens are taken over by whole sets, into places that were there before, and only the
/// newer of two sets where the user's file has changed too.
pub fn renewed(lent: &Value, returned: &Value, current: &Value, clock: Timestamp) -> Option<Value> {
    let mut merged = current.clone();
    let (Value::Object(lent), Value::Object(returned), Value::Object(into)) =
        (lent, returned, &mut merged)
    else {
        return None;
    };
    Merge { clock }.object(lent, returned, into, Ages::default()).then_some(merged)
}

/// When the tokens of the copy and of the user's file end, or were renewed.
#[derive(Clone, Copy, Default)]
struct Ages {
    returned: Option<Timestamp>,
    current: Option<Timestamp>,
}

struct Merge {
    clock: Timestamp,
}

type Entries = Map<String, Value>;

impl Merge {
    /// Takes over what was renewed in this object and below it; says whether anything was.
    fn object(&self, lent: &Entries, returned: &Entries, into: &mut Entries, outer: Ages) -> bool {
        let ages = Ages {
            returned: time_of(returned).or(outer.returned),
            current: time_of(into).or(outer.current),
        };
        let mut is_changed = self.take_set(lent, returned, into, ages);
        for (name, value) in lent {
            if let (Value::Object(lent), Some(Value::Object(returned)), Some(Value::Object(into))) =
                (value, returned.get(name), into.get_mut(name))
            {
                is_changed |= self.object(lent, returned, into, ages);
            }
        }
        is_changed
    }

    fn take_set(&self, lent: &Entries, returned: &Entries, into: &mut Entries, ages: Ages) -> bool {
        let names = set_of(lent);
        let differs = |one: &Entries, other: &Entries| {
            names.iter().any(|name| one.get(*name) != other.get(*name))
        };
        let is_newer = !differs(lent, into)
            || matches!(ages, Ages { returned: Some(returned), current: Some(current) } if returned > current);
        let is_sound = names.iter().all(|name| {
            into.contains_key(*name)
                && lent
                    .get(*name)
                    .zip(returned.get(*name))
                    .is_some_and(|(a, b)| self.fits(name, a, b))
        });
        if !(differs(lent, returned) && differs(returned, into) && is_newer && is_sound) {
            return false;
        }
        for name in names {
            if let Some(value) = returned.get(name) {
                into.insert(name.clone(), value.clone());
            }
        }
        true
    }

    /// Whether a value may stand where the other one stood.
    fn fits(&self, name: &str, before: &Value, after: &Value) -> bool {
        if before == after {
            return true;
        }
        match (before, after) {
            (Value::String(_), Value::String(token)) if is_in(name, &TOKENS) => {
                (1..=MAX_TOKEN).contains(&token.len())
                    && token.bytes().all(|b| b.is_ascii_graphic())
            }
            (Value::String(_), Value::String(_)) | (Value::Number(_), Value::Number(_)) => {
                moment(after).is_some_and(|time| time <= self.clock.plus(MAX_AHEAD))
            }
            _ => false,
        }
    }
}

/// Names of the tokens and times that belong together in this object; none if it holds no login.
fn set_of(entries: &Entries) -> Vec<&String> {
    let is_login = entries.iter().any(|(name, value)| is_in(name, &REFRESH) && value.is_string());
    let belongs = |name: &str| {
        if is_login {
            is_in(name, &TOKENS) || is_in(name, &TIMES)
        } else {
            is_in(name, &[LAST_REFRESH])
        }
    };
    entries
        .iter()
        .filter(|(name, value)| belongs(name) && !value.is_object())
        .map(|(n, _)| n)
        .collect()
}

fn time_of(entries: &Entries) -> Option<Timestamp> {
    entries.iter().find(|(name, _)| is_in(name, &TIMES)).and_then(|(_, value)| moment(value))
}

fn moment(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => Timestamp::parse(text),
        Value::Number(number) => {
            let number = number.as_i64()?;
            Some(Timestamp(if number < MILLISECONDS_FROM {
                number.saturating_mul(1000)
            } else {
                number
            }))
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

    fn claude(access: &str, expires: i64) -> Value {
        json!({ "claudeAiOauth": { "accessToken": access, "refreshToken": format!("r-{access}"),
            "expiresAt": expires, "scopes": ["user:inference"], "subscriptionType": "max" } })
    }

    fn renew(lent: &Value, returned: &Value, current: &Value) -> Option<Value> {
        renewed(lent, returned, current, NOW)
    }

    #[test]
    fn renewed_tokens_of_each_known_form_come_back() {
        for (lent, returned) in [
            (claude("old", NOW.0), claude("new", NOW.0 + 1)),
            (
                json!({ "OPENAI_API_KEY": null, "last_refresh": "2026-01-01T00:00:00Z",
                    "tokens": { "id_token": "i", "access_token": "a", "refresh_token": "r", "account_id": "me" } }),
                json!({ "OPENAI_API_KEY": null, "last_refresh": "2026-02-01T00:00:00.123456789Z",
                    "tokens": { "id_token": "j", "access_token": "b", "refresh_token": "s", "account_id": "me" } }),
            ),
            (
                json!({ "access_token": "a", "refresh_token": "r", "scope": "x", "expiry_date": NOW.0 }),
                json!({ "access_token": "b", "refresh_token": "r", "scope": "x", "expiry_date": NOW.0 + 5 }),
            ),
            (
                json!({ "anthropic": { "type": "oauth", "refresh": "r", "access": "a", "expires": NOW.0 },
                    "other": { "type": "api", "key": "k" } }),
                json!({ "anthropic": { "type": "oauth", "refresh": "s", "access": "b", "expires": NOW.0 + 5 },
                    "other": { "type": "api", "key": "k" } }),
            ),
        ] {
            assert_eq!(renew(&lent, &returned, &lent), Some(returned.clone()), "{returned}");
            assert_eq!(renew(&lent, &lent, &lent), None, "{lent}");
            assert_eq!(renew(&lent, &returned, &returned), None, "{returned}");
        }
    }

    #[test]
    fn nothing_but_tokens_comes_back() {
        let lent = json!({ "access_token": "a", "refresh_token": "r", "resource_url": "https://good.example",
            "OPENAI_API_KEY": "k", "numStartups": 1 });
        let returned = json!({ "access_token": "b", "refresh_token": "s", "resource_url": "https://evil.example",
            "OPENAI_API_KEY": "x", "numStartups": 2, "hooks": { "Stop": [] }, "mcpServers": { "x": {} },
            "id_token": "new" });
        let expected = json!({ "access_token": "b", "refresh_token": "s", "resource_url": "https://good.example",
            "OPENAI_API_KEY": "k", "numStartups": 1 });
        assert_eq!(renew(&lent, &returned, &lent), Some(expected));
        let settings = json!({ "access": "none", "expires": 5, "theme": "dark" });
        let changed = json!({ "access": "all", "expires": 6, "theme": "dark" });
        assert_eq!(renew(&settings, &changed, &settings), None, "no login in it");
    }

    #[test]
    fn a_set_that_is_not_sound_stays_out_as_a_whole() {
        let lent = claude("old", NOW.0);
        let with = |name: &str, value: Value| {
            let mut returned = claude("new", NOW.0 + 1);
            returned["claudeAiOauth"][name] = value;
            returned
        };
        let mut without = claude("new", NOW.0 + 1);
        without["claudeAiOauth"].as_object_mut().map(|set| set.remove("refreshToken"));
        for returned in [
            without,
            with("accessToken", json!({ "helper": "run me" })),
            with("accessToken", json!("")),
            with("accessToken", json!("two words")),
            with("accessToken", json!("line\nbreak")),
            with("accessToken", json!("x".repeat(MAX_TOKEN + 1))),
            with("accessToken", json!(7)),
            with("expiresAt", json!("9999-01-01T00:00:00Z")),
            with("expiresAt", json!(NOW.0 + 500 * 24 * 3_600_000)),
            json!({ "claudeAiOauth": null }),
            json!({}),
            json!([]),
            json!("text"),
        ] {
            assert_eq!(renew(&lent, &returned, &lent), None, "{returned}");
        }
    }

    #[test]
    fn what_the_user_changed_meanwhile_stays_and_the_later_of_two_renewals_wins() {
        let (lent, returned) = (claude("old", NOW.0), claude("new", NOW.0 + 10));
        let mut current = lent.clone();
        current["theme"] = json!("dark");
        let merged = renew(&lent, &returned, &current);
        assert_eq!(merged.as_ref().map(|file| &file["theme"]), Some(&json!("dark")));
        assert_eq!(
            merged.map(|file| file["claudeAiOauth"]["accessToken"].clone()),
            Some(json!("new"))
        );
        for (other, wins) in [(NOW.0 + 20, false), (NOW.0 + 10, false), (NOW.0 + 5, true)] {
            let current = claude("other", other);
            assert_eq!(
                renew(&lent, &returned, &current),
                wins.then(|| returned.clone()),
                "{other}"
            );
        }
        let timeless = |token: &str| json!({ "access_token": token, "refresh_token": token });
        assert_eq!(
            renew(&timeless("a"), &timeless("b"), &timeless("c")),
            None,
            "nobody can tell: the user's"
        );
        assert_eq!(renew(&lent, &returned, &json!({})), None, "the user logged out");
    }

    #[test]
    fn other_programs_and_other_repositories_are_not_lent() {
        let file = json!({ "oauthAccount": { "a": 1 }, "mcpServers": { "x": { "env": { "KEY": "k" } } }, "projects": {} });
        assert_eq!(lendable(&file), json!({ "oauthAccount": { "a": 1 } }));
        assert_eq!(lendable(&json!([1])), json!([1]));
    }
}
