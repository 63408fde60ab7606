//! What nobody sees of a text does not hide a secret in it, in whatever pieces and however escaped it comes.

use super::Redactor;
use crate::sanitise::clean;

const VALUE: &str = "Zq9/vK3+xPw7rT2mLs8dQe5";

/// Every kind of thing that is dropped before somebody sees a text.
const DROPPED: [&str; 27] = [
    "\u{1b}[01;31m\u{1b}[K",
    "\u{1b}[m",
    "\u{1b}]0;a title\u{7}",
    "\u{1b}]8;;https://example.org/\u{1b}\\",
    "\u{1b}P1$r\u{9c}",
    "\u{1b}(B",
    "\u{9b}31m",
    "\u{9d}2;x\u{9c}",
    "\u{84}",
    "\u{7}",
    "\u{8}",
    "\0",
    "\u{c}",
    "\u{7f}",
    "\u{200b}",
    "\u{feff}",
    "\u{ad}",
    "\u{202e}",
    "\u{e0041}",
    "\u{200c}",
    "\u{200d}",
    "\u{fe0f}",
    "\u{34f}",
    "\u{17b4}",
    "\u{1d173}",
    "\u{3164}",
    "\u{1b}]unfinished\u{1b}[m\0\u{200b}",
];

fn known() -> Redactor {
    Redactor::new([("MYSVC_KEY", VALUE)])
}

fn token() -> String {
    format!("gh{}_{}", "p", "a1B2c3D4e5".repeat(4))
}

fn escaped(text: &str, times: usize) -> String {
    (0..times).fold(text.to_owned(), |text, _| {
        let quoted = serde_json::to_string(&text).unwrap_or_default();
        // As encoders write it that keep to ASCII.
        let ascii = quoted.chars().map(|c| {
            let units = c.encode_utf16(&mut [0; 2]).to_vec();
            let escape = units.iter().map(|unit| format!("\\u{unit:04x}")).collect::<Vec<_>>();
            if matches!(c, ' '..='~') { c.to_string() } else { escape.concat() }
        });
        let ascii: String = ascii.collect();
        ascii.trim_start_matches('"').strip_suffix('"').unwrap_or_default().to_owned()
    })
}

fn streamed(redactor: &Redactor, pieces: &[&[u8]]) -> String {
    let (mut stream, mut out) = (redactor.stream(), Vec::new());
    for piece in pieces {
        stream.push(piece, &mut out);
    }
    stream.finish(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn what_is_dropped_later_hides_no_secret() {
    for secret in [VALUE.to_owned(), token()] {
        for dropped in DROPPED {
            for at in [1, 6, secret.len() / 2, secret.len() - 1] {
                let (first, second) = secret.split_at(at);
                let text = format!("key={dropped}{first}{dropped}{second}{dropped} end\n");
                let shown = clean(&known().text(&text));
                assert!(!shown.contains(second), "{dropped:?} at {at}: {shown}");
                assert!(shown.contains("[redacted:") && shown.ends_with(" end\n"), "{shown}");
            }
        }
    }
}

#[test]
fn escapes_in_json_hide_no_secret_however_often_they_are_escaped() {
    let (first, second) = VALUE.split_at(6);
    for dropped in DROPPED {
        for times in 1..=2 {
            let hidden = escaped(&format!("use {first}{dropped}{second}?"), times);
            let line = format!("{{\"a\":\"\\u001b]\",\"text\":\"{hidden}\",\"b\":\"ok\"}}");
            let out = known().text(&line).into_owned();
            assert!(out.contains("use [redacted:MYSVC_KEY]?"), "{line} became {out}");
            assert!(serde_json::from_str::<serde_json::Value>(&out).is_ok(), "{out}");
        }
    }
}

#[test]
fn letters_that_are_escaped_hide_no_secret() {
    let each = VALUE.chars().map(|c| format!("\\u{:04x}", u32::from(c)));
    let all = each.collect::<Vec<_>>().concat();
    let some = VALUE.replace('/', "\\/").replace('+', "\\u002B").replace('5', "\\u0035");
    for hidden in [all, some] {
        let nested = serde_json::to_string(&hidden).unwrap_or_default();
        for hidden in [hidden, nested.trim_matches('"').to_owned()] {
            let line = format!("{{\"text\":\"use {hidden}\\u003f\"}}");
            let whole = "{\"text\":\"use [redacted:MYSVC_KEY]\\u003f\"}";
            assert_eq!(known().text(&line), whole, "{line}");
            let single: Vec<&[u8]> = line.as_bytes().chunks(1).collect();
            assert_eq!(streamed(&known(), &single), whole, "{line}");
        }
    }
}

#[test]
fn data_is_looked_at_as_it_will_be_shown() {
    let (first, second) = VALUE.split_at(9);
    for dropped in DROPPED {
        let said =
            vec!["\u{9d}never closed".to_owned(), format!("may I use {first}{dropped}{second}?")];
        let clean: Vec<String> = known().data(said).iter().map(|text| clean(text)).collect();
        assert_eq!(clean.get(1).map(String::as_str), Some("may I use [redacted:MYSVC_KEY]?"));
    }
}

#[test]
fn no_cut_of_a_stream_changes_that() {
    let (first, second) = VALUE.split_at(6);
    let (redactor, token) = (known(), token());
    let (begin, end) = token.split_at(9);
    for dropped in DROPPED {
        let plain = format!("a {first}{dropped}{second} b\n{begin}{dropped}{end}\n");
        for text in
            [plain.clone(), format!("{{\"t\":\"{}\"}}\n", escaped(&plain, 1)), escaped(&plain, 2)]
        {
            let bytes = text.as_bytes();
            let whole = redactor.text(&text).into_owned();
            assert_eq!(whole.matches("[redacted:").count(), 2, "{whole}");
            for at in 0..=bytes.len() {
                let (one, other) = bytes.split_at(at);
                assert_eq!(streamed(&redactor, &[one, other]), whole, "{text:?} cut at {at}");
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(streamed(&redactor, &single), whole, "{text:?}");
        }
    }
}

#[test]
fn a_long_way_between_two_halves_is_no_way_out() {
    let (first, second) = VALUE.split_at(6);
    for dropped in ["\0", "\u{200b}", "\u{1b}[m", "\\u0000"] {
        let text = format!("a {first}{}{second} b\n", dropped.repeat(40_000 / dropped.len()));
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(4096).collect();
        assert_eq!(streamed(&known(), &pieces), "a [redacted:MYSVC_KEY] b\n", "{dropped:?}");
    }
}

#[test]
fn what_hides_nothing_stays_as_it_is() {
    for dropped in DROPPED {
        for text in
            [format!("{dropped}a{dropped}b{dropped}\n"), escaped(dropped, 1), escaped(dropped, 2)]
        {
            assert_eq!(known().text(&text), text);
            let single: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(streamed(&known(), &single), text);
        }
    }
}
