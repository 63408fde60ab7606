//! Data that would leave the machine, and ways around its proxy.

use crate::{
    call::{Call, host_of, one_of},
    frame::Frame,
    marks::{DATA, DECODED, HOLE, INSIDE, SECRET},
};

pub(super) fn check(call: &Call, _: &Frame) -> Option<&'static str> {
    let is_lookup =
        call.is("ping ping6 host dig nslookup drill getent traceroute resolvectl whois");
    let is_loaded = |arg: &String| arg.contains([SECRET, DATA, DECODED, HOLE, INSIDE]);
    let is_socket = |path: &str| path.contains("/dev/tcp/") || path.contains("/dev/udp/");
    if goes_around_proxy(call) {
        Some("around-proxy")
    } else if uploads(call) {
        Some("upload")
    } else if call.redirects.iter().any(|(_, path)| is_socket(path)) {
        Some("raw-connection")
    } else if is_lookup && call.args.iter().any(|arg| is_loaded(arg) && arg.contains('.')) {
        Some("lookup-leak")
    } else {
        None
    }
}

const BODIES: &str =
    "-d --data --data-binary --data-raw --data-urlencode --data-ascii -F --form --json --post-data";
const HEADERS: &str = "-H --header -u --user --oauth2-bearer";

fn uploads(call: &Call) -> bool {
    let is_secret = |text: &str| text.contains([SECRET, DATA, INSIDE]);
    if call.is("gh glab git") {
        return call.args.iter().any(|arg| arg.contains(SECRET));
    }
    if !call.is("curl wget http https httpie xh aria2c curlie") || call.is_loopback() {
        return false;
    }
    let apis = "api.github.com gitlab.com api.anthropic.com api.openai.com";
    let is_api = |url: &String| one_of(apis, &host_of(url));
    let is_known = call.args.iter().filter(|arg| arg.contains("://")).all(is_api);
    let headers: Vec<&str> = call.values(HEADERS).collect();
    let is_leak = |arg: &String| is_secret(arg) && (!is_known || !headers.contains(&arg.as_str()));
    let is_file = |value: &str| {
        value.starts_with('@')
            || value.contains("=@")
            || value.contains("=<")
            || value.contains([HOLE, DECODED])
    };
    let has_input = call.stdin.is_some()
        && (call.values(BODIES).any(|value| one_of("- @-", value)) || call.is("http https xh"));
    let file_options = "-T --upload-file --post-file --body-file";
    call.args.iter().any(is_leak)
        || call.values(BODIES).any(is_file)
        || call.value(file_options).is_some() && call.is("curl wget")
        || has_input
}

fn is_proxy(name: &str) -> bool {
    one_of("HTTPS_PROXY HTTP_PROXY ALL_PROXY NO_PROXY", &name.to_uppercase())
}

fn goes_around_proxy(call: &Call) -> bool {
    let is_near = |host: &str| one_of("localhost 127.0.0.1 ::1", host.trim());
    let is_wide = |hosts: &str| !hosts.split(',').all(is_near);
    let unsets = match call.name.as_str() {
        "unset" => call.args.iter().any(|name| is_proxy(name)),
        "env" => call.values("-u --unset").any(is_proxy),
        "export" | "declare" => call.has("-n") && call.args.iter().any(|name| is_proxy(name)),
        "curl" => call.values("--noproxy").any(is_wide),
        _ => false,
    };
    unsets || call.variables().any(|(name, value)| is_proxy(name) && is_wide(value))
}
