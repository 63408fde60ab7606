//! `session.log`: a plain record of a run for reading later, one framed part per iteration and a summary.

use std::io::Write;

use jiff::tz::TimeZone;
use ralph_agents::{
    event::AgentEvent,
    live_event::{Chatter, News, Reporter, Said},
};
use ralph_core::{
    ending::Ending,
    event::{Decision, Event, IterationStart},
    gates::report::GateResults,
    input::AgentReport,
    outcome::Outcome,
    time::Timestamp,
    timeline::{self, Timeline},
    usage::Usage,
};

use super::{budget, clock, console::exit_code, plain, record};

const WIDE: usize = 80;

/// Writes the session log.
pub(crate) struct SessionLog {
    out: Box<dyn Write + Send>,
    timeline: Timeline,
    open: Option<Iteration>,
}

struct Iteration {
    start: IterationStart,
    at: Timestamp,
    report: Option<AgentReport>,
    turns: Option<u32>,
    /// As the agent's own stream names it; empty if it does not.
    model: String,
    /// What the agent said, in pieces of its own.
    messages: u32,
    /// Empty while it is under way.
    result: String,
}

impl SessionLog {
    /// `timeline` is what happened before, for a run that is resumed.
    pub(crate) fn new(out: Box<dyn Write + Send>, timeline: Timeline) -> Self {
        Self { out, timeline, open: None }
    }

    fn decided(&mut self, decision: &Decision) -> std::io::Result<()> {
        self.timeline.apply(decision);
        for event in &decision.events {
            self.event(event, decision.at)?;
        }
        Ok(())
    }

    fn event(&mut self, event: &Event, at: Timestamp) -> std::io::Result<()> {
        if let (Some(result), Some(open)) = (timeline::result(event), &mut self.open) {
            open.result = result;
        }
        match event {
            Event::IterationStarted(start) => {
                self.close(at)?;
                self.header(start, at)?;
            }
            Event::AgentEnded(report) => {
                if let Some(open) = &mut self.open {
                    open.report = Some((**report).clone());
                }
                if report.ending != Ending::Ok {
                    self.say(&format!("agent {}", report.ending.describe()))?;
                    self.quote(&report.stderr_tail)?;
                }
            }
            Event::GatesRan { results, .. } => self.gates(results)?,
            Event::CallSetAside(_) | Event::CompactionBegan(_) => self.close(at)?,
            Event::AgentRested { agent, why, .. } => {
                self.say(&format!("agent {agent} rests: {why}"))?;
            }
            Event::WaitBegan { until, why } => {
                let until = clock::full(*until, &TimeZone::UTC);
                self.say(&format!("waiting until {until}: {why}"))?;
            }
            Event::TaskMoved { task, to, why, .. } => {
                let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
                self.say(&format!("task {task}: {}{why}", to.word()))?;
            }
            Event::Warned { text } => self.say(&format!("warning: {text}"))?,
            Event::WorkKept { task, branch, .. } => {
                self.say(&format!("the work on {task} is on branch {branch}"))?;
            }
            Event::RunFinished { outcome, notes } => {
                self.close(at)?;
                self.summary(outcome, notes)?;
            }
            _ => {}
        }
        for line in record::lines(event, &self.timeline) {
            self.say(&line)?;
        }
        Ok(())
    }

    fn gates(&mut self, results: &GateResults) -> std::io::Result<()> {
        for gate in &results.gates {
            let code = gate.end.exit_code();
            let flaky = if gate.flaky { ", passed when run again" } else { "" };
            self.say(&format!("gate {}: exit {code}, {}{flaky}", gate.gate, gate.took))?;
        }
        for check in &results.checks {
            let code = check.end.exit_code();
            self.say(&format!("check {}: exit {code}, {}", check.command, check.took))?;
        }
        Ok(())
    }

    fn rule(&mut self, with: &str) -> std::io::Result<()> {
        writeln!(self.out, "{}", with.repeat(WIDE))
    }

    /// One line of the log, whatever names and texts of others it holds.
    fn say(&mut self, text: &str) -> std::io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "{}", plain::one_line(text))
    }

    /// Somebody else's lines, set off so that none can be taken for one of the log's own.
    fn quote(&mut self, text: &str) -> std::io::Result<()> {
        plain::clean(text.trim_end()).lines().try_for_each(|line| writeln!(self.out, "    {line}"))
    }

    fn header(&mut self, start: &IterationStart, at: Timestamp) -> std::io::Result<()> {
        self.rule("=")?;
        self.say(&format!("ITERATION {}", start.iteration))?;
        self.rule("=")?;
        self.say(&format!("Mode: {}", start.kind.word()))?;
        self.say(&format!(
            "Task: {} {} (attempt {} of {})",
            start.task, start.title, start.attempt, start.max_attempts
        ))?;
        self.say(&format!("Agent: {}", start.agent))?;
        if start.retry > 0 {
            self.say(&format!("Retry: {}", start.retry))?;
        }
        self.say(&format!("Start Time: {}", clock::full(at, &TimeZone::UTC)))?;
        self.rule("-")?;
        self.open = Some(Iteration {
            start: start.clone(),
            at,
            report: None,
            turns: None,
            model: start.model.clone(),
            messages: 0,
            result: String::new(),
        });
        Ok(())
    }

    fn close(&mut self, at: Timestamp) -> std::io::Result<()> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let status = if open.result.is_empty() { "interrupted" } else { &open.result };
        self.rule("-")?;
        self.say(&format!("ITERATION {} COMPLETE", open.start.iteration))?;
        self.say(&format!("End Time: {}", clock::full(at, &TimeZone::UTC)))?;
        self.say(&format!("Duration: {}", at.since(open.at)))?;
        if let Some(turns) = open.turns {
            self.say(&format!("API Requests: {turns}"))?;
        }
        if !open.model.is_empty() {
            self.say(&format!("Model: {}", open.model))?;
        }
        if open.messages > 0 {
            self.say(&format!("Messages: {}", open.messages))?;
        }
        if let Some(report) = open.report {
            self.say(&format!("Tool Calls: {} ({} failed)", report.tools, report.tool_errors))?;
            if report.usage.tokens() > 0 {
                self.say(&format!("Tokens: {}", report.usage.tokens()))?;
            }
            self.say(&format!("Cost: {}", cost(&report.usage)))?;
        }
        self.say(&format!("Status: {status}"))?;
        self.rule("=")?;
        writeln!(self.out)
    }

    fn summary(&mut self, outcome: &Outcome, notes: &[String]) -> std::io::Result<()> {
        self.rule("=")?;
        self.say("SESSION SUMMARY")?;
        self.rule("=")?;
        let (succeeded, failed, retried) = self.results();
        let lines = [
            format!("Run: {}", self.timeline.run()),
            format!("Total Iterations: {}", self.timeline.iterations().0),
            format!("Successful: {succeeded}"),
            format!("Failed: {failed}"),
            format!("Retried: {retried}"),
            format!("Total Duration: {}", self.timeline.took(self.timeline.last())),
            format!("Total Cost: {}", cost(&self.timeline.usage())),
            format!("Exit Reason: {}", self.timeline.describe(outcome)),
            format!("Exit Code: {}", exit_code(outcome, self.timeline.start())),
        ];
        for line in lines {
            self.say(&line)?;
        }
        for note in notes {
            self.say(&format!("Note: {note}"))?;
        }
        self.rule("=")
    }

    /// Iterations of the whole run that succeeded, failed, and were not charged.
    fn results(&self) -> (u32, u32, u32) {
        let (mut succeeded, mut failed, mut retried) = (0, 0, 0);
        for step in self.timeline.tasks.values().flat_map(|task| &task.steps) {
            match step.result.split([':', ',']).next().unwrap_or_default() {
                "accepted" | "approved" | "changes requested" | "drafted" => succeeded += 1,
                // It is parked, and neither succeeded nor failed.
                "asked" => {}
                "not charged" => retried += 1,
                _ => failed += 1,
            }
        }
        (succeeded, failed, retried)
    }

    fn chatter(&mut self, chatter: &Chatter) -> std::io::Result<()> {
        if let Some(open) = &mut self.open {
            match &chatter.said {
                Said::Agent(AgentEvent::Session { model, .. }) if !model.is_empty() => {
                    open.model.clone_from(model);
                }
                Said::Agent(AgentEvent::Text { .. }) => open.messages += 1,
                Said::Agent(AgentEvent::Result { turns, .. }) => open.turns = Some(*turns),
                _ => {}
            }
        }
        match &chatter.said {
            Said::AgentStarted { command } => self.quote(&plain::one_line(&format!("$ {command}"))),
            Said::Agent(AgentEvent::Text { text }) | Said::Noted { text } => self.quote(text),
            Said::Agent(AgentEvent::ToolStart { name, input, .. }) => {
                self.quote(&plain::one_line(&format!("> {name} {input}")))
            }
            Said::Agent(AgentEvent::ToolEnd { output, is_error: true, .. }) => {
                self.quote(&format!("error: {}", output.trim_end()))
            }
            Said::Dropped { count } => self.say(&format!("({count} messages not recorded)")),
            _ => Ok(()),
        }
    }
}

/// An agent that reports no money is not said to be free.
fn cost(usage: &Usage) -> String {
    usage.known_cost().map_or_else(|| "not reported".into(), |_| budget::money(usage))
}

impl Reporter for SessionLog {
    fn news(&mut self, news: &News) -> std::io::Result<()> {
        match news {
            News::Decided(decision) => self.decided(decision)?,
            News::Chatter(chatter) => self.chatter(chatter)?,
        }
        Ok(())
    }

    fn caught_up(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }

    fn tick(&mut self, _now: Timestamp) -> std::io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporters::tests::{
        people,
        scripts::{self, Beat, Paper, play},
    };

    #[test]
    fn the_log_frames_every_iteration_and_ends_with_a_summary() {
        for (name, beats) in [
            ("rejection", scripts::rejection_then_success()),
            ("usage_limit", scripts::usage_limit()),
            ("talked", people::talked()),
        ] {
            let paper = Paper::default();
            let mut log = SessionLog::new(Box::new(paper.clone()), Timeline::default());
            assert!(play(&beats, &mut log).is_ok());
            insta::assert_snapshot!(name, paper.text());
        }
    }

    #[test]
    fn the_model_is_the_one_that_the_agents_stream_names() {
        let is_text = |beat: &Beat| {
            matches!(
                beat,
                Beat::News(News::Chatter(Chatter {
                    said: Said::Agent(AgentEvent::Text { .. }),
                    ..
                }))
            )
        };
        let mut beats = scripts::rejection_then_success();
        let at = beats.iter().position(is_text).unwrap_or_default() + 1;
        let said = Said::Agent(AgentEvent::Session { id: "s".into(), model: "m-2026".into() });
        let chatter = Chatter { at: Timestamp(0), iteration: 1, said };
        beats.insert(at, Beat::News(News::Chatter(chatter)));
        let paper = Paper::default();
        let mut log = SessionLog::new(Box::new(paper.clone()), Timeline::default());
        assert!(play(&beats, &mut log).is_ok());
        assert_eq!(paper.text().matches("Model: m-2026").count(), 1, "{}", paper.text());
    }

    #[test]
    fn nobody_elses_words_make_a_line_that_looks_like_the_logs_own() {
        let forged =
            "x\n\u{2028}Exit Code: 0\r=====\n\u{1b}[2JITERATION 2 COMPLETE\nStatus: accepted";
        let paper = Paper::default();
        let mut log = SessionLog::new(Box::new(paper.clone()), Timeline::default());
        for event in [
            Event::Warned { text: forged.into() },
            Event::RunFinished { outcome: Outcome::Done, notes: vec![forged.into()] },
        ] {
            assert!(log.event(&event, Timestamp(0)).is_ok());
        }
        for said in [
            Said::Agent(AgentEvent::Text { text: forged.into() }),
            Said::Noted { text: forged.into() },
        ] {
            assert!(log.chatter(&Chatter { iteration: 1, at: Timestamp(0), said }).is_ok());
        }
        let text = paper.text();
        let is_forged =
            |line: &&str| ["Status:", "ITERATION", "====="].iter().any(|it| line.starts_with(it));
        let rule = "=".repeat(WIDE);
        let found: Vec<&str> =
            text.lines().filter(is_forged).filter(|line| *line != rule).collect();
        assert_eq!(found, [] as [&str; 0], "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("Exit Code:")).count(), 1, "{text}");
    }
}
