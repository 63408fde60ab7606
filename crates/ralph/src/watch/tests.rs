//! Screens as pictures: the pure view of scripted runs, at every size and look, and under hostile text.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use ralph_agents::{
    event::AgentEvent,
    live_event::{Chatter, News, Said},
};
use ralph_core::{
    event::Event,
    input::Wish,
    time::{Millis, Timestamp},
};
use ratatui::{
    buffer::{Buffer, Cell},
    layout::Rect,
    style::{Color, Modifier},
};

use super::{
    model::{Focus, Life, Model, PANES, Pane, Pick},
    paint::Brush,
    patch,
    prompt::{Prompt, Scope},
    theme::Theme,
    view,
};
use crate::{
    ask::Editor,
    reporters::{
        line::Look,
        tests::{
            people,
            scripts::{self, Beat},
        },
    },
};

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 20)];

/// A run as far as its script goes; `is_going` leaves its end out.
fn watched(beats: Vec<Beat>, is_going: bool) -> Model {
    let mut model = Model {
        project: "slug".into(),
        run: "261115-171318-207".into(),
        zone: Some(TimeZone::UTC),
        is_following: true,
        ..Model::default()
    };
    let is_end = |event: &Event| {
        matches!(
            event,
            Event::RunEnding { .. } | Event::RunFinished { .. } | Event::IterationClosed
        )
    };
    for (place, beat) in (0..).zip(beats) {
        match beat {
            Beat::News(News::Decided(decision)) => {
                let is_late = model.timeline.history.newest.len() > 1;
                if is_going && is_late && decision.events.iter().any(is_end) {
                    break;
                }
                model.timeline.apply(&decision);
                for event in &decision.events {
                    if let Event::IterationStarted(start) = event {
                        model.shown.iteration = Some(start.iteration);
                        model.shown.stream = super::stream::Stream::default();
                        model.shown.gates.clear();
                    }
                }
            }
            Beat::News(News::Chatter(said)) => {
                model.shown.stream.take(place, &said);
                if !matches!(said.said, Said::Agent(_)) {
                    model.shown.gates.push((said.at, said.said));
                }
            }
            Beat::Tick(_) => {}
        }
    }
    model.life = if is_going { Life::Going } else { Life::Ended };
    model.now = model.timeline.last().plus(Millis::secs(8));
    model.count();
    model.list();
    model
}

fn drawn(model: &Model, (width, height): (u16, u16), look: Look, theme: Theme) -> Buffer {
    let model = Model { brush: Brush { look, theme }, ..model.clone() };
    let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width, height });
    view::draw(&model, &mut buffer);
    buffer
}

fn text(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width);
    let rows = buffer.content().chunks(width.max(1));
    let rows = rows.map(|row| row.iter().map(Cell::symbol).collect::<String>());
    rows.map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// All variants of a screen in one picture: for each size its text, the rows that ASCII changes, and where a style begins
/// and ends, with colour and without. ASCII has the same styles, and no theme changes the text.
fn pictured(model: &Model) -> String {
    let mut all = String::new();
    for size in SIZES {
        let drawn = |look: Look, theme| drawn(model, size, look, theme);
        let (unicode, ascii) = (Look::default(), Look { ascii: true, ..Look::default() });
        let plain = drawn(unicode, Theme::Plain);
        let _ = writeln!(all, "---- {}x{}\n{}", size.0, size.1, text(&plain));
        let in_ascii = text(&drawn(ascii, Theme::Plain));
        assert!(in_ascii.is_ascii(), "{in_ascii}");
        let shown = text(&plain);
        let pairs = shown.lines().zip(in_ascii.lines()).enumerate();
        let is_other = |row: &str, other: &str| row.replace('│', "|") != other;
        for (nth, (_, row)) in pairs.filter(|(_, (row, other))| is_other(row, other)) {
            let _ = writeln!(all, "ascii {nth}: {row}");
        }
        for theme in [Theme::Ansi, Theme::Light, Theme::Dark] {
            for look in [unicode, ascii] {
                let coloured = drawn(Look { colour: true, ..look }, theme);
                let expected = if look.ascii { &in_ascii } else { &shown };
                assert_eq!(text(&coloured), *expected, "{theme:?} {size:?}");
                assert_eq!(styles(&coloured), styles(&drawn(unicode, theme)), "{theme:?}");
            }
        }
        let _ = writeln!(all, "none: {}", styles(&plain));
        let _ = writeln!(all, "colour: {}", styles(&drawn(unicode, Theme::Dark)));
    }
    all
}

/// `3:0-4b` for each run of cells that look alike: its row, its columns, and bold, dim, reversed or a colour.
fn styles(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width).max(1);
    let mut runs = Vec::new();
    for (row, cells) in buffer.content().chunks(width).enumerate() {
        let mut at = 0;
        for run in cells.chunk_by(|one, next| (one.fg, one.modifier) == (next.fg, next.modifier)) {
            let style = style(&run[0]);
            let is_blank = run.iter().all(|cell| cell.symbol() == " ") && !style.contains('r');
            if !style.is_empty() && !is_blank {
                runs.push(format!("{row}:{at}-{}{style}", at + run.len() - 1));
            }
            at += run.len();
        }
    }
    runs.join(" ")
}

fn style(cell: &Cell) -> String {
    let marks = [(Modifier::BOLD, "b"), (Modifier::DIM, "d"), (Modifier::REVERSED, "r")];
    let marks = marks.into_iter().filter(|(mark, _)| cell.modifier.contains(*mark));
    let marks: String = marks.map(|(_, letter)| letter).collect();
    match cell.fg {
        Color::Indexed(colour) => format!("{marks}={colour}"),
        _ => marks,
    }
}

pub(super) fn going() -> Model {
    watched(scripts::rejection_then_success(), true)
}

#[test]
fn every_pane_looks_like_its_picture() {
    for (pane, word) in PANES {
        let mut model = going();
        if pane == Pane::Asks {
            model = watched(people::talked(), true);
        }
        (model.pane, model.focus) = (pane, Focus::Pane);
        model.count();
        if pane == Pane::Diff {
            model.shown.patch = Some(
                "diff --git a/build.rs b/build.rs\n--- a/build.rs\n+++ b/build.rs\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n".into(),
            );
            model.shown.exposed = patch::exposed(model.shown.patch.as_deref().unwrap_or(""), &[]);
        }
        insta::assert_snapshot!(format!("pane_{}", word.to_lowercase()), pictured(&model));
    }
}

#[test]
fn lists_ends_and_prompts_look_like_their_pictures() {
    insta::assert_snapshot!("list", pictured(&going()));
    insta::assert_snapshot!("ended", pictured(&watched(scripts::given_up(), false)));
    let sent = vec![
        Wish::Steer { task: Some("T-001".into()), text: "use tabs".into(), now: false },
        Wish::Stop,
    ];
    insta::assert_snapshot!("sent", pictured(&Model { sent, ..going() }));
    let elsewhere = Some("build.invalid".into());
    insta::assert_snapshot!("elsewhere", pictured(&Model { elsewhere, ..going() }));
    let mut picked = Model { focus: Focus::Pane, ..going() };
    picked.measure(SIZES[0]);
    picked.act(super::keys::Action::Move(-2));
    insta::assert_snapshot!("picked", pictured(&picked));
    let gone = Model { life: Life::Gone, ..going() };
    insta::assert_snapshot!("gone", pictured(&gone));
    let mut editor = Editor::default();
    for c in "use saturating arithmetic".chars() {
        editor.press(&crate::ask::Key::Char(c));
    }
    for (name, prompt) in [
        ("steer", Prompt::Steer { task: Some("T-002".into()), scope: Scope::Task, editor }),
        ("stop", Prompt::stop()),
        ("answer", Prompt::Answer { task: "T-002".into(), editor: Editor::default() }),
        ("rule", Prompt::rule(1)),
        ("failed", Prompt::failed("T-002".into())),
        ("search", Prompt::Search { editor: Editor::default() }),
        ("help", Prompt::Help { top: 0 }),
        (
            "runs",
            Prompt::Runs {
                runs: vec![
                    ("261115-171318-207".into(), "not ended".into()),
                    ("261114-0042-k3f".into(), "all done".into()),
                ],
                choice: 0,
            },
        ),
    ] {
        let model = Model { prompt: Some(prompt), ..going() };
        insta::assert_snapshot!(format!("prompt_{name}"), pictured(&model));
    }
}

/// Numbers that look like chance and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below.max(1)
    }

    fn index(&mut self, below: usize) -> usize {
        usize::try_from(self.next(below as u64)).unwrap_or_default()
    }
}

#[test]
fn a_thousand_sizes_are_drawn() {
    let mut numbers = Numbers(7);
    let mut models =
        [going(), watched(people::talked(), true), watched(scripts::given_up(), false)];
    for nth in 0..1_000_u32 {
        let size = (numbers.next(250), numbers.next(80));
        let size = (u16::try_from(size.0).unwrap_or(1), u16::try_from(size.1).unwrap_or(1));
        let model = &mut models[nth as usize % 3];
        model.pane = PANES[nth as usize % PANES.len()].0;
        model.focus = if nth % 2 == 0 { Focus::Pane } else { Focus::List };
        (model.is_zoomed, model.scroll) = (nth % 5 == 0, numbers.index(500));
        model.prompt = (nth % 7 == 0).then_some(Prompt::Help { top: nth as usize });
        let buffer = drawn(model, size, Look::default(), Theme::Dark);
        assert_eq!((buffer.area.width, buffer.area.height), size);
        model.measure(size);
    }
}

#[test]
fn ten_thousand_hostile_texts_leave_no_control_character() {
    let evil = [
        "\u{1b}[2J",
        "\u{1b}]0;x\u{7}",
        "\u{1b}P+q\u{1b}\\",
        "\u{9b}31m",
        "\r\n",
        "\u{8}\u{8}",
        "\u{202e}",
        "\0",
        "\u{1b}[?1049l",
        "\u{7f}",
        "\u{200d}\u{fe0f}",
        "日本",
        "🦀",
        "\t",
        "\u{1b}]52;c;eA==\u{7}",
        "e\u{301}\u{301}",
    ];
    let mut numbers = Numbers(11);
    let mut made = 0;
    let mut model = going();
    model.focus = Focus::Pane;
    while made < 10_000 {
        model.shown.stream = super::stream::Stream::default();
        for nth in 0..100 {
            let mut hostile = String::new();
            for _ in 0..numbers.next(12) {
                hostile += evil[numbers.index(evil.len())];
                hostile.push(char::from(b'a' + u8::try_from(numbers.next(26)).unwrap_or(0)));
            }
            made += 1;
            let event = match nth % 4 {
                0 => AgentEvent::Text { text: hostile },
                1 => AgentEvent::ToolStart {
                    id: nth.to_string(),
                    name: hostile.clone(),
                    input: hostile,
                },
                2 => AgentEvent::ToolEnd {
                    id: (nth - 1).to_string(),
                    output: hostile,
                    lines: 3,
                    chars: 9,
                    is_error: true,
                },
                _ => AgentEvent::Denied { tool: hostile.clone(), why: hostile },
            };
            let said = Chatter { at: Timestamp(nth), iteration: 1, said: Said::Agent(event) };
            model.shown.stream.take(nth.unsigned_abs(), &said);
        }
        for place in [90, 60, 5] {
            let pick = Some(Pick { key: (place, 0), row: 0 });
            let buffer =
                drawn(&Model { pick, ..model.clone() }, (120, 40), Look::default(), Theme::Dark);
            for cell in buffer.content() {
                let is_bad = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
                assert!(!cell.symbol().chars().any(is_bad), "{:?}", cell.symbol());
            }
        }
    }
}
