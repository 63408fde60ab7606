//! What is announced, and when, on a clock that the test moves.

use super::{Detector, Due, Message, Notice, Schedule, Standing};
use crate::{
    event::{Decision, Event, Source},
    outcome::Outcome,
    plan::{Plan, Status, Task},
    run::{StartOptions, begin},
    settings::{Gate, Length, NotifyChannel, NotifyDetail, NotifySettings, Occasion, Settings},
    time::{Millis, Timestamp},
    timeline::Timeline,
    usage::Usage,
};

/// A time of day, in minutes.
fn clock(text: &str) -> i64 {
    let (hour, minute) = text.split_once(':').unwrap_or_default();
    let number = |text: &str| text.parse::<i64>().unwrap_or_default();
    number(hour) * 60 + number(minute)
}

fn minute(minutes: i64) -> Timestamp {
    Timestamp(minutes * 60_000)
}

fn notice(occasion: Occasion, at: Timestamp, title: &str) -> Notice {
    let text = format!("text of {title}");
    Notice { occasion, at, task: None, title: title.into(), text, next: String::new() }
}

/// What a channel says when these things happen at these times; it looks every minute until the last of them.
fn played(
    settings: &NotifySettings,
    channel: &NotifyChannel,
    script: &[(&str, Occasion)],
    end: &str,
) -> Vec<String> {
    let begin = script.first().map_or(0, |(at, _)| clock(at)) - 1;
    let mut schedule = Schedule::new(settings, channel);
    let mut said = Vec::new();
    let mut say = |at: i64, due: Option<Due>| {
        if let Some(one) = due {
            let what: Vec<&str> = one.notices.iter().map(|one| one.title.as_str()).collect();
            let (hour, minute) = (at / 60, at % 60);
            said.push(format!(
                "{hour:02}:{minute:02} {} [{}]",
                one.occasion.as_str(),
                what.join(" ")
            ));
        }
    };
    for at in begin..=clock(end) {
        for (nth, (_, occasion)) in
            script.iter().enumerate().filter(|(_, (when, _))| clock(when) == at)
        {
            schedule.offer(notice(*occasion, minute(at), &format!("{nth}")));
        }
        say(at, schedule.due(minute(at)));
    }
    say(clock(end), schedule.finish());
    said
}

fn settings() -> NotifySettings {
    NotifySettings { min_gap: Length::default(), ..NotifySettings::default() }
}

/// What is tried, the settings and the channel's events by name, what happens when, until when, and what is sent.
const EVENINGS: &str = "\
sent at once | plain | 10:00 failed | 10:05 | 10:00 failed [0]
not asked for | plain | 10:00 stuck | 10:05 |
sooner ones are joined | gap | 10:00 failed, 10:01 failed, 10:05 parked | 10:30 | 10:00 failed [0], 10:10 parked [1 2]
the end waits for no gap | gap | 10:00 failed, 10:01 failed, 10:02 done | 10:02 | 10:00 failed [0], 10:02 done [1 2]
a channel has its own events | on:failed | 10:00 done, 10:01 failed | 10:05 | 10:01 failed [1]
";

fn occasion(word: &str) -> Occasion {
    serde_json::from_value(word.into()).unwrap_or_else(|_| panic!("{word}"))
}

/// The settings and the channel that these words name.
fn named(words: &str) -> (NotifySettings, NotifyChannel) {
    let (mut settings, mut channel) = (settings(), NotifyChannel::default());
    for word in words.split(' ') {
        match word {
            "plain" => {}
            "gap" => settings.min_gap = Length(Millis::secs(600)),
            other => channel.on = vec![occasion(other.trim_start_matches("on:"))],
        }
    }
    (settings, channel)
}

#[test]
fn a_channel_sends_at_once_or_joins() {
    for row in EVENINGS.lines() {
        let fields: Vec<&str> = row.split('|').map(str::trim).collect();
        let [name, words, script, end, expected] = &*fields else { panic!("{row}") };
        let (settings, channel) = named(words);
        let script: Vec<(&str, Occasion)> = script
            .split(", ")
            .filter_map(|one| one.split_once(' '))
            .map(|(at, what)| (at, occasion(what)))
            .collect();
        assert_eq!(played(&settings, &channel, &script, end).join(", "), *expected, "{name}");
    }
}

#[test]
fn nothing_that_waits_grows_without_bound_and_all_of_it_is_counted() {
    let mut schedule = Schedule::new(&settings(), &NotifyChannel::default());
    for _ in 0..100_000 {
        schedule.offer(notice(Occasion::Failed, minute(0), &"x".repeat(500)));
    }
    let Some(due) = schedule.finish() else { panic!("nothing is due") };
    assert_eq!(due.notices.len() + due.left_out, 100_000);
    let message = Message::new(due.clone(), &Standing::default(), NotifyDetail::Text, Timestamp(0));
    assert!(
        message.text.len() < 5_000 && message.text.starts_with("99980 earlier ones"),
        "{}",
        message.text
    );
}

fn decision(seq: u64, at: u64, events: Vec<Event>) -> Decision {
    let at = Timestamp::default().plus(Millis::secs(at));
    Decision { v: 1, run: "r".into(), lane: 0, seq, at, events }
}

fn started(settings: Settings) -> Event {
    let gate = Gate { name: "tests".into(), command: "make".into(), ..Gate::default() };
    let settings = Settings { gate: vec![gate], ..settings };
    let task = |id: &str| Task { id: id.into(), title: format!("title {id}"), ..Task::default() };
    let plan =
        Plan { project: "demo".into(), tasks: vec![task("a"), task("b")], ..Plan::default() };
    match begin(Source::Plan, plan, settings, StartOptions::default()) {
        Ok(start) => Event::RunStarted(Box::new(start)),
        Err(error) => panic!("{error}"),
    }
}

fn moved(task: &str, to: Status) -> Event {
    Event::TaskMoved { task: task.into(), from: Status::InProgress, to, why: "because".into() }
}

#[test]
fn what_happens_to_tasks_and_to_the_run_is_announced_with_what_to_type() {
    let mut settings = Settings::default();
    settings.limits.max_duration = Length(Millis::secs(1000));
    let question = Event::QuestionAsked {
        task: "a".into(),
        question: "which port?".into(),
        in_passing: false,
    };
    let until = |seconds| Timestamp::default().plus(Millis::secs(seconds));
    let script = [
        vec![started(settings)],
        vec![question, moved("a", Status::Parked)],
        vec![moved("b", Status::Failed)],
        vec![Event::WaitBegan { until: until(200), why: "limit".into() }],
        vec![Event::WaitBegan { until: until(4000), why: "limit".into() }],
        vec![Event::RunFinished {
            outcome: Outcome::NeedsPerson { why: "x".into() },
            notes: Vec::new(),
        }],
    ];
    let mut detector = Detector::new(Timeline::default());
    let mut said = Vec::new();
    for (seq, events) in (0u64..).zip(script) {
        for one in detector.decided(&decision(seq, seq * 10, events)) {
            said.push(format!("{}|{}|{}|{}", one.occasion.as_str(), one.title, one.text, one.next));
        }
    }
    assert_eq!(detector.tick(until(5_000)), [], "nothing is announced after the end");
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_share_of_a_limit_is_announced_once_and_not_again_after_a_resume() {
    let mut settings = Settings::default();
    settings.limits.max_duration = Length(Millis::secs(1000));
    settings.limits.max_tokens = 1_000_000;
    let mut detector = Detector::new(Timeline::default());
    assert_eq!(detector.decided(&decision(0, 0, vec![started(settings)])), []);
    let mut at = |seconds| {
        let notices = detector.tick(Timestamp::default().plus(Millis::secs(seconds)));
        notices.into_iter().map(|one| one.title).collect::<Vec<_>>()
    };
    assert_eq!(at(740), [""; 0]);
    assert_eq!(at(751), ["75% of a limit is used: 12m31s of 16m40s"]);
    assert_eq!(at(760), [""; 0]);
    assert_eq!(at(999), ["90% of a limit is used: 16m39s of 16m40s"]);
    let warned = decision(1, 950, vec![Event::Warned { text: "x".into() }]);
    detector.decided(&warned);
    let mut resumed = Detector::new(detector.timeline().clone());
    assert_eq!(resumed.tick(Timestamp::default().plus(Millis::secs(999))), []);
    assert_eq!(Usage::default().tokens(), 0);
}

#[test]
fn a_message_says_questions_only_where_that_is_wanted_and_nothing_that_moves_a_cursor() {
    let hostile = "\u{1b}]0;owned\u{7}a\u{202e}b\nc\u{0}";
    let due = |text: &str| Due {
        occasion: Occasion::Parked,
        notices: vec![Notice {
            task: Some("a".into()),
            title: hostile.into(),
            next: "ralph task answer a".into(),
            ..notice(Occasion::Parked, minute(0), text)
        }],
        left_out: 0,
    };
    let standing = Standing { run: "r".into(), project: "demo".into(), ..Standing::default() };
    let message = |detail| Message::new(due(hostile), &standing, detail, Timestamp(7));
    let title = message(NotifyDetail::Title);
    assert_eq!((title.title.as_str(), title.text.as_str(), title.urgent), ("demo: ab c", "", true));
    assert_eq!(title.id(), "r-7");
    let text = message(NotifyDetail::Text);
    assert_eq!(text.words(), "demo: ab c\nnext: ralph task answer a\n> text of ab\n> c");
    insta::assert_snapshot!(serde_json::to_string_pretty(&text).unwrap_or_default());
}
