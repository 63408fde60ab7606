//! Scripted events of steering and of compactions, in whatever run they come.

use ralph_core::{
    event::Event,
    memory::{
        compaction::{Compaction, CompactionStart, Compactor, Trigger},
        context::Context,
    },
    vocabulary::Steer,
};

use super::scripts::{Beat, Script};

/// Words, a pause and its end, a compaction by an agent and one that ralph had to make itself.
pub(crate) fn steered() -> Vec<Beat> {
    let mut script = Script::empty();
    let word = Steer::new(Some("T-001".into()), "call it Ada\nand mind the tests");
    script.decide(vec![Event::Steered { word, ends_call: true }]);
    script.decide(vec![Event::Steered { word: Steer::new(None, "be brief"), ends_call: false }]);
    script.decide(vec![Event::PauseRequested { ends_call: false }]);
    script.decide(vec![Event::Paused]);
    script.pass(90).decide(vec![Event::Unpaused]);
    script.decide(vec![Event::CompactionBegan(CompactionStart {
        number: 1,
        after: 5,
        why: Trigger::Interval { iterations: 5 },
        agent: "claude".into(),
        model: "opus".into(),
        libraries: vec!["serde".into()],
    })]);
    let agent = Compactor::Agent { agent: "claude".into(), model: "opus".into() };
    let built_in = Compactor::BuiltIn { why: "claude crashed".into() };
    for (number, by) in [(1, agent), (2, built_in)] {
        script.pass(20).decide(vec![Event::MemoryCompacted(Box::new(Compaction {
            number,
            after: number * 5,
            why: Trigger::Task { task: "T-002".into() },
            by,
            records: 5,
            tokens: 2140,
            left_out: 3,
            context: Context::default(),
        }))]);
    }
    script.beats()
}
