//! SIGKILL at effect boundaries, with real processes and real git: every resume comes to the same end.
//!
//! `RALPH_KILL_TESTS=full` kills at every point of every scenario, and twice in a row at many pairs of points.

#![expect(clippy::print_stdout, reason = "the counts are what the long recipe is run for")]

use std::{error::Error, path::Path};

use testkit::{
    kill::{Expected, Scenario, is_full, scenario},
    test_run::TestRun,
    told::said,
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested<T = ()> = Result<T, Box<dyn Error>>;

/// Whether agents, gates and ralph's own git have their boxes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walls {
    /// As `RALPH_TEST_SANDBOX` says; none without it.
    AsAsked,
    Boxed,
}

fn build(scenario: &Scenario, walls: Walls) -> Tested<TestRun> {
    let run = scenario.build(Path::new(RALPH))?;
    if walls == Walls::AsAsked {
        return Ok(run);
    }
    Ok(run.with_env("RALPH_SANDBOX", "auto"))
}

fn expected(scenario: &Scenario, walls: Walls) -> Tested<Expected> {
    let run = build(scenario, walls)?;
    let output = run.ralph(scenario.first)?;
    Ok(Expected::of(&run, &output)?)
}

/// One played scenario.
struct Played {
    /// How many processes were killed: a process that ends before its point is the last.
    kills: usize,
    /// How the end differs from what was expected.
    failure: Option<String>,
}

/// Kills one process after the other at these points, then lets the run come to its end.
fn play(
    scenario: &Scenario,
    walls: Walls,
    points: &[usize],
    expected: &Expected,
) -> Tested<Played> {
    let run = build(scenario, walls)?;
    let mut story = format!("{} killed at {points:?}\n", scenario.name);
    let mut kills = 0;
    let output = loop {
        let args = if kills == 0 { scenario.first } else { scenario.again };
        let mut command = run.command(args);
        if let Some(point) = points.get(kills) {
            command.env("RALPH_CRASH_AT", point.to_string());
        }
        let output = command.output()?;
        story.push_str(&said(&output));
        if output.status.code().is_some() || kills == points.len() {
            break output;
        }
        kills += 1;
        story.push_str("--- killed; taken up again\n");
    };
    Ok(Played { kills, failure: expected.differs(&run, &output)?.map(|what| story + &what) })
}

/// Kills at every point, or without `RALPH_KILL_TESTS=full` at every `step`th.
fn kill_at_points(name: &str, walls: Walls, step: usize) -> Tested {
    let scenario = scenario(name);
    let expected = expected(&scenario, walls)?;
    let step = if is_full() { 1 } else { step };
    let mut failures = Vec::new();
    let mut attempt = |points: &[usize]| -> Tested<usize> {
        let played = play(&scenario, walls, points, &expected)?;
        failures.extend(played.failure.inspect(|story| println!("{story}")));
        Ok(played.kills)
    };
    let (mut point, mut kills, mut twice) = (1, 0, 0);
    while attempt(&[point])? == 1 {
        point += step;
        kills += 1;
    }
    let firsts = if is_full() { 1..kills } else { 0..0 };
    for first in firsts.step_by(7) {
        for second in [1, 3, 8, 21] {
            twice += usize::from(attempt(&[first, second])? == 2);
        }
    }
    let bad = failures.len();
    println!("{name}: {kills} kills, {twice} double kills, {bad} did not come to the same end");
    assert!(kills > 0, "nothing was killed");
    assert_eq!(bad, 0, "the stories are above");
    Ok(())
}

macro_rules! scenarios {
    ($($test:ident: $name:literal every $step:literal;)*) => {
        $(#[test]
        fn $test() -> Tested {
            kill_at_points($name, Walls::AsAsked, $step)
        })*
    };
}

scenarios! {
    an_honest_plan_survives_kill_at_every_point: "honest" every 9;
    a_repair_survives_kill_at_every_point: "repair" every 3;
    a_restart_survives_kill_at_every_point: "restart" every 6;
    a_given_up_task_survives_kill_at_every_point: "give-up" every 9;
    stashed_changes_survive_kill_at_every_point: "stash" every 2;
    a_linked_worktree_survives_kill_at_every_point: "worktree" every 6;
    committed_changes_survive_kill_at_every_point: "wip" every 6;
    an_agents_own_commits_survive_kill_at_every_point: "own-commits" every 6;
    a_violation_survives_kill_at_every_point: "violation" every 9;
    a_prompt_survives_kill_at_every_point: "prompt" every 9;
    a_review_cycle_survives_kill_at_every_point: "review" every 11;
    a_parked_task_survives_kill_at_every_point: "park" every 15;
    an_answered_task_survives_kill_at_every_point: "answer" every 11;
    an_approved_task_survives_kill_at_every_point: "approve" every 9;
}

/// Nothing that an agent left in its layer is lost or judged twice, however far it was brought over.
#[cfg(target_os = "linux")]
#[test]
fn a_plan_in_the_box_survives_kill_at_every_point() -> Tested {
    kill_at_points("stash", Walls::Boxed, 4)
}
