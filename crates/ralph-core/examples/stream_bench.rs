//! How fast a long stream is read: the parser of the `claude` agent against a bare borrowed parse of the
//! same lines. Run with `cargo run --release --example stream_bench -p ralph-core`.
#![expect(clippy::print_stdout, reason = "a program for people")]
#![expect(clippy::disallowed_methods, reason = "a bench measures time")]

use std::{borrow::Cow, hint::black_box, time::Instant};

use ralph_core::{
    agents::{Agent, ExitFacts, LineParser, find},
    effect::AgentCall,
    run::Kind,
    time::Millis,
};
use serde::Deserialize;

const SIZE: usize = 200 << 20;
const ROUNDS: usize = 5;

#[derive(Deserialize)]
struct Plain<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    message: PlainMessage<'a>,
}

#[derive(Deserialize)]
struct PlainMessage<'a> {
    #[serde(borrow)]
    content: Vec<PlainBlock<'a>>,
}

#[derive(Deserialize)]
struct PlainBlock<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

fn main() {
    for (name, words) in
        [("plain text", "lorem ipsum "), ("escaped text", "lorem \\\"ipsum\\\"\\n")]
    {
        let line = format!(
            "{{\"type\":\"assistant\",\"message\":{{\"id\":\"m\",\"role\":\"assistant\",\"model\":\"fake\",\
             \"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}],\"usage\":{{\"input_tokens\":1,\
             \"output_tokens\":1}}}},\"session_id\":\"s\"}}\n",
            words.repeat(80)
        );
        let stream = line.repeat(SIZE / line.len());
        let (mut plain, mut ours) = (0.0_f64, 0.0_f64);
        // Taken in turns, best of all: a busy machine then slows both alike.
        for _ in 0..ROUNDS {
            plain = plain.max(speed(&stream, plain_parse));
            ours = ours.max(speed(&stream, parser));
        }
        println!(
            "{name}: bare parse {plain:.0} MB/s, parser {ours:.0} MB/s, ratio {:.2}",
            plain / ours
        );
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
fn speed(stream: &str, read: fn(&str)) -> f64 {
    let start = Instant::now();
    read(stream);
    stream.len() as f64 / 1e6 / start.elapsed().as_secs_f64()
}

fn lines(stream: &str) -> impl Iterator<Item = &[u8]> {
    stream.as_bytes().split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

fn plain_parse(stream: &str) {
    for line in lines(stream) {
        if let Ok(plain) = serde_json::from_slice::<Plain<'_>>(line) {
            black_box((
                plain.kind.len(),
                plain.message.content.iter().map(|b| b.text.len()).sum::<usize>(),
            ));
        }
    }
}

fn parser(stream: &str) {
    let mut parser = claude();
    let mut events = Vec::new();
    for line in lines(stream) {
        parser.line(line, &mut events);
        black_box(&events);
        events.clear();
    }
    black_box(parser.finish(&ExitFacts::default()));
}

fn claude() -> Box<dyn LineParser> {
    let call = AgentCall {
        iteration: 1,
        retry: 0,
        kind: Kind::Implement,
        task: "T".into(),
        agent: "claude".into(),
        flags: Vec::new(),
        model: String::new(),
        fallback_model: String::new(),
        max_turns: 0,
        prompt: String::new(),
        soft_timeout: Millis(0),
        hard_timeout: Millis(0),
        idle_timeout: Millis(0),
        env: Vec::new(),
        budget: None,
        copy_of: None,
    };
    let agent: &dyn Agent = find("claude").unwrap_or(ralph_core::agents::BUILT_IN[0]);
    agent.parser(&call)
}
