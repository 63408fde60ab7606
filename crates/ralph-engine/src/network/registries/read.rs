//! Hosts in what package managers say.

use ralph_core::network::{HostRule, Upstream};
use serde_json::Value;

/// The host of a URL that can be reached from a box: in TLS, at the usual port.
pub(super) fn host_of(url: &str) -> Option<HostRule> {
    let start = url.find("https://")?;
    let rest = &url[start + "https://".len()..];
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    // Registries with a password in their URL are common, and the name behind it is what counts.
    let place = authority.rsplit('@').next().unwrap_or(authority);
    let upstream = Upstream::parse(&format!("https://{place}")).ok()?;
    upstream.host.parse().ok().filter(|_| upstream.port == 443)
}

/// The hosts of all URLs in a text.
pub(super) fn urls(text: &str) -> Vec<HostRule> {
    let words = text.split(|one: char| one.is_whitespace() || "\"'<>,|;()[]".contains(one));
    words.filter_map(host_of).collect()
}

/// The hosts in those lines of a text that have one of these words.
pub(super) fn lines_with(text: &str, wanted: &[&str]) -> Vec<HostRule> {
    let is_wanted = |line: &&str| wanted.iter().any(|word| line.contains(word));
    text.lines().filter(is_wanted).flat_map(urls).collect()
}

/// The registries in the settings of a package manager of JavaScript, for all packages and for single scopes.
pub(super) fn javascript(text: &str) -> Vec<HostRule> {
    let Ok(Value::Object(settings)) = serde_json::from_str(text) else { return urls(text) };
    let is_registry = |name: &str| name == "registry" || name.ends_with(":registry");
    let named = settings.iter().filter(|(name, _)| is_registry(name));
    named.filter_map(|(_, value)| value.as_str().and_then(host_of)).collect()
}

/// The proxies, and the checksum database, which may be given as a bare name.
pub(super) fn go(text: &str) -> Vec<HostRule> {
    let words = text.split(|one: char| one.is_whitespace() || ",|".contains(one));
    words.filter_map(|word| host_of(word).or_else(|| word.parse().ok())).collect()
}

/// The addresses in a settings file of Maven, without its examples, which are comments.
pub(super) fn xml(text: &str) -> Vec<HostRule> {
    let mut pieces = text.split("<!--");
    let first = pieces.next().unwrap_or_default();
    let behind = pieces.filter_map(|piece| piece.split_once("-->").map(|(_, rest)| rest));
    std::iter::once(first).chain(behind).flat_map(|piece| lines_with(piece, &["<url>"])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(rules: &[HostRule]) -> Vec<String> {
        rules.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn only_hosts_that_can_be_reached_are_taken() {
        let text = "a https://one.example/x, 'https://me:secret@two.example' <https://three.example:443/{crate}> \
                    http://four.example https://five.example:8443 https://127.0.0.1/ sparse+https://six.example/";
        assert_eq!(
            shown(&urls(text)),
            ["one.example", "two.example", "three.example", "six.example"]
        );
    }

    #[test]
    fn each_way_of_telling_is_read() {
        let json = r#"{"registry": "https://a.example/", "@me:registry": "https://b.example/", "x": "https://c.example"}"#;
        assert_eq!(shown(&javascript(json)), ["a.example", "b.example"]);
        assert_eq!(shown(&javascript("https://a.example/\n")), ["a.example"]);
        let env = "https://a.example|https://b.example,direct\nsums.example\n";
        assert_eq!(shown(&go(env)), ["a.example", "b.example", "sums.example"]);
        assert_eq!(shown(&go("off\nsums.example+1a2b https://c.example\n")), ["c.example"]);
        let settings =
            "<!-- <url>https://no.example</url> --><mirror>\n<url>https://yes.example/m</url>";
        assert_eq!(shown(&xml(settings)), ["yes.example"]);
        let list = "global.index-url='https://a.example/simple'\nglobal.trusted-host='https://b.example'\n";
        assert_eq!(shown(&lines_with(list, &["index-url"])), ["a.example"]);
    }
}
