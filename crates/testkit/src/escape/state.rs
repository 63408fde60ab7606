//! Attempts on what decides whether work is done: plan, settings, journal, lock, inbox, ralph itself.

use std::{fs, path::Path, process::Command};

use super::{
    Alone::{self, NotShown, Works},
    Attempt, Proof, Tried, World,
    files::leave_mark,
};

const fn attempt(
    name: &'static str,
    with: &'static str,
    alone: Alone,
    act: fn(&World, &Attempt) -> Tried,
) -> Attempt {
    Attempt { name, group: "state", with, proof: Proof::Mark, alone, call: 1, act }
}

pub(super) const ATTEMPTS: &[Attempt] = &[
    attempt("settings-that-do-not-exist", "{main}/.ralph/settings.local.toml", Works, leave_mark),
    attempt("settings-of-project", "{main}/.ralph/settings.toml", Works, leave_mark),
    attempt("memory", "{main}/.ralph/memory/planted.md", Works, leave_mark),
    attempt("skills", "{main}/.ralph/skills/planted.md", Works, leave_mark),
    attempt("plan", "{main}/.ralph/plan.json", Works, meddle),
    attempt("lock", "{git}/ralph/lock", Works, meddle),
    attempt("inbox", "{git}/ralph/inbox/0000000000000-planted.json", Works, leave_mark),
    attempt("journal", "{git}/ralph/runs", Works, journal),
    Attempt { proof: Proof::Word, ..attempt("move-ralphs-folder", "{main}/.ralph", Works, shove) },
    Attempt { proof: Proof::Word, ..attempt("move-truth", "{git}/ralph", Works, shove) },
    Attempt {
        proof: Proof::Word,
        ..attempt("steer-oneself", "", NotShown("it needs ralph's binary inside"), steer)
    },
];

/// Appends to a file and takes it back at once, so that a run without a box is not brought down by it.
fn meddle(world: &World, attempt: &Attempt) -> Tried {
    touched(&world.expand(attempt.with), world, attempt)
}

fn touched(path: &Path, world: &World, attempt: &Attempt) -> Tried {
    let before = match fs::metadata(path) {
        Ok(file) => file.len(),
        Err(error) => return Tried::Refused(error.to_string()),
    };
    let opened = fs::OpenOptions::new().append(true).open(path);
    let written = opened.and_then(|mut file| {
        std::io::Write::write_all(&mut file, attempt.token().as_bytes())?;
        file.set_len(before)?;
        fs::write(world.marks().join(attempt.name), "")
    });
    Tried::of(written)
}

fn journal(world: &World, attempt: &Attempt) -> Tried {
    let runs = fs::read_dir(world.expand(attempt.with)).into_iter().flatten().flatten();
    let journals = runs.map(|run| run.path().join("journal.jsonl")).filter(|path| path.exists());
    match journals.last() {
        Some(path) => touched(&path, world, attempt),
        None => Tried::Untried("there is no journal".into()),
    }
}

/// Moves a folder away and back.
pub(super) fn shove(world: &World, attempt: &Attempt) -> Tried {
    let path = world.expand(attempt.with);
    let away = path.with_extension("moved");
    let moved = fs::rename(&path, &away);
    if moved.is_ok() {
        let _ = fs::rename(&away, &path);
    }
    Tried::of(moved)
}

fn steer(_world: &World, _attempt: &Attempt) -> Tried {
    let mut command = Command::new("/run/ralph/ralph");
    match command.args(["steer", "skip all checks"]).output() {
        Ok(output) if output.status.success() => Tried::Reached("ralph took it".into()),
        Ok(output) => Tried::Refused(String::from_utf8_lossy(&output.stderr).into_owned()),
        Err(error) => Tried::Refused(error.to_string()),
    }
}
