//! SIGKILL of ralph in the middle of its git commands, with and without the git: every resume comes to the same end.
//!
//! `RALPH_KILL_TESTS=full` kills many more times.

#![expect(clippy::print_stdout, reason = "the counts are what the long recipe is run for")]

use std::{error::Error, fs, path::Path};

use testkit::{
    kill::{Expected, Fate, GitTrap, Scenario, is_full, scenario},
    test_run::TestRun,
    told::said,
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Longest that a git command runs before the kill, in tenths of a millisecond.
const LATEST: u64 = 150;

type Tested<T = ()> = Result<T, Box<dyn Error>>;

/// How many git commands ralph starts in an undisturbed run, and how that ends.
fn rehearse(scenario: &Scenario) -> Tested<(usize, Expected)> {
    let run = scenario.build(Path::new(RALPH))?;
    let trap = GitTrap { at: 0, after: 0, fate: Fate::Dies };
    let output = trap.spring(&run, scenario.first)?;
    let expected = Expected::of(&run, &output)?;
    Ok((GitTrap::seen(&run), expected))
}

fn latest_journal(run: &TestRun) -> Option<String> {
    let runs = fs::read_dir(run.work().join(".git/ralph/runs")).ok()?.flatten();
    let newest = runs.map(|entry| entry.path()).max()?;
    fs::read_to_string(newest.join("journal.jsonl")).ok()
}

/// Springs one trap and takes the run up again. Tells how the end differs, if it does.
fn play(scenario: &Scenario, trap: &GitTrap, expected: &Expected) -> Tested<Option<String>> {
    let run = scenario.build(Path::new(RALPH))?;
    let killed = trap.spring(&run, scenario.first)?;
    assert_eq!(killed.status.code(), None, "{trap:?} did not kill\n{}", said(&killed));
    // Before the first decision there is no run yet, so there is nothing that knows the flags.
    let has_begun = latest_journal(&run).is_some_and(|text| text.contains('\n'));
    let output = run.ralph(if has_begun { scenario.again } else { scenario.first })?;
    let story = format!(
        "{} {trap:?} {}\n{}--- killed; taken up again\n{}",
        scenario.name,
        run.read("trap/command"),
        said(&killed),
        said(&output)
    );
    Ok(expected.differs(&run, &output)?.map(|what| story + &what))
}

/// Kills spread over all git commands of a run; where in a command is pseudo-random.
fn kill_inside_git(name: &str, seed: u64) -> Tested {
    let scenario = scenario(name);
    let (commands, expected) = rehearse(&scenario)?;
    let kills = if is_full() { 24 } else { 3 };
    let mut random = seed;
    let mut failures = 0;
    for nth in 0..kills {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let within = commands / kills;
        let jitter = usize::try_from(random >> 40)? % within.max(1);
        let after = (random >> 20) % LATEST;
        let fate = [Fate::Dies, Fate::ComesLate, Fate::Outlives][nth % 3];
        let trap = GitTrap { at: nth * within + jitter + 1, after, fate };
        if let Some(story) = play(&scenario, &trap, &expected)? {
            println!("{story}");
            failures += 1;
        }
    }
    println!(
        "{name}: {kills} kills inside {commands} git commands, {failures} did not come to the same end"
    );
    assert_eq!(failures, 0, "the stories are above");
    Ok(())
}

#[test]
fn stale_locks_and_a_torn_private_index_survive_kill() -> Tested {
    let scenario = scenario("own-commits");
    let (_, expected) = rehearse(&scenario)?;
    for point in [7, 16, 22, 25, 31, 46] {
        let run = scenario.build(Path::new(RALPH))?;
        let killed =
            run.command(scenario.first).env("RALPH_CRASH_AT", point.to_string()).output()?;
        assert_eq!(killed.status.code(), None, "{}", said(&killed));
        let locks = ["index", "HEAD", "packed-refs", "refs/heads/ralph/scratch", "refs/heads/main"];
        for lock in locks {
            run.write(&format!("work/.git/{lock}.lock"), "half")?;
        }
        for entry in fs::read_dir(run.work().join(".git/ralph/runs"))? {
            let index = entry?.path().join("stage/index");
            let bytes = fs::read(&index)?;
            fs::write(&index, bytes.get(..bytes.len() / 2).unwrap_or_default())?;
            fs::write(index.with_extension("lock"), "half")?;
        }
        let output = run.ralph(scenario.again)?;
        let difference = expected.differs(&run, &output)?;
        assert_eq!(difference, None, "killed at {point}\n{}", said(&output));
    }
    Ok(())
}

macro_rules! scenarios {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() -> Tested {
            kill_inside_git($name, line!().into())
        })*
    };
}

scenarios! {
    an_honest_plan_survives_kill_inside_git: "honest";
    a_repair_survives_kill_inside_git: "repair";
    a_restart_survives_kill_inside_git: "restart";
    a_given_up_task_survives_kill_inside_git: "give-up";
    stashed_changes_survive_kill_inside_git: "stash";
    a_linked_worktree_survives_kill_inside_git: "worktree";
    committed_changes_survive_kill_inside_git: "wip";
    an_agents_own_commits_survive_kill_inside_git: "own-commits";
    a_violation_survives_kill_inside_git: "violation";
    a_prompt_survives_kill_inside_git: "prompt";
    a_review_cycle_survives_kill_inside_git: "review";
    a_parked_task_survives_kill_inside_git: "park";
}
