//! Whole runs, simulated: the invariants hold under faults, planted bugs are found, crashes change nothing.

mod seeds;

use std::{collections::BTreeMap, thread};

use ralph_core::{
    event::{Decision, Event, FORMAT, Source},
    plan::{Status, check_move},
    run::{RunState, decide, next},
    time::{Millis, Timestamp},
    vocabulary::ReviewMode,
};
use testkit::sim::{
    Bug, Crashes, Options, Run, Scenario,
    agent::Act,
    coverage::{Coverage, INPUTS, PLACES, any_input},
    rng::Rng,
    run, untried_seed,
};

/// Simulated runs of the ordinary test run, other ones each time; `just sim` plays as many as it is asked for.
const SEEDS: u64 = 5_000;
/// A planted bug must be found within so many runs.
const WITHIN: u64 = 10_000;

/// Does `work` for each number below `count` on two threads and gives all that it gave.
fn spread<T: Send + 'static>(
    count: u64,
    work: impl Fn(u64) -> Option<T> + Send + Copy + 'static,
) -> Vec<T> {
    let halves: Vec<_> = (0..2)
        .map(|half| {
            thread::spawn(move || -> Vec<T> { (half..count).step_by(2).filter_map(work).collect() })
        })
        .collect();
    halves
        .into_iter()
        .flat_map(|half| half.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        .collect()
}

fn random(seed: u64, options: Options) -> Run {
    run(&Scenario::random(seed), options)
}

#[test]
fn every_invariant_holds_in_runs_with_faults() {
    let first = untried_seed();
    let broken = spread(SEEDS, move |number| {
        let seed = first + number;
        let run = random(seed, Options::of(seed));
        (!run.broken.is_empty()).then(|| {
            let words: Vec<String> = run
                .broken
                .iter()
                .map(|broken| format!("{}: {}", broken.invariant.words(), broken.detail))
                .collect();
            format!("seed {seed}: {}", words.join("; "))
        })
    });
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn planning_runs_are_simulated_too_and_come_to_every_end_they_can() {
    let ends = spread(20_000, |seed| {
        let scenario = Scenario::random(seed);
        let is_planning = matches!(scenario.start.source, Source::Planning { .. });
        is_planning.then(|| run(&scenario, Options::default()))
    });
    assert!(ends.len() > 1_000, "only {} planning runs", ends.len());
    let mut codes: BTreeMap<u8, u32> = BTreeMap::new();
    for end in &ends {
        assert!(end.broken.is_empty(), "{:?}", end.broken);
        let outcome = end.outcome.as_ref();
        *codes.entry(outcome.map_or(255, ralph_core::outcome::Outcome::exit_code)).or_default() +=
            1;
    }
    for code in [0, 1, 3, 4, 5, 7, 70, 130, 143] {
        assert!(codes.contains_key(&code), "none with exit code {code}: {codes:?}");
    }
    let drafted = codes.get(&0).copied().unwrap_or_default();
    assert!(drafted > 300, "only {drafted} drafts");
}

#[test]
fn every_planted_bug_is_found() {
    let found: BTreeMap<Bug, (u64, &str)> = spread(Bug::ALL.len() as u64, |at| {
        let bug = *Bug::ALL.get(usize::try_from(at).ok()?)?;
        (0..WITHIN).find_map(|seed| {
            let options = Options { bug: Some(bug), ..Options::of(seed) };
            let run = random(seed, options);
            let broken = run.broken.first()?;
            Some((bug, (seed, broken.invariant.words())))
        })
    })
    .into_iter()
    .collect();
    for bug in Bug::ALL {
        match found.get(&bug) {
            Some((seed, words)) => eprintln_line(&format!("{bug:?}: seed {seed}: not {words}")),
            None => eprintln_line(&format!("{bug:?}: not found")),
        }
    }
    assert_eq!(found.len(), Bug::ALL.len(), "a planted bug was not found");
}

#[expect(clippy::print_stderr, reason = "the seeds are part of what this test shows")]
fn eprintln_line(line: &str) {
    eprintln!("{line}");
}

/// Pairs of place and input that lead to a decision; every other pair must lead to none.
fn decides(place: &str, input: &str) -> bool {
    match input {
        "signal" | "asked" => place != "finished" || input == "asked",
        "resumed" => true,
        "failed" => !matches!(place, "waiting" | "paused" | "finished"),
        "told" | "pause" | "unpause" => !matches!(place, "closing" | "finished"),
        "workspace opened" => place == "opening",
        "baseline ran" => place == "baselining",
        "looked" | "asked about a task" => place == "boundary",
        "checkpoint taken" => place == "checkpoint",
        "agent ended" => place == "agent",
        "tree captured" => place == "capture",
        "gates ran" => place == "gates",
        "committed" => place == "commit",
        "scm tasks ran" => place == "scm",
        "quarantined" => place == "quarantine",
        "gave up" => matches!(place, "give up" | "park"),
        "reapplied" => place == "reapply",
        "workspace closed" => place == "closing",
        "not begun" => matches!(place, "baselining" | "agent" | "gates" | "scm"),
        "woke" => place == "waiting",
        _ => false,
    }
}

#[test]
fn every_pair_of_place_and_input_is_exercised_and_does_what_it_should() {
    let parts = spread(3_000, |seed| {
        let options = Options { coverage: Some(Coverage::default()), ..Options::default() };
        random(seed, options).coverage
    });
    let mut all = Coverage::default();
    for part in &parts {
        all.merge(part);
    }
    let mut wrong = Vec::new();
    for place in PLACES {
        for input in INPUTS {
            let (decided, ignored) = all.0.get(&(place, input)).copied().unwrap_or_default();
            let is_right =
                if decides(place, input) { decided > 0 } else { decided == 0 && ignored > 0 };
            if !is_right {
                wrong.push(format!("{place} / {input}: decided {decided}, ignored {ignored}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn inputs_at_any_moment_never_panic_and_never_move_a_task_illegally() {
    spread(1_000, |seed| -> Option<()> {
        let scenario = Scenario::random(seed);
        let mut rng = Rng::new(seed);
        let mut decision = Decision {
            v: FORMAT,
            run: "sim".into(),
            lane: 0,
            seq: 0,
            at: Timestamp(0),
            events: vec![Event::RunStarted(Box::new(scenario.start.clone()))],
        };
        let mut state = RunState::fold([&decision])?;
        for _ in 0..120 {
            let at = state.last_at.plus(Millis(rng.below(900_000)));
            decision.events = decide(&state, &any_input(&state, at, &mut rng));
            if decision.events.is_empty() {
                continue;
            }
            let mut statuses: Vec<Status> = state.tasks.iter().map(|task| task.status).collect();
            for event in &decision.events {
                if let Event::TaskMoved { task, from, to, .. } = event {
                    let known = statuses.get_mut(state.position(task)?)?;
                    assert_eq!((*known, check_move(*from, *to)), (*from, Ok(())), "{seed}");
                    *known = *to;
                }
            }
            decision.at = at;
            decision.seq = state.seq;
            state.apply(&decision);
            assert_eq!(state.tasks.len(), scenario.start.plan.tasks.len());
            let _ = next(&state);
        }
        None
    });
}

/// Scenarios without a person and without time limits: their end must not depend on crashes.
fn fixed() -> Vec<Scenario> {
    use Act::{
        AddsInPlan, ApprovesInPlan, ApprovesItself, AsksInHandoff, BreaksTests, Budget, Commits,
        Crashes, CutsPlan, DropsTasks, EmptiesPlan, FakesWork, HalfDone, Honest, Lies, MovesRef,
        NestedRepository, Overflows, Proposes, RateLimit, SaysUnfinished, Stalls, TimesOutFinished,
        UnsafeRepository, UsageLimit, Weakens,
    };
    let scripts: [(usize, &[Act]); 14] = [
        (1, &[Honest]),
        (3, &[Honest, Honest, Honest]),
        (2, &[Lies, Honest, BreaksTests, Honest]),
        (2, &[BreaksTests, BreaksTests, Honest]),
        (2, &[Crashes, Honest, RateLimit, Honest]),
        (2, &[MovesRef, Honest, NestedRepository, Honest]),
        (2, &[Commits, Commits, Commits]),
        (2, &[HalfDone, UnsafeRepository, TimesOutFinished]),
        (2, &[Overflows, Overflows, Honest, Budget]),
        (3, &[UsageLimit, Stalls, SaysUnfinished, Commits, BreaksTests, Lies]),
        (2, &[AsksInHandoff, HalfDone, HalfDone, Honest]),
        (2, &[Proposes, Honest, Weakens, Honest, Proposes]),
        (3, &[ApprovesItself, Honest, EmptiesPlan, Honest, CutsPlan]),
        (3, &[FakesWork, FakesWork, ApprovesInPlan, Honest, DropsTasks, Honest, AddsInPlan]),
    ];
    (0..)
        .zip(scripts)
        .filter_map(|(seed, (tasks, script))| {
            Scenario::scripted(seed, tasks, ReviewMode::On, script)
        })
        .collect()
}

#[test]
fn one_crash_at_any_boundary_changes_neither_the_end_nor_the_commits() {
    let scenarios = fixed();
    assert_eq!(scenarios.len(), 14);
    let mut kills = 0;
    for scenario in &scenarios {
        let options = |crashes| Options { crashes, ..Options::default() };
        let undisturbed = run(scenario, options(Crashes::Never));
        assert!(undisturbed.broken.is_empty(), "{:?}", undisturbed.broken);
        for at in 0..undisturbed.boundaries {
            let crashed = run(scenario, options(Crashes::At(at)));
            assert_eq!(crashed.crashes, 1);
            assert!(crashed.broken.is_empty(), "at {at}: {:?}", crashed.broken);
            assert_eq!(crashed.result, undisturbed.result, "crashed at boundary {at}");
            assert_eq!(crashed.outcome, undisturbed.outcome, "crashed at boundary {at}");
            kills += 1;
        }
    }
    assert!(kills > 500, "only {kills} boundaries");
}

#[test]
fn a_handover_at_every_boundary_changes_neither_the_end_nor_the_counts() {
    let scenarios = fixed();
    let mut handovers = 0;
    for (at, scenario) in scenarios.iter().enumerate() {
        let options =
            |handovers| Options { crashes: Crashes::Never, handovers, ..Options::default() };
        let (alone, handed) = (run(scenario, options(false)), run(scenario, options(true)));
        assert!(handed.broken.is_empty(), "scenario {at}: {:?}", handed.broken);
        assert_eq!(handed.result, alone.result, "scenario {at}");
        assert_eq!(handed.outcome, alone.outcome, "scenario {at}");
        assert_eq!(handed.counts, alone.counts, "scenario {at}");
        handovers += handed.handovers;
    }
    assert!(handovers > 30, "only {handovers} handovers");
}
