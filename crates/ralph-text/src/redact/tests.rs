//! What is taken out, what stays, and that no border between pieces makes a difference.

use super::{Redactor, Stream, looks_secret, scan::HELD};

fn pushed(stream: &mut Stream, pieces: &[&[u8]]) -> String {
    let mut out = Vec::new();
    for piece in pieces {
        stream.push(piece, &mut out);
    }
    stream.finish(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn known() -> Redactor {
    Redactor::new([("DB_PASSWORD", "tr\"icky\\pa'ss wörd/1"), ("API", "plainvalue9")])
}

#[test]
fn a_known_value_is_taken_out_in_every_form() {
    let redactor = known();
    let forms = [
        "tr\"icky\\pa'ss wörd/1",
        "tr\\\"icky\\\\pa'ss wörd/1",
        "tr\\\"icky\\\\pa'ss w\\u00f6rd/1",
        "tr\\\\\\\"icky\\\\\\\\pa'ss wörd/1",
        "tr%22icky%5Cpa%27ss%20w%C3%B6rd%2F1",
        "tr%22icky%5cpa%27ss+w%c3%b6rd%2f1",
        "'tr\"icky\\pa'\\''ss wörd/1'",
        "\"tr\\\"icky\\\\pa'ss wörd/1\"",
    ];
    for form in forms {
        let text = format!("before {form} after");
        let out = redactor.text(&text);
        assert!(out.contains("[redacted:DB_PASSWORD]"), "{form}: {out}");
        assert!(!out.contains("icky") && out.starts_with("before ") && out.ends_with(" after"));
    }
    for encoded in [
        "cGxhaW52YWx1ZTk=",
        "eDpwbGFpbnZhbHVlOTp4",
        "eHBsYWludmFsdWU5eA==",
        "706c61696e76616c756539",
    ] {
        assert!(redactor.text(encoded).contains("[redacted:API]"), "{encoded}");
    }
}

#[test]
fn every_cut_of_a_stream_gives_what_the_whole_text_gives() {
    let redactor = known();
    let token = format!("gh{}_{}", "p", "a1B2c3D4e5".repeat(4));
    let text = format!(
        "{{\"a\":\"x\\ntr\\\"icky\\\\pa'ss wörd/1\\\\\",\"b\":\"\\u001b[1m{token}\\n\"}}\nplainvalue9 plainvalue8"
    );
    let whole = redactor.text(&text).into_owned();
    assert_eq!(whole.matches("[redacted:").count(), 3, "{whole}");
    let bytes = text.as_bytes();
    for first in 0..=bytes.len() {
        for second in first..=bytes.len() {
            let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
            let out = pushed(&mut redactor.stream(), &pieces);
            assert_eq!(out, whole, "cut at {first} and {second}");
        }
    }
    let single: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(pushed(&mut redactor.stream(), &single), whole);
}

#[test]
fn json_stays_json_wherever_a_secret_stands() {
    let redactor =
        Redactor::new([("N", "n1o2p3q4r5"), ("HEX", "00e9abcdefgh"), ("END", "value1234\\")]);
    for inner in
        ["\\n1o2p3q4r5", "\\\\n1o2p3q4r5", "\\u00e9abcdefgh", "value1234\\\\", "value1234\\\\\\n"]
    {
        let line = format!("{{\"text\":\"{inner}\"}}");
        let out = redactor.text(&line).into_owned();
        assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{line} became {out}");
        let single: Vec<&[u8]> = line.as_bytes().chunks(1).collect();
        assert_eq!(pushed(&mut redactor.stream(), &single), out);
    }
}

#[test]
fn a_known_value_counts_although_it_looks_like_a_stand_in() {
    let alphabet = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789abcdefghijklmnopqrstuvwxyz-AA";
    for value in ["changeme-prod-2024", "your-dummy-example", alphabet, "correct-horse-battery"] {
        let redactor = Redactor::new([("DB_PASSWORD", value)]);
        let found = redactor.new_secrets(format!("k = {value}\n").as_bytes(), b"");
        assert!(found.first().is_some_and(|secret| secret.is_named), "{value}: {found:?}");
        let percent: Vec<String> = value.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for text in [percent.concat(), percent.concat().to_ascii_lowercase()] {
            assert_eq!(redactor.new_secrets(text.as_bytes(), b"").len(), 1, "{text}");
            assert!(redactor.text(&text).contains("[redacted:DB_PASSWORD]"), "{text}");
        }
    }
    let unknown = Redactor::new([("OTHER", "plainvalue9")]);
    assert!(unknown.new_secrets(b"password = changeme-prod-2024\n", b"").is_empty());
}

#[test]
fn ordinary_text_passes_at_once() {
    let redactor = known();
    let mut stream = redactor.stream();
    let mut out = Vec::new();
    for line in ["{\"type\":\"assistant\"}\n", "running 3 tests\n", "https://example.org/a?b=c \n"]
    {
        out.clear();
        stream.push(line.as_bytes(), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), line, "is held back");
    }
}

#[test]
fn what_is_held_back_is_bounded() {
    let redactor = known();
    for start in ["eyJ", "-----BEGIN RSA PRIVATE KEY-----\n", "https://", "password=", "ghp_"] {
        let mut stream = redactor.stream();
        let (mut out, mut pushed) = (Vec::new(), start.len());
        stream.push(start.as_bytes(), &mut out);
        for _ in 0..100 {
            stream.push(&[b'a'; 1000], &mut out);
            pushed += 1000;
            assert!(pushed - out.len() <= HELD + 1000 || out.contains(&b'['), "{start}");
        }
    }
}

#[test]
fn hashes_paths_images_and_code_stay() {
    let redactor = Redactor::default();
    let image = "iVBORw0KGgoAAAANSUhEUgAAAAUA".repeat(50);
    let texts = [
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "tree: 4b825dc642cb6eb9a060e54bf8d69288fbee4904 sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "session 123e4567-e89b-12d3-a456-426614174000",
        "/home/user/project/src/task-runner/disk-usage/secret/token.rs:12:5",
        "\"usage\":{\"input_tokens\":12345678,\"output_tokens\":99}",
        "let token = self.next_token(); password: String, secret: &str",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "see https://user@example.org/path and git@github.com:a/b.git",
        "-----BEGIN PRIVATE KEY----- is how a key begins",
        "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAabcd\n-----END CERTIFICATE-----",
        "the risk-assessment and task-management of npm_config_registry, hf_hub_download",
        image.as_str(),
    ];
    for text in texts {
        assert_eq!(redactor.text(text), text);
    }
}

#[test]
fn files_are_judged_with_more_care_than_logs() {
    let redactor = Redactor::default();
    let key = format!("AK{}{}", "IA", "Q7X2M9K4T5W8Z3B6");
    let found = redactor.new_secrets(format!("a\nb\nkey = {key}\n").as_bytes(), b"");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind.as_str(), found[0].line), ("aws-access-key", 3));
    assert!(redactor.new_secrets(key.as_bytes(), format!("old {key}").as_bytes()).is_empty());
    for harmless in [
        "AKIAIOSFODNN7EXAMPLE",
        "postgres://postgres:postgres@localhost/app",
        "postgres://app:hunter2@db.internal/app",
        "api_key = \"your-api-key-goes-here-123\"",
        "password = \"correct horse\"",
        "SECRET_NAME: prod-database-secret-v2",
    ] {
        assert!(redactor.new_secrets(harmless.as_bytes(), b"").is_empty(), "{harmless}");
    }
}

#[test]
fn names_of_variables_tell_credentials() {
    for name in
        ["ANTHROPIC_API_KEY", "GH_TOKEN", "PGPASSWORD_SECRET", "DATABASE_URL", "npm_config_token"]
    {
        assert!(looks_secret(name), "{name}");
    }
    for name in ["PATH", "MONKEY", "KEYBOARD", "EDITOR", "XAUTHORITY", "LANG"] {
        assert!(!looks_secret(name), "{name}");
    }
}
