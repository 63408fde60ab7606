//! Captured streams of real agents as a person sees them: one iteration each.

use ralph_core::{
    effect::AgentCall,
    event::{Event, IterationStart},
    input::AgentReport,
    time::Millis,
    vocabulary::Kind,
};
use testkit::transcripts::{Transcript, transcripts};

use super::tests::{plain_screen, shown};
use crate::reporters::{
    console::Options,
    tests::scripts::{Beat, Script},
};

/// A clock that moves by a second with each line of output.
fn beats(one: &Transcript) -> Vec<Beat> {
    let call = AgentCall { agent: one.agent.clone(), ..AgentCall::default() };
    let mut parser = ralph_agents::of_command(&one.agent).parser(&call);
    let mut script = Script::new();
    script.decide(vec![Event::IterationStarted(IterationStart {
        iteration: 1,
        retry: 0,
        kind: Kind::Implement,
        task: "T-001".into(),
        title: "scaffold".into(),
        attempt: 1,
        max_attempts: 3,
        agent: one.agent.clone(),
        model: String::new(),
    })]);
    let mut events = Vec::new();
    let mut took = 0;
    for (bytes, is_error) in [(&one.stderr, true), (&one.stdout, false)] {
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            if is_error {
                parser.error_line(line, &mut events);
            } else {
                parser.line(line, &mut events);
            }
            took += 1;
            script.pass(1);
            for event in events.drain(..) {
                script.agent(event);
            }
        }
    }
    let report = parser.finish(&one.exit);
    script.decide(vec![Event::AgentEnded(Box::new(AgentReport {
        ending: report.ending,
        claimed: false,
        handoff: report.handoff,
        last_words: report.last_message,
        stderr_tail: one.exit.stderr_tail.clone(),
        usage: report.usage,
        took: Millis::secs(took),
        session: report.session,
        tools: report.tools,
        tool_errors: report.tool_errors,
        denials: report.denials,
        leftovers: 0,
        traffic: Vec::new(),
    }))]);
    script.beats()
}

#[test]
fn every_captured_stream_is_shown_as_its_snapshot_says() -> std::io::Result<()> {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("snapshots/streams");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for one in transcripts()? {
        let text = shown(&beats(&one), plain_screen(100), Options::default());
        let begins = text.find('▶').unwrap_or_default();
        let iteration = text.get(begins..).unwrap_or_default();
        let name = format!("{}__{}", one.agent, one.scenario);
        settings.bind(|| insta::assert_snapshot!(name, iteration));
    }
    Ok(())
}
