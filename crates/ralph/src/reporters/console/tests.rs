//! Whole console outputs of scripted runs, as a person reads them.

use jiff::tz::TimeZone;
use ralph_core::agents::event::AgentEvent;

use super::{Console, Options, Progress};
use crate::reporters::{
    line::Look,
    screen::{Screen, Width},
    tally::Tally,
    tests::{
        people,
        scripts::{self, Beat, Paper, play},
    },
};

fn plain_screen(columns: usize) -> Screen {
    Screen { look: Look::default(), width: Width::Fixed(columns), live: false, zone: TimeZone::UTC }
}

fn shown(beats: &[Beat], screen: Screen, options: Options) -> String {
    let paper = Paper::default();
    let mut console = Console::new(Box::new(paper.clone()), screen, options, Tally::default());
    assert!(play(beats, &mut console).is_ok());
    paper.text()
}

fn plain(beats: &[Beat], columns: usize) -> String {
    shown(beats, plain_screen(columns), Options::default())
}

macro_rules! runs {
    ($($name:ident: $script:ident;)*) => {$(
        #[test]
        fn $name() {
            let beats = scripts::$script();
            insta::assert_snapshot!(concat!(stringify!($script), "_80"), plain(&beats, 80));
            insta::assert_snapshot!(concat!(stringify!($script), "_120"), plain(&beats, 120));
        }
    )*};
}

runs! {
    a_run_that_goes_well: happy;
    a_rejection_tells_why_what_is_kept_and_what_comes_next: rejection_then_success;
    a_usage_limit_counts_down: usage_limit;
    a_given_up_task_names_its_branch_and_who_waits: given_up;
    an_interrupted_run_says_how_to_go_on: interrupted;
}

#[test]
fn reviews_questions_amendments_and_people_are_told_in_short_lines() {
    let beats = people::talked();
    insta::assert_snapshot!("talked_80", plain(&beats, 80));
    insta::assert_snapshot!("talked_120", plain(&beats, 120));
}

#[test]
fn a_handoff_is_not_shown_to_people() {
    let mut script = scripts::Script::new();
    let say = |text: &str| AgentEvent::Text { text: text.into() };
    script.iteration("T-001", 1, 0).agent(say("before\n```ralph-handoff\n{\"a\":"));
    script.agent(say("1}")).agent(say("```")).agent(say("after"));
    let text = plain(&script.beats(), 80);
    assert!(text.contains("before") && text.contains("after"), "{text}");
    assert!(!text.contains("handoff") && !text.contains("1}"), "{text}");
}

#[test]
fn a_live_terminal_redraws_its_last_line_in_place() {
    let screen = Screen { live: true, ..plain_screen(80) };
    let text = shown(&scripts::usage_limit(), screen, Options::default());
    let text = text.replace("\r\u{1b}[2K", "\n<clear>");
    insta::assert_snapshot!("usage_limit_live_80", text);
}

#[test]
fn colours_say_nothing_that_words_do_not() {
    let mut screen = plain_screen(80);
    screen.look.colour = true;
    for beats in [scripts::happy(), scripts::given_up()] {
        let coloured = shown(&beats, screen.clone(), Options::default());
        assert!(coloured.contains("\u{1b}["));
        let stripped = anstream::adapter::strip_str(&coloured).to_string();
        let without = plain(&beats, 80);
        let trimmed: Vec<&str> = stripped.lines().map(str::trim_end).collect();
        assert_eq!(trimmed.join("\n"), without.trim_end());
    }
}

#[test]
fn only_progress_shows_counts_and_the_end() {
    let options = Options { progress: Progress::Only, ..Options::default() };
    let text = shown(&scripts::happy(), plain_screen(80), options);
    insta::assert_snapshot!("happy_only_80", text);
}

#[test]
fn nothing_an_agent_says_controls_the_terminal() {
    let text = plain(&scripts::rejection_then_success(), 80);
    assert!(!text.contains(['\u{1b}', '\u{7}']));
    assert!(text.contains("permission denied"));
    assert!(!text.contains("owned"));
}

#[test]
fn old_terminals_timestamps_and_details_are_served() {
    let mut screen = plain_screen(100);
    screen.look.ascii = true;
    let mut options = Options { verbose: true, ..Options::default() };
    options.display.timestamps = true;
    let text = shown(&scripts::rejection_then_success(), screen, options);
    assert!(text.is_ascii());
    insta::assert_snapshot!("rejection_ascii_100", text);
}

#[test]
fn emoji_come_only_when_asked_for() {
    let plain_text = plain(&scripts::happy(), 80);
    assert!(!plain_text.contains('✅'));
    let mut options = Options::default();
    options.display.emoji = true;
    let text = shown(&scripts::happy(), plain_screen(80), options);
    assert!(text.contains("✅ T-001"));
}

#[test]
fn lines_stay_inside_the_screen_unless_they_hold_a_command_or_a_name() {
    for beats in [scripts::happy(), scripts::usage_limit(), scripts::given_up()] {
        for line in plain(&beats, 80).lines() {
            let wide = crate::reporters::plain::width(line);
            assert!(wide <= 88, "{wide}: {line}");
        }
    }
}
