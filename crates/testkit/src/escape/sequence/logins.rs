//! The agent's login and the relay for its key: what comes back from the box, and what goes out through it.

use super::{
    PLAIN, Sequence,
    Step::{Agent, Start},
};

/// A login as Claude Code keeps it.
const LOGIN: &str = r#"mkdir -p ~/.claude; printf '{"claudeAiOauth":{"accessToken":"sk-ant-oat01-USER","refreshToken":"sk-ant-ort01-%s","expiresAt":4099999999000,"scopes":["user:inference"],"subscriptionType":"max"}}' "$(cat ~/.netrc)" > ~/.claude/.credentials.json; chmod 600 ~/.claude/.credentials.json"#;

const AS_CLAUDE: &str = "AGENT=claude; PATH={folder}/tools/bin:$PATH; export PATH; go";

/// What the agent does to its copy of the login.
macro_rules! login {
    ($name:literal, $ground:expr, $agent:literal) => {
        Sequence {
            name: $name,
            about: "S8 r07",
            ground: $ground,
            steps: &[Agent($agent), Start(AS_CLAUDE)],
            ..PLAIN
        }
    };
}

/// One request of the agent's through the relay that knows its key; the answer does not matter.
macro_rules! relay {
    ($name:literal, $request:literal) => {
        Sequence {
            name: $name,
            about: "S10",
            needs: &["/usr/bin/python3"],
            steps: &[
                Agent(concat!(
                    r#"/usr/bin/python3 - "$ANTHROPIC_BASE_URL" "$ANTHROPIC_API_KEY" <<'PY'
import socket, sys, urllib.parse as u
at = u.urlsplit(sys.argv[1]); key = sys.argv[2]
def send(head):
    verb, rest = head.split(" ", 1)
    head = verb + " " + (at.path.rstrip("/") if rest[0] == "/" else "") + rest
    s = socket.create_connection((at.hostname, at.port or 80), 3); s.settimeout(3)
    s.sendall((head.replace("\n", "\r\n") + "\r\nhost: %s\r\nx-api-key: %s\r\ncontent-length: 0\r\nconnection: close\r\n\r\n" % (at.netloc, key)).encode())
    try: print(s.recv(4000), file=sys.stderr)
    except OSError: pass
"#,
                    $request,
                    "\nPY\nwork"
                )),
                Start("ANTHROPIC_API_KEY=sk-ant-api03-$(cat ~/.netrc) ANTHROPIC_BASE_URL=http://127.0.0.1:5432 RALPH_SANDBOX_NETWORK=model; export ANTHROPIC_API_KEY ANTHROPIC_BASE_URL RALPH_SANDBOX_NETWORK; AGENT=claude; PATH={folder}/tools/bin:$PATH; export PATH; go"),
            ],
            ..PLAIN
        }
    };
}

pub(super) const SEQUENCES: &[Sequence] = &[
    login!(
        "login-of-somebody-else",
        LOGIN,
        "sed -i 's/USER/ATTACKER/; s/ort01-[a-z]*/ort01-ATTACKER/' ~/.claude/.credentials.json; work"
    ),
    login!(
        "login-that-never-expires",
        LOGIN,
        r"sed -i 's/USER/NEWER/; s/4099999999000/4199999999000/' ~/.claude/.credentials.json; work"
    ),
    login!(
        "login-that-has-expired",
        LOGIN,
        r"sed -i 's/USER/NEWER/; s/4099999999000/1/' ~/.claude/.credentials.json; work"
    ),
    login!("login-made-empty", LOGIN, "echo '{}' > ~/.claude/.credentials.json; work"),
    login!("login-deleted", LOGIN, "rm -rf ~/.claude/.credentials.json; work"),
    login!(
        "login-becomes-a-link",
        LOGIN,
        "rm -f ~/.claude/.credentials.json; ln -s {home}/.bashrc ~/.claude/.credentials.json; mv ~/.claude ~/.claude2; ln -s {home}/.ssh ~/.claude; work"
    ),
    login!(
        "login-with-more-in-it",
        LOGIN,
        r#"sed -i 's/USER/NEWER/; s/}}$/},"apiKeyHelper":"echo pwned","hooks":{}}/' ~/.claude/.credentials.json; printf '{"apiKeyHelper":"echo pwned > {marks}/{word}"}' > ~/.claude/settings.json; work"#
    ),
    login!("refresh-token-told", LOGIN, "leak ~/.claude/.credentials.json; work"),
    login!(
        "login-of-somebody-else-where-none-was",
        "mkdir -p ~/.claude; echo '{}' > ~/.claude.json",
        r#"mkdir -p ~/.claude; printf '{"claudeAiOauth":{"accessToken":"a","refreshToken":"b","expiresAt":4199999999000}}' > ~/.claude/.credentials.json; work"#
    ),
    relay!("relay-deletes", r#"send("DELETE /v1/files/{word} HTTP/1.1")"#),
    relay!("relay-traces", r#"send("TRACE /v1/messages/{word} HTTP/1.1")"#),
    relay!(
        "relay-overrides-the-method",
        r#"send("POST /v1/files/{word} HTTP/1.1\nx-http-method-override: DELETE")"#
    ),
    relay!(
        "relay-asks-about-the-organisation",
        r#"send("GET /v1/organizations/{word} HTTP/1.1"); send("POST /v1/messages/batches?{word} HTTP/1.1"); send("PROPFIND /{word} HTTP/1.1")"#
    ),
    relay!(
        "relay-climbs-out-of-its-path",
        r#"send("POST /v1/messages/../files/{word} HTTP/1.1"); send("POST /v1/messages/%2e%2e/files/{word} HTTP/1.1"); send("POST http://127.0.0.1:443/{word} HTTP/1.1"); send("POST //v1/files/{word} HTTP/1.1")"#
    ),
];
