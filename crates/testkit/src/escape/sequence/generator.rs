//! Makes sequences up from a seed: the same seed and number make the same sequence everywhere. Knows no verdicts.

use super::{
    Kind, Script,
    primitives::{self, ACTS, CHECKS, GIT, GROUNDS, PLACES, QUESTIONS, STARTS},
};
use crate::{
    escape::sequence::mounts::LOOK,
    sim::rng::{Rng, mix},
};

/// A sequence that was made up, in the parts that can be left out one by one.
#[derive(Debug, Clone)]
pub struct MadeUp {
    name: String,
    check: &'static str,
    grounds: Vec<&'static str>,
    steps: Vec<(Kind, Vec<String>)>,
}

/// The sequence of this number from this seed.
pub fn make_up(seed: u64, number: u64) -> MadeUp {
    let mut rng = Rng::new(mix(&[seed, number]));
    let (mut grounds, mut is_git_safe) = (vec!["mkdir -p build node_modules/pkg"], true);
    for _ in 0..rng.below(4) {
        if let Some((ground, is_safe)) = rng.pick(GROUNDS)
            && !grounds.contains(&ground)
        {
            grounds.push(ground);
            is_git_safe &= is_safe;
        }
    }
    let mut steps = Vec::new();
    for run in 0..=rng.below(2) {
        for _ in 0..=rng.below(2) {
            steps.push((Kind::Agent, acts(&mut rng)));
            if rng.chance(600) {
                let mut pieces = acts(&mut rng);
                pieces.push(LOOK.to_owned());
                steps.push((Kind::Gate, pieces));
            }
        }
        let start = if run == 0 { rng.of(STARTS) } else { "go --fresh" };
        steps.push((Kind::Start, vec![start.to_owned()]));
        steps.push((Kind::User, vec![rng.of(QUESTIONS).to_owned()]));
        if is_git_safe && rng.chance(600) {
            steps.push((Kind::User, vec![rng.of(GIT).to_owned()]));
        }
    }
    MadeUp { name: format!("{seed}-{number}"), check: rng.of(CHECKS), grounds, steps }
}

/// One to four things that one call does.
fn acts(rng: &mut Rng) -> Vec<String> {
    (0..=rng.below(4)).map(|_| act(rng)).collect()
}

fn act(rng: &mut Rng) -> String {
    let kinds = |wanted: &[primitives::Kind]| -> Vec<&'static str> {
        let places = PLACES.iter().filter(|(kind, _)| wanted.contains(kind));
        places.map(|(_, place)| *place).collect()
    };
    let inside = [
        primitives::Kind::Tracked,
        primitives::Kind::Ignored,
        primitives::Kind::Built,
        primitives::Kind::Cache,
        primitives::Kind::MountPoint,
        primitives::Kind::Hidden,
        primitives::Kind::Hooks,
        primitives::Kind::Config,
        primitives::Kind::Login,
    ];
    // The kind first, so that a long list of one kind does not crowd out the others.
    let one = rng.pick(&inside).map(|kind| rng.of(&kinds(&[kind]))).unwrap_or_default();
    let other = match rng.below(3) {
        0 => rng.pick(&inside).map(|kind| rng.of(&kinds(&[kind]))).unwrap_or_default(),
        _ => rng.of(&kinds(&[primitives::Kind::Outside, primitives::Kind::Descriptor])),
    };
    let act = rng.of(ACTS);
    // Every git of the user's own would wait for ever at settings that are a pipe.
    let is_settings = kinds(&[primitives::Kind::Config]).contains(&one);
    let act = if is_settings && act.contains("mkfifo") { "rm -rf {a}" } else { act };
    act.replace("{a}", one).replace("{b}", other)
}

impl MadeUp {
    /// Its seed and its number.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// To be played.
    pub fn script(&self) -> Script {
        let steps = self.steps.iter().map(|(kind, pieces)| {
            let text = match kind {
                Kind::Agent | Kind::Gate => {
                    let apart = pieces.iter().map(|piece| format!("(\n{piece}\n)"));
                    apart.collect::<Vec<_>>().join("\n")
                }
                _ => pieces.join("\n"),
            };
            (*kind, text)
        });
        Script {
            name: self.name.clone(),
            ground: self.grounds.join("\ncd {work}\n"),
            check: self.check.to_owned(),
            steps: steps.collect(),
        }
    }

    /// Every way to leave one part out.
    pub fn smaller(&self) -> Vec<Self> {
        let mut smaller = Vec::new();
        for at in 1..self.grounds.len() {
            let mut less = self.clone();
            less.grounds.remove(at);
            smaller.push(less);
        }
        for (at, (kind, pieces)) in self.steps.iter().enumerate() {
            if matches!(kind, Kind::User | Kind::Gate) {
                let mut less = self.clone();
                less.steps.remove(at);
                smaller.push(less);
            }
            for piece in 0..pieces.len() * usize::from(pieces.len() > 1) {
                let mut less = self.clone();
                less.steps[at].1.remove(piece);
                smaller.push(less);
            }
        }
        smaller
    }

    /// For people.
    pub fn tell(&self) -> String {
        let steps = self
            .steps
            .iter()
            .map(|(kind, pieces)| format!("  {kind:?}: {}", pieces.join("\n    ")));
        let grounds = self.grounds.join("\n    ");
        format!(
            "  gate: {}\n  ground: {grounds}\n{}",
            self.check,
            steps.collect::<Vec<_>>().join("\n")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_sequence() {
        assert_eq!(make_up(7, 3).tell(), make_up(7, 3).tell());
        assert_ne!(make_up(7, 3).tell(), make_up(8, 3).tell());
    }

    #[test]
    fn every_act_and_every_kind_of_place_is_drawn_within_five_hundred_sequences() {
        let all: String = (0..500).map(|number| make_up(1, number).tell()).collect();
        let never = |text: &&&str| {
            let first = text.split(['{', '~']).next().unwrap_or_default();
            !all.contains(first)
        };
        let unused: Vec<_> = ACTS.iter().filter(never).collect();
        assert!(unused.is_empty(), "{unused:?}");
        let unused: Vec<_> = PLACES.iter().filter(|(_, place)| !all.contains(place)).collect();
        assert!(unused.is_empty(), "{unused:?}");
    }
}
