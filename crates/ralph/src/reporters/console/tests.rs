//! Whole console outputs of scripted runs, as a person reads them.

use jiff::tz::TimeZone;
use ralph_agents::event::AgentEvent;
use ralph_core::timeline::Timeline;

use super::{Console, Options, Progress};
use crate::reporters::{
    line::Look,
    screen::{Screen, Width},
    tests::{
        people, planned,
        scripts::{self, Beat, Paper, play},
        steered,
    },
};

pub(super) fn plain_screen(columns: usize) -> Screen {
    Screen { look: Look::default(), width: Width::Fixed(columns), live: false, zone: TimeZone::UTC }
}

pub(super) fn shown(beats: &[Beat], screen: Screen, options: Options) -> String {
    let paper = Paper::default();
    let mut console = Console::new(Box::new(paper.clone()), screen, options, Timeline::default());
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
fn a_run_of_another_machine_names_no_command_for_this_one() {
    let mut elsewhere = Timeline::default();
    elsewhere.is_elsewhere = true;
    let scripts =
        [people::talked(), steered::steered(), scripts::given_up(), scripts::interrupted()];
    for beats in scripts {
        let paper = Paper::default();
        let (screen, options) = (plain_screen(120), Options::default());
        let mut console = Console::new(Box::new(paper.clone()), screen, options, elsewhere.clone());
        assert!(play(&beats, &mut console).is_ok());
        let here = plain(&beats, 120);
        let commands = ["ralph resume", "ralph task", "ralph logs", "ralph status", "report: "];
        assert!(commands.iter().any(|command| here.contains(command)), "{here}");
        for command in commands {
            assert!(!paper.text().contains(command), "{}", paper.text());
        }
    }
}

#[test]
fn a_planning_run_tells_what_was_wrong_with_a_draft_and_what_the_next_one_holds() {
    insta::assert_snapshot!("planned_80", plain(&planned::planned(), 80));
}

fn start(id: &str, input: &str) -> AgentEvent {
    AgentEvent::ToolStart { id: id.into(), name: "Bash".into(), input: input.into() }
}

fn end(id: &str, is_error: bool) -> AgentEvent {
    let output = "one\ntwo".into();
    AgentEvent::ToolEnd { id: id.into(), output, lines: 2, chars: 7, is_error }
}

/// What is printed of an iteration whose agent does this, without what comes before it.
fn calls(screen: Screen, make: impl Fn(&mut scripts::Script)) -> String {
    let mut script = scripts::Script::new();
    script.iteration("T-001", 1, 0);
    make(&mut script);
    let text = shown(&script.beats(), screen, Options::default());
    let begins = text.find('▶').unwrap_or_default();
    text.get(begins..).unwrap_or_default().lines().skip(1).collect::<Vec<_>>().join("\n")
}

#[test]
fn results_find_their_calls_and_what_is_missing_is_told() {
    let text = calls(plain_screen(120), |script| {
        script.agent(start("a", "first")).pass(1).agent(start("b", "second")).pass(2);
        script.agent(end("a", false)).agent(end("b", true));
        script.agent(end("never began", false)).agent(start("c", "never ends")).pass(9);
        script.agent(start("d", "same id")).agent(start("d", "same id again"));
        script.ended(ralph_core::ending::Ending::TimedOut);
    });
    insta::assert_snapshot!(text, @r"
        Bash first                     3s
        Bash second                    2s  error
          │ one
          │ two
        tool never began
        Bash same id                   no result
        Bash never ends                9s  no result
        Bash same id again             no result
        ! claude: ran past its hard time limit and was ended
        claude ended: 1m12s · cost $0.41 · tokens 88K in (85K cached) / 4.5K out · 2 tool calls
    ");
}

#[test]
fn a_call_that_runs_for_long_is_seen_while_it_runs() {
    let run = |script: &mut scripts::Script| {
        script.agent(start("a", "cargo build")).agent(start("b", "cargo test")).pass(59).tick();
        script.pass(2).tick().pass(10).tick().pass(60).tick().agent(end("b", false));
    };
    insta::assert_snapshot!(calls(plain_screen(100), run), @r"
        Bash cargo build               1m01s so far
        Bash cargo test                1m01s so far
        Bash cargo build               2m11s so far
        Bash cargo test                2m11s so far
        Bash cargo test                2m11s
    ");
    let live = calls(Screen { live: true, ..plain_screen(100) }, run);
    assert!(live.contains("59s +1 Bash cargo test"), "{live}");
    assert!(!live.contains("so far"), "{live}");
}

#[test]
fn a_list_is_shown_whole_once_and_then_by_what_changed() {
    let list = |states: [&str; 2]| AgentEvent::Todo {
        items: std::iter::zip(["Write it", "Test it"], states)
            .map(|(text, status)| ralph_agents::event::TodoItem {
                text: text.into(),
                status: status.into(),
            })
            .collect(),
    };
    let text = calls(plain_screen(100), |script| {
        script.agent(start("t", "{\"todos\":[\"Write it\"]}")).agent(list(["pending", "pending"]));
        script.agent(end("t", false)).agent(start("b", "ls"));
        script.agent(list(["in_progress", "pending"])).agent(end("b", false));
    });
    insta::assert_snapshot!(text, @r"
        list: 0 of 2 done
          · Write it
          · Test it
        list: 0 of 2 done
          ▶ Write it
        Bash ls
    ");
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
fn lines_stay_inside_the_screen_with_timestamps_and_emoji_too() {
    let mut options = Options::default();
    (options.display.timestamps, options.display.emoji) = (true, true);
    for columns in [40, 60, 80] {
        for beats in [scripts::happy(), scripts::usage_limit(), scripts::given_up()] {
            let text = shown(&beats, plain_screen(columns), options.clone());
            for line in text.lines() {
                let wide = crate::reporters::width::of(line);
                assert!(wide <= columns, "{wide} > {columns}: {line}");
            }
        }
    }
}
