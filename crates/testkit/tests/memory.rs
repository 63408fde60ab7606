//! Memory over a long run: 500 iterations with rich handoffs, 50 probe facts, the deterministic compactor.

#![expect(clippy::print_stdout, reason = "the figures are what this test shows")]

use std::thread;

use ralph_core::{
    memory::{bound, context::Context, merge, stored_tokens},
    run::RunState,
};
use ralph_text::tokens::tokens;
use testkit::handoffs::{Fact, Handoffs, Probe, Story, walk};

const BUDGET: usize = 8_000;

/// What is true of the probes at the end.
#[derive(Debug, Default)]
struct Score {
    right: usize,
    /// Probes that hold and are not there.
    lost: Vec<String>,
    /// Probes that are over and still there.
    stale: Vec<String>,
}

/// Any will do: merging knows nothing of how facts are worded.
const SEEDS: [u64; 4] = [101, 102, 103, 104];

#[test]
fn over_500_iterations_memory_and_prompt_stay_within_their_budgets_and_facts_stay_right() {
    let runs: Vec<_> = SEEDS.into_iter().map(|seed| thread::spawn(move || run(seed))).collect();
    let rights = runs.into_iter().map(|run| run.join().unwrap_or_else(|_| panic!("a run failed")));
    let rights: Vec<usize> = rights.collect();
    let worst = rights.iter().min().copied().unwrap_or(0);
    assert!(worst >= 95, "{rights:?} % of the probes are right");
}

/// Goes through one story; says how many of a hundred probes are right at its end.
fn run(seed: u64) -> usize {
    let story = Story { seed, iterations: 500, probes: 50, ended: 15, noise: 150 };
    let told = story.tell();
    let (state, walked) = walk(&told.texts, BUDGET);
    for compaction in &walked.compactions {
        let stored = stored_tokens(&compaction.context);
        assert!(stored <= BUDGET, "seed {seed}: {stored} tokens after {}", compaction.after);
    }
    let longest = walked.prompts.iter().map(|prompt| tokens(prompt)).max().unwrap_or(0);
    assert_eq!(walked.prompts.len(), 500);
    assert!(longest <= BUDGET, "seed {seed}: a prompt of {longest} tokens");
    let replayed = RunState::fold(&walked.decisions).map(|state| state.memory);
    assert!(replayed.as_ref() == Some(&state.memory), "seed {seed}: replayed otherwise");
    let score = score(&told.probes, &at_the_end(&state));
    println!("{}", line(&story, &told, &state, &score, longest));
    score.right * 100 / told.probes.len()
}

/// What the next compaction would store: the last iterations wait for it.
fn at_the_end(state: &RunState) -> Context {
    let mut context = state.memory.context.clone();
    merge(&mut context, &state.memory.records);
    bound(&mut context, BUDGET, state.counters.iterations);
    context
}

fn score(probes: &[Probe], context: &Context) -> Score {
    let lists = [&context.constraints, &context.decisions, &context.patterns];
    let stored: Vec<&str> = lists.into_iter().flatten().map(|one| one.text.as_str()).collect();
    let says = |fact: &Fact| (0..3).any(|which| stored.contains(&fact.wording(which).as_str()));
    let mut score = Score::default();
    for probe in probes {
        let text = probe.fact.wording(0);
        match (&probe.ended, says(&probe.fact)) {
            (None, true) | (Some(_), false) => score.right += 1,
            (None, false) => score.lost.push(format!("{text} (stated {})", probe.stated)),
            (Some((end, told)), true) => score.stale.push(format!("{text} ({told:?} at {end})")),
        }
    }
    score
}

fn line(story: &Story, told: &Handoffs, state: &RunState, score: &Score, longest: usize) -> String {
    let context = &state.memory.context;
    let ended = told.probes.iter().filter(|probe| probe.ended.is_some()).count();
    let bytes: usize = told.texts.iter().map(String::len).sum();
    format!(
        "seed {}: {}/{} right ({ended} over), stored {} tokens ({} constraints, {} decisions), {} left out, \
         {} compactions of {} KB, longest prompt {longest} tokens\n  lost {:?}\n  stale {:?}",
        story.seed,
        score.right,
        told.probes.len(),
        stored_tokens(context),
        context.constraints.len(),
        context.decisions.len(),
        context.left_out,
        state.memory.compactions,
        bytes / 1024,
        score.lost,
        score.stale,
    )
}
