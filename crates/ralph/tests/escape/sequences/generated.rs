//! Sequences made up from a seed: forty of the clock's in CI, as many as wanted of any seed by a recipe. One that gets
//! through is told in its smallest form, with the seed and the number that make it again.
#![expect(clippy::print_stdout, reason = "whoever runs the recipe reads what came of it")]

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use testkit::escape::sequence::{MadeUp, make_up};

use super::{Came, Stage, open::OPEN};
use crate::{Tested, ground::USER, island};

/// How many of those that got through are made smaller: each takes a while.
const SHRUNK: usize = 3;

/// What is played of a seed: the numbers from the first on.
struct Night {
    seed: u64,
    first: u64,
    count: u64,
}

/// Twenty of a seed that nobody knows beforehand.
pub(crate) fn twenty(user: u32) -> Tested {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let night = Night { seed, first: u64::from(user), count: 20 };
    println!("seed {seed}, as {user}");
    night.play(&Stage::new(user, "auto")?);
    Ok(())
}

/// `N=500 SEED=1`: half of them as root, half as a user; `ONLY=7` plays one number of the seed, as both.
pub(crate) fn long(args: &[&str]) -> Tested {
    let named = |name: &str| {
        let value = args.iter().find_map(|arg| arg.strip_prefix(name)?.strip_prefix('='));
        value.map(str::parse::<u64>).transpose()
    };
    let clock = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let (seed, count) = (named("SEED")?.unwrap_or(clock), named("N")?.unwrap_or(500));
    println!("seed {seed}");
    let mut failed = false;
    for (user, first) in [(USER, 0), (0, count / 2)] {
        let (first, count) = named("ONLY")?.map_or((first, count.div_ceil(2)), |only| (only, 1));
        let [seed, first, count] = [seed, first, count].map(|number| number.to_string());
        let status = island::cross(&["long", "long", &user.to_string(), &seed, &first, &count])?;
        failed |= !status.success();
    }
    if failed { Err("a sequence got through".into()) } else { Ok(()) }
}

/// One half of the night, on the island.
pub(crate) fn half(rest: &[&str]) -> Tested {
    let [user, seed, first, count] = rest else { return Err("which half?".into()) };
    let night = Night { seed: seed.parse()?, first: first.parse()?, count: count.parse()? };
    let box_of = std::env::var("RALPH_ESCAPES_BOX").unwrap_or_else(|_| "auto".into());
    night.play(&Stage::new(user.parse()?, &box_of)?);
    Ok(())
}

impl Night {
    fn play(&self, stage: &Stage) {
        let began = Instant::now();
        let numbers = self.first..self.first + self.count;
        let made: Vec<MadeUp> = numbers.map(|number| make_up(self.seed, number)).collect();
        let scripts: Vec<_> = made.iter().map(MadeUp::script).collect();
        let came = stage.play_all(&scripts);
        let (mut through, mut untried) = (Vec::new(), Vec::new());
        for (made, came) in made.iter().zip(&came) {
            match came {
                Came::Through(found) => through.push((made, found.join("; "))),
                Came::Untried(why) => untried.push(why.lines().next().unwrap_or_default()),
                Came::Held | Came::Refused => {}
            }
        }
        let refused = came.iter().filter(|came| **came == Came::Refused).count();
        let took = began.elapsed().as_secs().max(1);
        let (count, minute) = (made.len(), self.count * 60 / took);
        println!(
            "{count} sequences, {} through, {refused} refused, {} not played, {minute} a minute",
            through.len(),
            untried.len()
        );
        let told = through.iter().enumerate().map(|(at, (made, why))| {
            let smallest = if at < SHRUNK { shrunk(made, stage) } else { (*made).clone() };
            format!("{}: {why}\n{}", made.name(), smallest.tell())
        });
        let told: Vec<String> = told.collect();
        let told = told.join("\n\n");
        // While findings are open that are known, others cannot be told from them.
        if OPEN.is_empty() {
            assert!(told.is_empty(), "seed {}:\n{told}", self.seed);
        } else if !told.is_empty() {
            println!("seed {}:\n{told}", self.seed);
        }
        let most = made.len() / 10;
        assert!(untried.len() <= most, "too many could not be played:\n{}", untried.join("\n"));
    }
}

/// The sequence with everything left out that it does not need to get through.
fn shrunk(made: &MadeUp, stage: &Stage) -> MadeUp {
    let mut smallest = made.clone();
    while let Some(smaller) = one_smaller(&smallest, stage) {
        smallest = smaller;
    }
    smallest
}

/// With one part less, if it still gets through.
fn one_smaller(made: &MadeUp, stage: &Stage) -> Option<MadeUp> {
    let is_through = |made: &MadeUp| {
        let came = stage.play_all(&[made.script()]);
        came.iter().any(|came| matches!(came, Came::Through(_)))
    };
    made.smaller().into_iter().find(is_through)
}
