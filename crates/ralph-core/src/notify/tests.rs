//! What is announced, and when, on a clock that the test moves.

use super::{Detector, Due, Message, Moment, Notice, Schedule, Standing};
use crate::{
    event::{Decision, Event, Source},
    outcome::Outcome,
    plan::{Plan, Status, Task},
    run::{StartOptions, begin},
    settings::{
        Gate, Length, NotifyChannel, NotifyDetail, NotifySettings, Occasion, Settings, TimeOfDay,
    },
    time::{Millis, Timestamp},
    timeline::Timeline,
    usage::Usage,
};

/// So many minutes after midnight, local time, of the day that the tests begin on.
fn minute(minutes: i64) -> Moment {
    let of_day = u16::try_from(minutes.rem_euclid(24 * 60)).unwrap_or_default();
    Moment { at: Timestamp(minutes * 60_000), of_day: TimeOfDay(of_day) }
}

fn clock(text: &str) -> i64 {
    let (day, time) =
        text.split_once('+').map_or((0, text), |(day, time)| (day.parse().unwrap_or(0), time));
    i64::from(TimeOfDay::parse(time).unwrap_or_default().0) + day * 24 * 60
}

fn notice(occasion: Occasion, at: Moment, title: &str) -> Notice {
    let text = format!("text of {title}");
    Notice { occasion, at: at.at, task: None, title: title.into(), text, next: String::new() }
}

/// What a channel says when these things happen at these times; it looks every minute until the last of them.
fn played(
    settings: &NotifySettings,
    channel: &NotifyChannel,
    script: &[(&str, Occasion)],
    end: &str,
) -> Vec<String> {
    let begin = script.first().map_or(0, |(at, _)| clock(at)) - 1;
    let mut schedule = Schedule::new(settings, channel, minute(begin));
    let mut said = Vec::new();
    let mut say = |at: i64, due: Vec<Due>| {
        for one in due {
            let what: Vec<&str> = one.notices.iter().map(|one| one.title.as_str()).collect();
            let quiet = if one.is_quiet { " quietly" } else { "" };
            let (hour, minute) = (at / 60, at % 60);
            said.push(format!(
                "{hour:02}:{minute:02} {} [{}]{quiet}",
                one.occasion.as_str(),
                what.join(" ")
            ));
        }
    };
    for at in begin..=clock(end) {
        for (nth, (_, occasion)) in
            script.iter().enumerate().filter(|(_, (when, _))| clock(when) == at)
        {
            schedule.offer(notice(*occasion, minute(at), &format!("{nth}")), minute(at));
        }
        say(at, schedule.due(minute(at)));
    }
    say(clock(end), schedule.finish(minute(clock(end))));
    said
}

fn settings() -> NotifySettings {
    NotifySettings { min_gap: Length::default(), ..NotifySettings::default() }
}

/// What is tried, the settings and the channel's events by name, what happens when, until when, and what is sent.
const NIGHTS: &str = "\
sent at once | plain | 10:00 failed | 10:05 | 10:00 failed [0]
not asked for | plain | 10:00 stuck | 10:05 |
urgent ones pass quiet hours | night | 23:00 parked, 23:05 ended | 23:30 | 23:00 parked [0], 23:05 ended [1]
others are held until they end | night | 23:00 failed, 1+03:00 budget | 1+07:10 | 31:00 digest [0 1]
a digest has its own time | digest | 23:00 failed, 1+07:10 failed | 1+08:00 | 31:10 failed [1], 31:30 digest [0]
a daily digest comes without news | digest | 06:00 parked | 1+08:00 | 06:00 parked [0], 07:30 digest [], 31:30 digest []
the end in quiet hours loses nothing | night | 23:00 failed, 23:30 done | 23:30 | 23:30 digest [0 1] quietly
sooner ones are joined | gap | 10:00 failed, 10:01 failed, 10:05 parked | 10:30 | 10:00 failed [0], 10:10 parked [1 2]
joined ones fall into quiet hours | night gap | 21:55 failed, 21:56 failed, 21:57 parked | 1+07:01 | 21:55 failed [0], 22:05 parked [2], 31:00 digest [1]
so many an hour | few | 10:00 failed, 10:10 failed, 10:20 failed, 10:30 failed | 11:30 | 10:00 failed [0], 10:10 failed [1], 11:00 failed [2 3]
the end waits for no limit | few | 10:00 failed, 10:10 failed, 10:20 failed, 10:30 done | 10:31 | 10:00 failed [0], 10:10 failed [1], 10:31 done [2 3]
signs of life pass everything | night beat on:heartbeat | 23:00 failed | 1+00:01 | 23:29 heartbeat [] quietly, 23:59 heartbeat [] quietly
a channel has its own events | digest on:failed | 10:00 done, 10:01 failed | 1+08:00 | 10:01 failed [1]
quiet hours at noon | noon | 11:59 failed, 12:00 failed, 12:59 failed, 13:00 failed | 13:05 | 11:59 failed [0], 13:00 digest [1 2], 13:00 failed [3]
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
            "night" | "digest" => settings.quiet = "22:00-07:00".into(),
            "gap" => settings.min_gap = Length(Millis::secs(600)),
            "few" => settings.max_per_hour = 2,
            "beat" => settings.heartbeat = Length(Millis::secs(1800)),
            "noon" => settings.quiet = "12:00-13:00".into(),
            other => channel.on = vec![occasion(other.trim_start_matches("on:"))],
        }
        if word == "digest" {
            settings.digest = "07:30".into();
        }
    }
    (settings, channel)
}

#[test]
fn a_table_of_nights() {
    for row in NIGHTS.lines() {
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
    let night = NotifySettings { quiet: "22:00-07:00".into(), ..settings() };
    let mut schedule = Schedule::new(&night, &NotifyChannel::default(), minute(clock("23:00")));
    for _ in 0..100_000 {
        let at = minute(clock("23:00"));
        schedule.offer(notice(Occasion::Failed, at, &"x".repeat(500)), at);
    }
    let due = schedule.finish(minute(clock("23:30")));
    let [due] = &*due else { panic!("{} messages", due.len()) };
    assert_eq!(due.notices.len() + due.left_out, 100_000);
    let message = Message::new(due.clone(), &Standing::default(), NotifyDetail::Text, Timestamp(0));
    assert!(
        message.text.len() < 5_000 && message.text.starts_with("99980 earlier ones"),
        "{}",
        message.text
    );
}

#[test]
fn a_clock_that_is_put_back_or_forward_sends_one_digest() {
    let daily = NotifySettings { digest: "07:30".into(), ..settings() };
    let mut schedule = Schedule::new(&daily, &NotifyChannel::default(), minute(clock("07:00")));
    let mut digests = |moments: &[i64]| -> usize {
        moments.iter().map(|at| schedule.due(minute(*at)).len()).sum()
    };
    assert_eq!(digests(&[clock("07:29"), clock("07:30"), clock("07:31")]), 1);
    assert_eq!(digests(&[clock("07:10"), clock("07:20")]), 0, "put back");
    assert_eq!(digests(&[clock("3+12:00"), clock("3+12:01")]), 1, "the machine slept for days");
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
        is_quiet: false,
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
