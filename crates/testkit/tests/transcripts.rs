//! Captured streams of real agents: every line is understood, each ends as its table says, and events and report
//! are the same however the bytes arrive.

use std::error::Error;

use ralph_agents::{BUILT_IN, StreamReport, event::AgentEvent, find};
use ralph_core::{effect::AgentCall, ending::Ending};
use ralph_engine::process::{Line, LineSplitter};
use testkit::{
    sim::rng::{Rng, mix},
    transcripts::{Transcript, transcripts},
};

type Outcome = Result<(), Box<dyn Error>>;

/// Ways to cut each stream at random.
const CUTS: u64 = 300;
/// How many of them are read to the end; the others only cut into lines, which is all that a parser sees.
const READ: u64 = 12;

/// What is read from a stream.
#[derive(Debug, PartialEq)]
struct Read {
    events: Vec<AgentEvent>,
    report: StreamReport,
}

/// Which of the two streams the engine happened to read first.
#[derive(Clone, Copy)]
enum First {
    Stderr,
    Stdout,
}

/// Where a stream is cut: the length of the next piece.
type Cut<'a> = &'a mut dyn FnMut() -> usize;

fn read(one: &Transcript, stdout: &[u8], first: First, cut: Cut<'_>) -> Read {
    let call = AgentCall { agent: one.agent.clone(), ..AgentCall::default() };
    let agent = find(&one.agent).unwrap_or_else(|| panic!("no agent is named {}", one.agent));
    let mut parser = agent.parser(&call);
    let mut events = Vec::new();
    for is_stderr in [matches!(first, First::Stderr), matches!(first, First::Stdout)] {
        if is_stderr {
            cut_into_lines(&one.stderr, cut, &mut |line| parser.error_line(line, &mut events));
        } else {
            cut_into_lines(stdout, cut, &mut |line| parser.line(line, &mut events));
        }
    }
    Read { events, report: parser.finish(&one.exit) }
}

fn cut_into_lines(mut bytes: &[u8], cut: Cut<'_>, take: &mut dyn FnMut(&[u8])) {
    let mut splitter = LineSplitter::default();
    let mut deliver = |line: Line<'_>| match line {
        Line::Whole(line) => take(line),
        Line::TooLong { .. } => panic!("no captured line is too long"),
    };
    while !bytes.is_empty() {
        let (chunk, rest) = bytes.split_at(cut().clamp(1, bytes.len()));
        splitter.feed(chunk, &mut deliver);
        bytes = rest;
    }
    splitter.finish(&mut deliver);
}

/// The stream in one piece.
fn whole(one: &Transcript) -> Read {
    read(one, &one.stdout, First::Stderr, &mut || usize::MAX)
}

/// The name of an ending, without its details.
fn name(ending: &Ending) -> String {
    let value = serde_json::to_value(ending).unwrap_or_default();
    value["how"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn every_agent_that_has_a_stream_of_its_own_was_captured() -> Outcome {
    let all = transcripts()?;
    for agent in BUILT_IN.iter().filter(|agent| agent.name() != "text") {
        assert!(all.iter().any(|one| one.agent == agent.name()), "{}", agent.name());
    }
    Ok(())
}

#[test]
fn every_captured_call_ends_as_the_table_says() -> Outcome {
    let mut wrong = Vec::new();
    for one in transcripts()? {
        for first in [First::Stderr, First::Stdout] {
            let report = read(&one, &one.stdout, first, &mut || usize::MAX).report;
            if name(&report.ending) != one.ending {
                wrong.push(format!("{}/{}: {:?}", one.agent, one.scenario, report.ending));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    Ok(())
}

#[test]
fn every_captured_line_is_of_a_known_kind() -> Outcome {
    let mut wrong = Vec::new();
    for one in transcripts()? {
        let report = whole(&one).report;
        let lines = one.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        // A stream that is plain text by nature is the one thing that may be unreadable.
        let expected = if one.ending == "malformed" { 0 } else { lines.count() as u64 };
        if report.understood != expected || (report.unreadable > 0) != (one.ending == "malformed") {
            let (known, odd) = (report.understood, report.unreadable);
            wrong.push(format!(
                "{}/{}: {known} of {expected} understood, {odd} unreadable",
                one.agent, one.scenario
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    Ok(())
}

/// The lengths of the pieces of one random way to cut a stream.
fn pieces(nth: u64, seed: u64) -> impl FnMut() -> usize {
    let mut rng = Rng::new(mix(&[nth, seed]));
    let most = 16 << (seed % 8);
    move || usize::try_from(1 + rng.below(most)).unwrap_or(1)
}

#[test]
fn lines_do_not_depend_on_how_the_bytes_arrive() -> Outcome {
    for (nth, one) in (0..).zip(transcripts()?) {
        for bytes in [&one.stdout, &one.stderr] {
            let open = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            let split = open.split(|byte| *byte == b'\n').map(<[u8]>::to_vec);
            let expected: Vec<_> = split.filter(|_| !bytes.is_empty()).collect();
            for seed in 0..CUTS {
                let mut lines = Vec::new();
                cut_into_lines(bytes, &mut pieces(nth, seed), &mut |line| {
                    lines.push(line.to_vec());
                });
                assert!(lines == expected, "{}/{} cut by seed {seed}", one.agent, one.scenario);
            }
        }
    }
    Ok(())
}

#[test]
fn events_and_report_do_not_depend_on_how_the_bytes_arrive() -> Outcome {
    for (nth, one) in (0..).zip(transcripts()?) {
        let expected = whole(&one);
        let what = format!("{}/{}", one.agent, one.scenario);
        let got = read(&one, &one.stdout, First::Stderr, &mut || 1);
        assert_eq!(got, expected, "{what} byte by byte");
        for seed in 0..READ {
            let got = read(&one, &one.stdout, First::Stderr, &mut pieces(nth, seed));
            assert_eq!(got, expected, "{what} cut by seed {seed}");
        }
    }
    Ok(())
}

#[test]
fn a_stream_that_lost_its_last_line_is_never_finished() -> Outcome {
    for mut one in transcripts()?.into_iter().filter(|one| one.ending == "ok") {
        let open = one.stdout.trim_ascii_end();
        let end = open.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        one.stdout.truncate(end);
        one.exit.stdout_bytes = end as u64;
        for code in [0, 1] {
            one.exit.code = Some(code);
            let ending = whole(&one).report.ending;
            assert_ne!(ending, Ending::Ok, "{}/{}, exit {code}", one.agent, one.scenario);
        }
    }
    Ok(())
}

#[test]
fn line_ends_do_not_change_what_is_read() -> Outcome {
    for one in transcripts()? {
        let expected = whole(&one);
        let what = format!("{}/{}", one.agent, one.scenario);
        let open = one.stdout.strip_suffix(b"\n").unwrap_or(&one.stdout);
        let got = read(&one, open, First::Stderr, &mut || 100);
        assert_eq!(got, expected, "{what} without its last newline");
        let text = String::from_utf8(one.stdout.clone())?.replace('\n', "\r\n");
        let got = read(&one, text.as_bytes(), First::Stderr, &mut || 100);
        assert_eq!(got, expected, "{what} with carriage returns");
    }
    Ok(())
}

#[test]
fn captured_streams_give_these_events() -> Outcome {
    for one in transcripts()? {
        let Read { events, report } = whole(&one);
        let mut lines = events.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        lines.push(String::new());
        lines.push(format!("ending {}", serde_json::to_string(&report.ending)?));
        lines.push(format!("usage {}", serde_json::to_string(&report.usage)?));
        lines.push(format!("session {:?}, model {:?}", report.session, report.model));
        lines.push(format!(
            "tools {}, errors {}, denials {}",
            report.tools, report.tool_errors, report.denials
        ));
        lines.push(format!("handoff {}", serde_json::to_string(&report.handoff)?));
        lines.push(format!("reset hint {:?}", report.reset_hint));
        lines.push(format!("last message {:?}", report.last_message));
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(format!("snapshots/{}", one.agent));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(one.scenario.as_str(), lines.join("\n")));
    }
    Ok(())
}
