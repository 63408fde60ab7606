//! The tests: that every attempt is a real one, and that none gets out of the box.

use std::{os::unix::fs::PermissionsExt as _, process::Command};

use testkit::escape::{Alone, WELCOME, all};

use crate::{
    Tested,
    ground::{Ground, USER},
    island,
    judge::{Before, Outcome, Verdict},
    sequences,
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Body = fn(u32) -> Tested;

/// Fewest attempts that a run must really have made.
const FEWEST: usize = 200;

/// By name, what is done by whom.
pub(crate) const TESTS: &[(&str, (Body, u32))] = &[
    ("every_attempt_is_a_real_one_as_root", (without_a_box, 0)),
    ("every_attempt_is_a_real_one_as_user", (without_a_box, USER)),
    ("nothing_gets_out_of_bubblewrap_as_root", (in_the_box, 0)),
    ("nothing_gets_out_of_bubblewrap_as_user", (in_the_box, USER)),
    ("nothing_gets_out_of_a_linked_worktree", (in_a_linked_worktree, USER)),
    ("no_sequence_gets_through_as_root", (no_sequence_gets_through, 0)),
    ("no_sequence_gets_through_as_user", (no_sequence_gets_through, USER)),
    ("every_sequence_is_a_real_one", (every_sequence_is_a_real_one, USER)),
];

/// Runs the tests that are named, each on an island of its own; all if none is.
pub(crate) fn cross(args: &[&str]) -> Tested {
    let names: Vec<&str> = args.iter().copied().filter(|arg| !arg.starts_with("--")).collect();
    let wanted = |name: &str| names.is_empty() || names.contains(&name);
    for (name, _) in TESTS.iter().filter(|(name, _)| wanted(name)) {
        let status = island::cross(&[name])?;
        if !status.success() {
            return Err(format!("{name}: {status}").into());
        }
    }
    Ok(())
}

/// The test of this name, or a line of the table, on the island.
pub(crate) fn begin(name: &str, rest: &[&str]) -> Tested {
    if let ["row", mode, user, path] = rest {
        let outcomes = run(user.parse()?, mode, "code/work")?.1;
        return crate::table::save(path.as_ref(), &outcomes);
    }
    if let ["sequences", mode, user, path] = rest {
        let came = sequences::of_backend(user.parse()?, mode)?;
        return crate::table::save_sequences(path.as_ref(), &came);
    }
    match TESTS.iter().find(|(known, _)| *known == name) {
        Some((_, (body, user))) => body(if island::has_users() { *user } else { 0 }),
        None => Err(format!("there is no test {name}").into()),
    }
}

/// Runs ralph in a new world, and judges what its agent and its gate tried.
pub(crate) fn run(
    user: u32,
    mode: &str,
    work: &str,
) -> Result<(String, Vec<Outcome>), Box<dyn std::error::Error>> {
    let mut ground = Ground::new(user, work)?;
    let before = Before::of(&ground.world);
    let mut command = ground.command(RALPH)?;
    command.args(["run", &format!("--sandbox={mode}")]);
    let (code, said) = ground.as_ralph(command)?;
    for private in ["{git}/ralph", "{home}/.local/state/ralph", "{main}/.ralph/runs"] {
        let path = ground.world.expand(private);
        let mode = std::fs::metadata(&path)?.permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} can be seen by others; {said}", path.display());
    }
    // What people ask afterwards meets the same tree and the same programs.
    for question in ["status", "doctor", "report"] {
        ground.command(RALPH)?.arg(question).output()?;
    }
    let outcomes = ["agent", "gate"].map(|whose| Outcome::of(&mut ground, &before, whose));
    if let Some(kept) = std::env::var_os("RALPH_ESCAPES_KEPT") {
        Command::new("cp").arg("-r").arg(ground.world.folder()).arg(kept).status()?;
    }
    Ok((format!("ralph ended with {code:?}: {said}"), outcomes.into()))
}

fn without_a_box(user: u32) -> Tested {
    let mut ground = Ground::new(user, "code/work")?;
    let before = Before::of(&ground.world);
    let artist = ground.world.own("artist");
    let mut stand_in = ground.command(&artist)?.args(["linger", "ralph"]).spawn()?;
    ground.name_ralph(&stand_in)?;
    ground.pretend_a_run()?;
    for call in ["1", "2", "3", "4"] {
        let status = ground.command(&artist)?.args(["call", call]).status()?;
        assert!(status.success(), "call {call}: {status}");
        ground.host_git()?;
    }
    stand_in.kill()?;
    stand_in.wait()?;
    let outcome = Outcome::of(&mut ground, &before, "agent");
    let is_expected = |alone: Alone| match alone {
        Alone::Works => true,
        // Root of a user namespace is not root of the machine.
        Alone::WorksAsRoot => user == 0 && island::has_users(),
        Alone::Depends(_) | Alone::NotShown(_) => false,
    };
    let wrong: Vec<String> = all()
        .into_iter()
        .filter(|attempt| is_expected(attempt.alone))
        .filter(|attempt| outcome.verdict(attempt) != Verdict::Escaped)
        .map(|attempt| outcome.tell(attempt))
        .collect();
    assert!(wrong.is_empty(), "these are no real attempts:\n{}", wrong.join("\n"));
    Ok(())
}

fn in_the_box(user: u32) -> Tested {
    let (said, mut outcomes) = run(user, "bubblewrap", "code/work")?;
    // Where nobody may make control groups, root's processes have no bound, and the guarantee says so.
    let unbound = user == 0 && said.contains("no control groups here");
    for outcome in &mut outcomes {
        if unbound {
            outcome.seen.remove("fork-without-end");
        }
        check(&said, outcome, FEWEST);
    }
    assert!(!said.contains("\u{1b}]"), "control sequences reached the terminal: {said:?}");
    Ok(())
}

/// The agent's worktree is a linked one: row I.
fn in_a_linked_worktree(user: u32) -> Tested {
    let (said, outcomes) = run(user, "bubblewrap", "code/third")?;
    for outcome in &outcomes {
        check(&said, outcome, FEWEST);
    }
    Ok(())
}

fn check(said: &str, outcome: &Outcome, fewest: usize) {
    let told = |verdict| {
        let found = outcome.that(verdict).into_iter().map(|attempt| outcome.tell(attempt));
        found.collect::<Vec<_>>().join("\n")
    };
    let closed = WELCOME.iter().filter(|welcome| outcome.verdict(welcome) != Verdict::Escaped);
    let closed: Vec<String> = closed.map(|welcome| outcome.tell(welcome)).collect();
    assert!(closed.is_empty(), "this must work in a box:\n{}\n{said}", closed.join("\n"));
    let escaped = told(Verdict::Escaped);
    assert!(escaped.is_empty(), "these got out:\n{escaped}\n{said}");
    let held = outcome.that(Verdict::Held).len();
    assert!(held >= fewest, "only {held} were held; not tried:\n{}", told(Verdict::Untried));
}

fn no_sequence_gets_through(user: u32) -> Tested {
    sequences::check(&std::env::var("RALPH_ESCAPES_BOX").unwrap_or("auto".into()), user)
}

fn every_sequence_is_a_real_one(user: u32) -> Tested {
    sequences::check_alone(user)
}
