//! `sim RUNS [--threads N] [--seed N | --new] [--show]`: simulates runs with faults and tells what held.
//!
//! Exit 1 if anything did not; `--show` tells the first run of each kind that went wrong, step by step. `--new` begins
//! with a seed that nobody has tried: what it prints first repeats exactly these runs.

use std::{collections::BTreeMap, process::ExitCode, thread, time::Instant};

use ralph_core::plan::Status;
use testkit::sim::{Invariant, Options, Scenario, run, untried_seed};

/// What many runs came to.
#[derive(Default)]
struct Tally {
    runs: u64,
    effects: u64,
    decisions: u64,
    crashes: u64,
    broken: BTreeMap<Invariant, (u64, Vec<u64>)>,
    outcomes: BTreeMap<u8, u64>,
    tasks: BTreeMap<Status, u64>,
}

fn main() -> ExitCode {
    let mut count = 100_000;
    let mut threads = 2;
    let mut first = 0;
    let mut show = false;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        match word.as_str() {
            "--threads" => threads = number().max(1),
            "--seed" => first = number(),
            "--new" => first = untried_seed(),
            "--show" => show = true,
            other => count = other.replace('_', "").parse().unwrap_or(count),
        }
    }
    announce(first, count);
    let began = Instant::now();
    let workers: Vec<_> = (0..threads)
        .map(|worker| thread::spawn(move || work(first + worker, first + count, threads)))
        .collect();
    let mut total = Tally::default();
    for worker in workers {
        match worker.join() {
            Ok(tally) => total.add(tally),
            Err(_) => return ExitCode::from(70),
        }
    }
    total.tell(began.elapsed().as_secs_f64(), threads);
    if show {
        explain(&total);
    }
    ExitCode::from(u8::from(!total.broken.is_empty()))
}

#[expect(clippy::print_stdout, reason = "this is a program for people")]
fn announce(first: u64, count: u64) {
    println!("seeds       {first} and up (again: sim {count} --seed {first})");
}

fn work(first: u64, end: u64, step: u64) -> Tally {
    let mut tally = Tally::default();
    let mut seed = first;
    while seed < end {
        let scenario = Scenario::random(seed);
        let run = run(&scenario, Options::of(seed));
        tally.runs += 1;
        tally.effects += run.effects;
        tally.decisions += run.decisions;
        tally.crashes += u64::from(run.crashes);
        if let Some(outcome) = run.outcome {
            *tally.outcomes.entry(outcome.exit_code()).or_default() += 1;
        }
        for status in run.tasks {
            *tally.tasks.entry(status).or_default() += 1;
        }
        for broken in run.broken {
            let entry = tally.broken.entry(broken.invariant).or_default();
            entry.0 += 1;
            if entry.1.len() < 5 && !entry.1.contains(&seed) {
                entry.1.push(seed);
            }
        }
        seed += step;
    }
    tally
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.runs += other.runs;
        self.effects += other.effects;
        self.decisions += other.decisions;
        self.crashes += other.crashes;
        for (invariant, (count, seeds)) in other.broken {
            let entry = self.broken.entry(invariant).or_default();
            entry.0 += count;
            entry.1.extend(seeds);
            entry.1.sort_unstable();
            entry.1.truncate(5);
        }
        for (code, count) in other.outcomes {
            *self.outcomes.entry(code).or_default() += count;
        }
        for (status, count) in other.tasks {
            *self.tasks.entry(status).or_default() += count;
        }
    }

    #[expect(clippy::print_stdout, reason = "this is a program for people")]
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    fn tell(&self, seconds: f64, threads: u64) {
        println!("runs        {}", self.runs);
        println!("effects     {}", self.effects);
        println!("decisions   {}", self.decisions);
        println!("crashes     {}", self.crashes);
        let rate = self.runs as f64 / seconds;
        println!("seconds     {seconds:.1} ({rate:.0} runs/s on {threads} threads)");
        let ends: Vec<String> =
            self.outcomes.iter().map(|(code, count)| format!("{code}: {count}")).collect();
        println!("exit codes  {}", ends.join(", "));
        let tasks: Vec<String> = self
            .tasks
            .iter()
            .map(|(status, count)| format!("{}: {count}", status.word()))
            .collect();
        println!("tasks       {}", tasks.join(", "));
        println!("violations  {}", self.broken.values().map(|(count, _)| count).sum::<u64>());
        for (invariant, (count, seeds)) in &self.broken {
            println!("  {count} x {}; seeds {seeds:?}", invariant.words());
        }
    }
}

#[expect(clippy::print_stdout, reason = "this is a program for people")]
fn explain(total: &Tally) {
    for (invariant, (_, seeds)) in &total.broken {
        let Some(&seed) = seeds.first() else {
            continue;
        };
        let run =
            run(&Scenario::random(seed), Options { story: Some(Vec::new()), ..Options::of(seed) });
        println!("seed {seed} ({invariant:?}), {:?}:", run.outcome);
        for line in run.story.into_iter().flatten() {
            println!("    {line}");
        }
        for broken in run.broken {
            println!("  {:?}: {}", broken.invariant, broken.detail);
        }
    }
}
