//! How the calls of each kind ended, read from the journals of all runs of a project.

use std::{collections::BTreeMap, io};

use serde_json::Value;
use testkit::test_run::TestRun;

/// Kinds of call, and for each kind the event that follows only from a call that ended well.
const PROOFS: [(&str, &str); 6] = [
    ("plan", "plan_drafted"),
    ("implement", "committed"),
    ("review", "reviewed"),
    ("fix", "committed"),
    ("compact", "memory_compacted"),
    ("prompt", "committed"),
];

/// Endings of the calls of each kind, with their number; `ok` only where the call's proof is in the journal.
pub(crate) type Kinds = BTreeMap<String, BTreeMap<String, usize>>;

/// See [`Kinds`].
pub(crate) fn of(run: &TestRun) -> io::Result<Kinds> {
    let mut kinds = Kinds::new();
    let mut call: Option<(String, String)> = None;
    for event in run.journal()? {
        let name = event["event"].as_str().unwrap_or_default();
        let started = match name {
            "iteration_started" => event["kind"].as_str(),
            "compaction_began" => Some("compact"),
            _ => None,
        };
        if let Some(kind) = started {
            add(&mut kinds, call.replace((kind.into(), "no end".into())));
        } else if let Some((kind, ending)) = &mut call {
            if name == "agent_ended" {
                let how = event["ending"]["how"].as_str().unwrap_or("?");
                *ending = if how == "ok" { "no effect" } else { how }.into();
            } else if ending == "no effect" && proves(kind, name, &event) {
                *ending = "ok".into();
            }
        }
    }
    add(&mut kinds, call);
    Ok(kinds)
}

/// In the words of the table: `2 ok, usage_limit`.
pub(crate) fn words(endings: &BTreeMap<String, usize>) -> String {
    let counted = endings.iter().map(|(ending, times)| match times {
        1 => ending.clone(),
        n => format!("{n} {ending}"),
    });
    counted.collect::<Vec<_>>().join(", ")
}

fn proves(kind: &str, name: &str, event: &Value) -> bool {
    // ralph compacts itself where the agent's answer is of no use.
    let is_agents = name != "memory_compacted" || event["by"]["compactor"] == "agent";
    is_agents && PROOFS.contains(&(kind, name))
}

fn add(kinds: &mut Kinds, call: Option<(String, String)>) {
    if let Some((kind, ending)) = call {
        *kinds.entry(kind).or_default().entry(ending).or_default() += 1;
    }
}
