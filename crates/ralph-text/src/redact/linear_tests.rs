//! No text makes redaction slow: its time grows with the text's length, whatever the text is made of.
//!
//! Times are compared with each other within one run, never with a clock's idea of fast.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use super::{Redactor, prefixes::PREFIXES, rules};

const MIB: usize = 1 << 20;
/// Hostile text may take so many times as long as plain text, …
///
/// Where the checks are compiled without optimisation, and the automaton that reads plain text is not, twice as long.
const SLOWER: u32 = if cfg!(debug_assertions) { 12 } else { 6 };
/// Text with something in it that is dropped later is read in some more ways, …
const READINGS: u32 = 2;
/// … and four times the text so many times as long.
const GROWTH: u32 = 5;

fn repeated(unit: &[u8], length: usize) -> Vec<u8> {
    unit.iter().copied().cycle().take(length).collect()
}

/// How long this thread has worked. Where the system does not say so, how late it is.
#[expect(clippy::disallowed_methods, reason = "the test compares how long things take")]
fn worked() -> Duration {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let spent = said.split(' ').next().and_then(|spent| spent.parse().ok());
    spent.map_or_else(|| BEGAN.elapsed(), Duration::from_nanos)
}

/// Systems count in steps of some milliseconds: what is short is done often.
const ENOUGH: Duration = Duration::from_millis(60);

fn time(work: &dyn Fn()) -> Duration {
    let (begun, mut times) = (worked(), 0);
    loop {
        work();
        times += 1;
        let took = worked().saturating_sub(begun);
        if took >= ENOUGH {
            return took / times;
        }
    }
}

fn whole(redactor: &Redactor, text: &[u8]) -> Duration {
    time(&|| drop(std::hint::black_box(redactor.bytes(text))))
}

fn streamed(redactor: &Redactor, text: &[u8], piece: usize) -> Duration {
    time(&|| {
        let (mut stream, mut out) = (redactor.stream(), Vec::new());
        for piece in text.chunks(piece) {
            stream.push(piece, &mut out);
        }
        stream.finish(&mut out);
    })
}

/// What agents and gates print all day.
fn plain() -> Vec<u8> {
    let lines = b"The quick brown fox: src/lib.rs:12 fn walk(&self) -> Option<u32> { self.next }\n\
        {\"type\":\"assistant\",\"usage\":{\"input_tokens\":1234,\"output_tokens\":56}}\n\
        test parser::a_token_without_end_is_an_error ... ok, see https://example.org/docs/a\n";
    repeated(lines, 4 * MIB)
}

/// Every way to begin a secret again and again: anchors alone, with digits, in their alphabets, in lines.
fn hostile() -> Vec<(String, Vec<u8>)> {
    let mut units: Vec<Vec<u8>> = Vec::new();
    let begins = PREFIXES.iter().map(|prefix| prefix.begins.to_owned());
    let words = rules::anchors().into_iter().map(|(anchor, _)| anchor);
    let is_one_of_many = |word: &Vec<u8>| word.len() == 4 && word.first() != Some(&b'A');
    let mut all: Vec<Vec<u8>> = begins.map(String::into_bytes).collect();
    all.extend(words.filter(|word| !is_one_of_many(word)));
    all.extend([b"MTA0".to_vec(), b"SK00".to_vec()]);
    all.sort();
    all.dedup();
    for word in all {
        let with = |rest: &[u8]| [&word, rest].concat();
        units.extend([with(b""), with(b"1=")]);
    }
    let mixed: [&[u8]; 12] = [
        b"xoxb-1authorization=",
        b"password=sk-ant-1",
        b"token:secret=api_key=",
        b"a:-----BEGIN PRIVATE KEY-----\n",
        b"-----BEGIN PRIVATE KEY-----\\n",
        b"authorization: bearer ",
        b"eyJa1b2c3d4e5f6.",
        b"a://b:",
        b"\\\\\\",
        b"          m",
        b"[0;0;0m",
        b"AccountKey=",
    ];
    units.extend(mixed.map(<[u8]>::to_vec));
    let texts = units.into_iter().map(|unit| (unit.escape_ascii().to_string(), unit));
    texts.collect()
}

/// Every way to make text be read once more without what is dropped from it.
fn hiding() -> Vec<(String, Vec<u8>)> {
    let units: [&[u8]; 8] = [
        b"\x1b[0m",
        b"\x1b]0;",
        b"\xe2\x80\x8bsk-ant-1",
        b"\\u001b[0m",
        b"\\\\u001b]\\u001b",
        b"\x1b]\\u001b]\\\\u001b]",
        b"pass\0word=",
        b"\\u200",
    ];
    units.iter().map(|unit| (unit.escape_ascii().to_string(), unit.to_vec())).collect()
}

fn slow(name: &str, took: Duration, fair: Duration, times: u32) -> Option<String> {
    (took > fair * times).then(|| format!("{name}: {took:?}, fair {fair:?}"))
}

/// Other work on the machine makes things slow: each look has its own measure, the best one counts.
fn best_ratio(look: impl Fn() -> (Duration, Duration)) -> f64 {
    let ratio = |(took, fair): (Duration, Duration)| took.as_secs_f64() / fair.as_secs_f64();
    (0..3).map(|_| ratio(look())).fold(f64::INFINITY, f64::min)
}

#[test]
fn no_text_is_much_slower_than_plain_text() {
    let redactor = Redactor::new([("MY_KEY", "a-value-of-my-own-7731")]);
    let plain = plain();
    let fair = whole(&redactor, &plain);
    let mut slowest: f64 = 0.0;
    let mut found = Vec::new();
    let hostile = hostile().into_iter().map(|unit| (unit, SLOWER));
    let hiding = hiding().into_iter().map(|unit| (unit, SLOWER * READINGS));
    for ((name, unit), slower) in hostile.chain(hiding) {
        // As one run without end, and in runs that are just short enough to be looked at.
        let mut line = repeated(&unit, 1900);
        line.push(b' ');
        for text in [repeated(&unit, MIB / 2), repeated(&line, MIB / 2)] {
            // Most need no closer look.
            let begun = worked();
            drop(redactor.bytes(&text));
            if worked().saturating_sub(begun) * 8 > fair * slower {
                let look = || (whole(&redactor, &text) * 8, whole(&redactor, &plain));
                let best = best_ratio(look);
                slowest = slowest.max(best);
                found
                    .extend((best > f64::from(slower)).then(|| format!("{name}: {best:.1} times")));
            }
        }
    }
    println!("plain {fair:?}, slowest {slowest:.1} times that");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn four_times_the_text_takes_four_times_as_long() {
    let redactor = Redactor::default();
    let units: [&[u8]; 10] = [
        b"\x1b]\\u001b]\\\\u001b]",
        b"\xe2\x80\x8bsk-ant-1",
        b"sk-ant-",
        b"xoxb-",
        b"password=",
        b"authorization=",
        b"AccountKey=",
        b"a:-----BEGIN PRIVATE KEY-----\n",
        b"eyJaaaaaaaa.",
        b"github_pat_1",
    ];
    for unit in units {
        let (small, large) = (repeated(unit, MIB), repeated(unit, 4 * MIB));
        let name = unit.escape_ascii().to_string();
        // Other work on the machine can only make it look worse: the best of some looks counts.
        let looks = || slow(&name, whole(&redactor, &large), whole(&redactor, &small), GROWTH);
        let found: Vec<_> = (0..5).map_while(|_| looks()).collect();
        assert!(found.len() < 5, "{found:#?}");
    }
}

#[test]
fn secrets_in_a_file_are_told_as_fast_however_many_there_are() {
    let redactor = Redactor::default();
    let key = |n: usize| format!("AKIA{:016}\n", n * 7_919_371).replace('0', "Q");
    let many = |count: usize| (0..count).map(key).collect::<String>().into_bytes();
    let (small, large) = (many(5_000), many(20_000));
    let took = |text: &[u8]| time(&|| drop(redactor.new_secrets(text, text)));
    assert!(redactor.new_secrets(&large, b"").len() > 10_000);
    assert_eq!(slow("a file of keys", took(&large), took(&small), 2 * GROWTH), None);
}

#[test]
fn small_pieces_do_not_make_what_is_held_back_be_read_again_and_again() {
    let (redactor, plain) = (Redactor::default(), plain());
    let units = [&b"sk-ant-"[..], b"xoxb-1", b"password=", b"authorization="];
    let hiding = (&b"pass\0word="[..], SLOWER * READINGS);
    for piece in [256, 4096] {
        for (unit, slower) in units.into_iter().map(|unit| (unit, SLOWER)).chain([hiding]) {
            let text = repeated(unit, MIB);
            let look =
                || (streamed(&redactor, &text, piece) * 4, streamed(&redactor, &plain, piece));
            let best = best_ratio(look);
            let name = unit.escape_ascii();
            println!("pieces of {piece}, {name}: {best:.1} times");
            assert!(best <= f64::from(slower), "pieces of {piece}, {name}: {best:.1} times");
        }
    }
}
