//! Whether two statements are the same, or about the same. Rare words count: they are names of things.
//!
//! Conservative: where it is not sure, two statements stay two.

use std::collections::BTreeMap;

use super::bag::Bag;

/// How much of a phrase a statement must hold to be named by it.
const NAMED: f64 = 0.5;
/// How much of what a phrase is about a statement must hold to be named by it.
const HELD: f64 = 0.7;

/// How common each word is among the statements that are known.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    known: BTreeMap<String, u32>,
    statements: u32,
}

/// How a new statement stands to a known one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// It says the same.
    Same,
    /// It says something else of the same thing.
    Instead,
    Other,
}

impl Lexicon {
    pub(super) fn add(&mut self, bag: &Bag) {
        for word in &bag.words {
            *self.known.entry(word.clone()).or_default() += 1;
        }
        self.statements += 1;
    }

    fn count(&self, word: &str) -> u32 {
        self.known.get(word).copied().unwrap_or(0)
    }

    fn weight(&self, word: &str) -> f64 {
        let rarity = (f64::from(self.statements) / f64::from(self.count(word).max(1))).ln_1p();
        rarity * rarity
    }

    fn sum<'a>(&self, words: impl Iterator<Item = &'a String>) -> f64 {
        words.map(|word| self.weight(word)).sum()
    }

    /// How a new statement stands to a known one.
    pub(super) fn relation(&self, new: &Bag, known: &Bag) -> Relation {
        let shared = new.words.iter().filter(|word| known.has(word)).count();
        let fewest = new.words.len().min(known.words.len());
        if shared == 0 || shared * 3 < fewest || new.is_about_another(known) {
            return Relation::Other;
        }
        let is_same_value = new.numbers == known.numbers && new.is_negative == known.is_negative;
        let holds = |one: &Bag, other: &Bag| {
            !one.names.is_empty() && one.names.iter().all(|word| other.has(word))
        };
        let is_same_thing = in_same_order(new, known) && holds(new, known) && holds(known, new);
        match (is_same_thing, is_same_value) {
            (true, true) => Relation::Same,
            (true, false) => Relation::Instead,
            (false, _) if self.ends_otherwise(new, known) => Relation::Instead,
            (false, _) => Relation::Other,
        }
    }

    /// Both begin with the same words, names among them, and only their ends differ: another value.
    fn ends_otherwise(&self, new: &Bag, known: &Bag) -> bool {
        let begin = new.words.iter().zip(&known.words).take_while(|(a, b)| a == b).count();
        let (head, tail) = new.words.split_at(begin);
        let other_tail = known.words.get(begin..).unwrap_or_default();
        let is_short = |tail: &[String]| (1..=2).contains(&tail.len());
        let values = tail.iter().chain(other_tail);
        let rarest_value = values.map(|word| self.count(word)).min().unwrap_or(0);
        let rarest_name = head.iter().map(|word| self.count(word)).min().unwrap_or(u32::MAX);
        let is_value = rarest_value > 0 && rarest_name <= rarest_value;
        begin >= 2 && is_short(tail) && is_short(other_tail) && is_value
    }

    /// Which of these statements a phrase names; `must` are words that each of them has to hold.
    pub(super) fn named(&self, phrase: &Bag, must: &Bag, among: &[&Bag]) -> Vec<usize> {
        let is_named = |at: &usize| self.is_named(phrase, must, among[*at]);
        let named: Vec<usize> = (0..among.len()).filter(is_named).collect();
        // Word for word is what is meant, and not the same words the other way round.
        let is_exact = |at: &&usize| {
            let words = &among[**at].words;
            words.iter().all(|word| phrase.has(word)) && in_same_order(phrase, among[**at])
        };
        let exact = named.iter().find(is_exact).copied();
        let is_turned = |at: &usize| {
            let same =
                exact.map(|exact| among[exact]).filter(|exact| exact.has_same_words(among[*at]));
            same.is_some_and(|exact| !in_same_order(exact, among[*at]))
        };
        named.into_iter().filter(|at| !is_turned(at)).collect()
    }

    /// Whether a statement holds all that a phrase is about, or the value that it says is gone.
    fn is_named(&self, phrase: &Bag, must: &Bag, known: &Bag) -> bool {
        let names = &phrase.names;
        let is_other_number = !phrase.numbers.is_empty()
            && !known.numbers.is_empty()
            && phrase.numbers.is_disjoint(&known.numbers);
        let has_old = must.words.iter().all(|word| self.count(word) == 0 || known.has(word))
            && must.numbers.is_subset(&known.numbers);
        let is_about = if must.words.is_empty() && must.numbers.is_empty() {
            let held = self.sum(names.iter().filter(|word| known.has(word)));
            let rarest = names.iter().map(|word| self.count(word)).min();
            let has_rarest =
                names.iter().any(|word| Some(self.count(word)) == rarest && known.has(word));
            has_rarest && held >= HELD * self.sum(names.iter())
        } else {
            // The sentence names the new value too, which the statement cannot have.
            names.iter().any(|word| known.has(word) && !must.has(word))
        };
        let shared = self.sum(phrase.words.iter().filter(|word| known.has(word)));
        let all = self.sum(phrase.words.iter()).max(f64::MIN_POSITIVE);
        let is_enough = shared / all >= NAMED;
        is_enough && is_about && has_old && !is_other_number && !phrase.is_about_another(known)
    }
}

/// Whether the words that both have stand in the same order: who imports whom makes a difference.
fn in_same_order(one: &Bag, other: &Bag) -> bool {
    let places = one.words.iter().filter_map(|word| other.words.iter().position(|own| own == word));
    places.is_sorted()
}
