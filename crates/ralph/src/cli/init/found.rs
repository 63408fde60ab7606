//! What `ralph init` found, and what is still missing, in words.

use std::path::Path;

use ralph_core::{
    next_command::{Obstacle, Situation, Work, next_command},
    settings::{Sandbox, SandboxMode},
};
use ralph_engine::project_file;

use crate::{
    context::{Block, Entry, Line, Tone, next_step},
    session::{agents::Found, enclosure, gate_detection::FoundGate, probe::GitState, situation},
    words,
};

/// What was found, one line per matter.
pub(super) fn block(
    git: &GitState,
    (agents, named): (&[Found], Option<&str>),
    gates: &[FoundGate],
) -> Block {
    let absent = agents.iter().filter(|found| found.path.is_none());
    let absent: Vec<&str> = absent.map(|found| found.name.as_str()).collect();
    let mut present: Vec<String> = agents.iter().filter_map(Found::with_version).collect();
    for name in &mut present {
        // A version stays beside its agent where the line is broken.
        *name = name.replace(' ', "\u{a0}");
    }
    if present.is_empty() {
        let known = absent.join(", ");
        present.push(format!("none of {known} found; install one, or name your own program"));
    } else if !absent.is_empty() {
        present.push(format!("not found: {}", absent.join(", ")));
    }
    let commands: Vec<String> = gates.iter().map(FoundGate::line).collect();
    let mut from: Vec<&str> = gates.iter().map(|gate| gate.from.as_str()).collect();
    from.dedup();
    let gates = if gates.is_empty() {
        "none found; name one with --gate, or add it to the settings".into()
    } else {
        format!("{}   from {}", commands.join(" · "), words::list(&from))
    };
    vec![
        matter("git", git_words(git)),
        matter(
            "agents",
            named.map_or_else(|| present.join("   "), |name| format!("{name}, as asked")),
        ),
        matter("gates", gates),
        matter("sandbox", sandbox()),
    ]
}

/// What keeps agents in here if nobody says otherwise.
fn sandbox() -> String {
    let auto = Sandbox { mode: SandboxMode::Auto, ..Sandbox::default() };
    match enclosure::tried(&auto) {
        Ok(chosen) => format!("{}, tested and working", chosen.isolation.backend),
        Err(error) => {
            [vec![error.to_string()], error.why(), vec![error.help()]].concat().join("; ")
        }
    }
}

/// One matter and what is to be said of it.
pub(crate) fn matter(name: &str, text: String) -> Entry {
    Entry::Wrapped {
        lead: Line::new().add(Tone::Accent, format!("  {name:<9}")),
        indent: 11,
        tone: Tone::Plain,
        text,
    }
}

/// Where git stands, in words.
pub(crate) fn git_words(state: &GitState) -> String {
    match state {
        GitState::Missing => "not found".into(),
        GitState::NoRepository => "not a git repository".into(),
        GitState::Refused { why, help } => format!("{why} ({help})"),
        GitState::Bare => "a bare repository".into(),
        GitState::Repository { branch, changed, untracked, has_commits } => {
            let mut parts = vec![match changed {
                0 => "clean".to_owned(),
                n => format!("{} changed", words::count(*n as u64, "file")),
            }];
            if *untracked > 0 {
                parts.push(format!("{untracked} untracked"));
            }
            parts.push(match branch {
                Some(branch) => format!("branch {branch}"),
                None => "detached HEAD".into(),
            });
            if !has_commits {
                parts.push("no commit yet".into());
            }
            parts.join(", ")
        }
    }
}

/// Everything that is still missing before a run can start, and the run.
pub(super) fn next(root: &Path, (has_agent, has_gates): (bool, bool), plan: &Path) -> String {
    let mut obstacles = situation::of_folder(root);
    let missing = [(has_agent, Obstacle::NoAgent), (has_gates, Obstacle::NoGate)];
    obstacles.extend(missing.into_iter().filter(|(is_there, _)| !is_there).map(|(_, one)| one));
    let work = if has_tasks(plan) { Work::Planned } else { Work::NothingPlanned };
    next_command(&Situation { obstacles, work }).to_string()
}

/// The same where only a plan was written: an example is made the user's own first.
pub(super) fn next_of_plan(root: &Path, is_example: bool) -> String {
    let mut obstacles = situation::of_folder(root);
    let edit = is_example.then(|| Obstacle::Other { help: "edit .ralph/plan.json".into() });
    obstacles.extend(edit);
    let work = if is_example { Work::Planned } else { Work::NothingPlanned };
    next_command(&Situation { obstacles, work }).to_string()
}

/// Whether a plan is there that says what to do; one that cannot be read is for a person to look at.
fn has_tasks(plan: &Path) -> bool {
    let Ok(text) = project_file::text(plan, project_file::LARGEST) else { return false };
    ralph_core::plan::formats::plan_json::parse(&text).map_or(true, |plan| !plan.tasks.is_empty())
}

/// What was written, where, and what comes next.
pub(super) fn closing(wrote: &[&str], elsewhere: Option<&Path>, next: &str) -> Block {
    let place = elsewhere.map(|root| format!(" in {}", root.display())).unwrap_or_default();
    let text = format!("wrote {}{place}", words::list(wrote));
    vec![Entry::text(0, Tone::Plain, text), next_step(next)]
}
