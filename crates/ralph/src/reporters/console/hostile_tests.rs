//! Nothing that comes from outside controls the terminal, whatever kind of event brings it.

use std::{collections::BTreeSet, sync::Arc};

use ralph_agents::{
    event::{AgentEvent, TodoItem},
    live_event::{Chatter, News, Said},
};
use ralph_core::{
    ending::Ending,
    event::{Decision, Event},
    gates::report::CommandEnd,
    input::{By, Request, ScmReport, Wish},
    isolation::Isolation,
    memory::{
        compaction::{Compaction, CompactionStart, Compactor, Trigger},
        context::Context,
    },
    outcome::Outcome,
    time::{Millis, Timestamp},
    usage::Usage,
    vocabulary::Steer,
};
use serde_json::Value;

use super::tests::{plain_screen, shown};
use crate::reporters::{
    console::Options,
    screen::Screen,
    tests::{
        people, planned,
        scripts::{self, Beat, Script},
        steered,
    },
};

/// One of everything that moves a cursor, hides, reorders, retitles, links or copies.
const HOSTILE: &str = "\u{1b}[2J\u{1b}[5;41m\u{1b}]52;c;aGk=\u{7}\u{1b}]8;;http://x\u{1b}\\l\u{1b}]8;;\u{1b}\\\
    \u{1b}P1$q\u{1b}\\\u{1b}_apc\u{1b}\\\u{1b}c\u{1b}(0\u{9b}31m\u{9d}0;t\u{9c}\u{90}q\u{9c}\u{85}\u{84}\r\u{8}\u{7}\
    \u{0}\u{7f}\u{b}\u{c}\u{e}\u{202e}\u{2066}\u{200f}\u{200b}\u{feff}\u{e0041}\u{e0101}\u{2028}Ω";

/// Puts the hostile text into every text of a value that still makes sense with it.
fn poison<T>(clean: &T) -> T
where
    T: serde::Serialize + for<'de> serde::Deserialize<'de> + Clone,
{
    let Ok(mut value) = serde_json::to_value(clean) else { return clean.clone() };
    for path in texts(&value, String::new()) {
        let Some(Value::String(text)) = value.pointer(&path).cloned() else { continue };
        if let Some(slot) = value.pointer_mut(&path) {
            *slot = format!("{text}{HOSTILE}").into();
        }
        if serde_json::from_value::<T>(value.clone()).is_err()
            && let Some(slot) = value.pointer_mut(&path)
        {
            *slot = text.into();
        }
    }
    serde_json::from_value(value).unwrap_or_else(|_| clean.clone())
}

/// Where a value has texts.
fn texts(value: &Value, at: String) -> Vec<String> {
    match value {
        Value::String(_) => vec![at],
        Value::Array(items) => (items.iter().enumerate())
            .flat_map(|(nth, item)| texts(item, format!("{at}/{nth}")))
            .collect(),
        Value::Object(fields) => (fields.iter())
            .flat_map(|(key, item)| texts(item, format!("{at}/{}", key.replace('/', "~1"))))
            .collect(),
        _ => Vec::new(),
    }
}

fn poisoned(beats: Vec<Beat>) -> Vec<Beat> {
    let poisoned = beats.into_iter().map(|beat| match beat {
        Beat::News(News::Decided(decision)) => {
            Beat::News(News::Decided(Arc::new(poison::<Decision>(&decision))))
        }
        Beat::News(News::Chatter(chatter)) => {
            Beat::News(News::Chatter(poison::<Chatter>(&chatter)))
        }
        tick @ Beat::Tick(_) => tick,
    });
    poisoned.collect()
}

fn every_agent_event() -> Vec<AgentEvent> {
    let text = || "words".to_owned();
    let start = |id: &str| AgentEvent::ToolStart { id: id.into(), name: text(), input: text() };
    let end = |id: &str| AgentEvent::ToolEnd {
        id: id.into(),
        output: text(),
        lines: 1,
        chars: 5,
        is_error: true,
    };
    vec![
        AgentEvent::Session { id: text(), model: text() },
        start("1"),
        end("1"),
        end("never began"),
        AgentEvent::Text { text: text() },
        AgentEvent::Thinking { text: text() },
        AgentEvent::Todo { items: vec![TodoItem { text: text(), status: text() }] },
        AgentEvent::Progress { text: text() },
        AgentEvent::Retry { attempt: 1, of: 3, delay_ms: Some(9_000), error: text() },
        AgentEvent::Denied { tool: text(), why: text() },
        AgentEvent::Spent { usage: Usage::default() },
        AgentEvent::RateLimit {
            status: text(),
            resets_at: Some(Timestamp(1_794_700_900_000)),
            utilization: Some(0.9),
        },
        AgentEvent::Result { is_error: true, text: text(), usage: Usage::default(), turns: 1 },
        start("never ends"),
    ]
}

/// One run with an event of every kind.
fn everything() -> Vec<Beat> {
    let mut script = Script::new();
    script.iteration("T-001", 1, 0);
    for event in every_agent_event() {
        script.agent(event).pass(1).tick();
    }
    let (gate, end, what) = ("lint".to_owned(), CommandEnd::TimedOut, "agent".to_owned());
    script.say(Said::GateStarted { gate: gate.clone() }).tick();
    script.say(Said::GateRunsAgain { gate: gate.clone(), end }).tick();
    script.say(Said::GateFinished { gate, end, took: Millis::secs(1) });
    script.say(Said::Slow { what, after: Millis::secs(1) }).say(Said::Dropped { count: 2 });
    script.pass(90).tick().ended(Ending::Crashed { detail: "signal 9".into() });
    let report = ScmReport { task: "push".into(), end, output: "no remote".into() };
    script.decide(vec![
        Event::RunResumed {
            by: By::Person,
            version: "1".into(),
            max_iterations: None,
            is_limit_given: false,
            pinned: None,
        },
        Event::IsolationChanged { isolation: Isolation::off() },
        Event::RequestTaken { request: Request { id: "r".into(), wish: Wish::Stop } },
        Event::PromptRead { text: "do".into() },
        Event::Warned { text: "careful".into() },
        Event::AgentKeptFailing { task: "T-001".into(), why: "4 calls in a row failed".into() },
        Event::Steered {
            word: Steer { task: Some("T-001".into()), text: "mind the gap".into() },
            ends_call: true,
        },
        Event::PauseRequested { ends_call: false },
        Event::Paused,
        Event::Unpaused,
        Event::CompactionBegan(CompactionStart {
            number: 1,
            after: 1,
            why: Trigger::Task { task: "T-001".into() },
            agent: "claude".into(),
            model: "opus".into(),
            libraries: vec!["zod".into()],
        }),
        Event::MemoryCompacted(Box::new(Compaction {
            number: 1,
            after: 1,
            why: Trigger::Interval { iterations: 5 },
            by: Compactor::BuiltIn { why: "claude crashed".into() },
            records: 12,
            tokens: 2_140,
            left_out: 3,
            context: Context::default(),
        })),
        Event::AgentRested {
            agent: "codex".into(),
            until: None,
            why: "is not logged in".into(),
            is_waited_for: false,
        },
        Event::ScmTasksRan { reports: vec![report] },
    ]);
    script.finished(Outcome::AgentUnusable { why: "gone".into(), help: "install".into() }, &["n"]);
    let mut beats = script.beats();
    for more in [scripts::rejection_then_success(), scripts::usage_limit(), scripts::given_up()] {
        beats.extend(more);
    }
    beats.extend(scripts::interrupted());
    beats.extend(people::talked());
    beats.extend(planned::planned());
    beats.extend(steered::steered());
    beats
}

fn options() -> Options {
    Options { verbose: true, ..Options::default() }
}

fn is_harmless(c: char) -> bool {
    let reorders_or_hides = matches!(c,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{200b}'
        | '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{e0000}'..='\u{e01ef}');
    c == '\n' || (!c.is_control() && !reorders_or_hides)
}

#[test]
fn no_text_of_any_event_controls_a_plain_screen() {
    let beats = poisoned(everything());
    for columns in [40, 100] {
        let text = shown(&beats, plain_screen(columns), options());
        assert!(text.matches('Ω').count() > 100, "{text}");
        let bad: String = text.chars().filter(|c| !is_harmless(*c)).collect();
        assert_eq!(bad, "", "{text:?}");
        assert!(!text.contains("aGk=") && !text.contains("apc") && !text.contains("http://x"));
    }
}

#[test]
fn a_live_screen_gets_no_control_sequence_that_is_not_ralphs_own() {
    let mut screen = Screen { live: true, ..plain_screen(100) };
    screen.look.colour = true;
    let text = shown(&poisoned(everything()), screen, options());
    assert!(!text.contains("5;41m") && !text.contains("31m\u{9d}"));
    let own = ["\r\u{1b}[2K", "\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m"];
    let mut text = own.iter().fold(text, |text, own| text.replace(own, ""));
    for colour in 31..=36 {
        text = text.replace(&format!("\u{1b}[{colour}m"), "");
    }
    let bad: String = text.chars().filter(|c| !is_harmless(*c)).collect();
    assert_eq!(bad, "");
}

#[test]
fn these_tests_know_every_kind_of_event() {
    let source = include_str!("../../../../ralph-core/src/event.rs");
    let body = source.split("pub enum Event {").nth(1).and_then(|rest| rest.split("\n}\n").next());
    let kinds: BTreeSet<String> = (body.unwrap_or_default().lines())
        .filter_map(|line| line.strip_prefix("    "))
        .filter(|line| line.starts_with(char::is_uppercase))
        .map(|line| line.chars().take_while(char::is_ascii_alphanumeric).collect())
        .collect();
    assert!(kinds.len() > 30, "{kinds:?}");
    let seen: BTreeSet<String> = (everything().iter())
        .filter_map(|beat| match beat {
            Beat::News(News::Decided(decision)) => Some(Arc::clone(decision)),
            _ => None,
        })
        .flat_map(|decision| decision.events.iter().map(|e| format!("{e:?}")).collect::<Vec<_>>())
        .map(|debug| debug.chars().take_while(char::is_ascii_alphanumeric).collect())
        .collect();
    let missing: Vec<&String> = kinds.difference(&seen).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn no_line_is_wider_than_the_screen_whatever_it_says() {
    let all = [everything(), poisoned(everything())];
    for columns in [20, 40, 60, 80, 100, 160] {
        for beats in &all {
            let text = shown(beats, plain_screen(columns), options());
            for line in text.lines() {
                let wide = crate::reporters::width::of(line);
                assert!(wide <= columns, "{wide} > {columns}: {line}");
            }
        }
    }
}
