//! A long run's handoffs, one after the other, with the facts that hold at its end.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::facts::{Fact, SORTS};
use crate::sim::rng::Rng;

/// A fact to ask for at the end.
#[derive(Debug, Clone)]
pub struct Probe {
    pub fact: Fact,
    pub stated: u32,
    /// When it was revoked or replaced, and how that was told; `None`: it holds.
    pub ended: Option<(u32, Told)>,
    /// What took its place.
    pub replaced_by: Option<Fact>,
}

/// How the end of a fact is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Told {
    /// Under `supersedes`.
    Superseded,
    /// As a deviation from what was planned.
    Deviation,
}

/// How much is told beside the probes.
#[derive(Debug, Clone, Copy)]
pub struct Story {
    pub seed: u64,
    pub iterations: u32,
    pub probes: usize,
    /// How many of the probes end.
    pub ended: usize,
    /// Other lasting facts of the same kinds.
    pub noise: usize,
}

/// What a whole run tells.
#[derive(Debug)]
pub struct Handoffs {
    pub probes: Vec<Probe>,
    /// By iteration, from 1.
    pub texts: Vec<String>,
}

/// What one iteration says beside its work.
#[derive(Default)]
struct Said {
    decisions: Vec<String>,
    constraints: Vec<Value>,
    deviations: Vec<Value>,
    supersedes: Vec<String>,
    bugs: Vec<Value>,
    patterns: Vec<String>,
    unfinished: Vec<Value>,
}

const MODULES: [&str; 12] = [
    "checkout",
    "catalog",
    "search",
    "billing",
    "mailer",
    "worker",
    "reports",
    "auth",
    "orders",
    "shipping",
    "imports",
    "storefront",
];
const PARTS: [&str; 10] =
    ["parser", "router", "client", "schema", "handler", "view", "queue", "cache", "mapper", "form"];
const VERBS: [&str; 6] = ["Added", "Reworked", "Extended", "Split up", "Hardened", "Simplified"];

impl Story {
    /// The handoffs of this run.
    pub fn tell(&self) -> Handoffs {
        let mut rng = Rng::new(self.seed);
        let mut facts = draw(&mut rng, self.probes + self.noise);
        let noise = facts.split_off(self.probes.min(facts.len()));
        let mut said: BTreeMap<u32, Said> = BTreeMap::new();
        let early = (self.iterations / 4).max(1);
        let mut probes = Vec::new();
        for (at, fact) in facts.into_iter().enumerate() {
            let stated = 1 + number(&mut rng, early);
            probes.push(self.fact(fact, (stated, at < self.ended), &mut rng, &mut said));
        }
        for fact in noise {
            let stated = 1 + number(&mut rng, self.iterations);
            let ends = rng.chance(200);
            self.fact(fact, (stated, ends), &mut rng, &mut said);
        }
        for iteration in 1..=self.iterations {
            self.chatter(iteration, &mut rng, &mut said);
        }
        let texts = (1..=self.iterations)
            .map(|iteration| {
                handoff(iteration, &said.remove(&iteration).unwrap_or_default(), &mut rng)
            })
            .collect();
        Handoffs { probes, texts }
    }

    /// States a fact, says it again in other words now and then, and ends it if it is to end.
    fn fact(
        &self,
        fact: Fact,
        (stated, ends): (u32, bool),
        rng: &mut Rng,
        said: &mut BTreeMap<u32, Said>,
    ) -> Probe {
        let first = index(rng, 3);
        let mut wordings = vec![first];
        said.entry(stated).or_default().state(&fact, first, rng);
        let left = self.iterations.saturating_sub(stated);
        let end = stated + 10 + number(rng, left.saturating_sub(10).max(1));
        let is_over = ends && end < self.iterations;
        if rng.chance(400) {
            let room = if is_over { end - stated } else { left };
            let again = stated + 1 + number(rng, room.saturating_sub(1).max(1));
            if again <= self.iterations && (!is_over || again < end) {
                let other = first + 1 + index(rng, 2);
                said.entry(again).or_default().state(&fact, other, rng);
                wordings.push(other);
            }
        }
        let mut probe = Probe { fact, stated, ended: None, replaced_by: None };
        if is_over {
            let how = [Told::Superseded, Told::Deviation][index(rng, 2)];
            probe.replaced_by = other_value(&probe.fact, rng);
            probe.ended = Some((end, how));
            said.entry(end).or_default().end(&probe, how, &wordings, rng);
        }
        probe
    }

    /// What else agents write: notes about one place in the code, bugs and their end, loose ends.
    fn chatter(&self, iteration: u32, rng: &mut Rng, said: &mut BTreeMap<u32, Said>) {
        let (module, part) = (rng.of(&MODULES), rng.of(&PARTS));
        let n = number(rng, 90) + 10;
        let own = said.entry(iteration).or_default();
        if rng.chance(450) {
            own.decisions.push(match index(rng, 4) {
                0 => format!("`{part}_{n}` in src/{module}/{part}.rs skips rows without an id"),
                1 => format!("src/{module}/{part}.rs was split; `{part}_{n}` holds the lookup"),
                2 => format!("The {module} {part} test builds its own fixture number {n}"),
                _ => format!("Renamed `{part}_{n}` in src/{module}/mod.rs to match its caller"),
            });
        }
        if rng.chance(150) {
            own.patterns
                .push(format!("Tests of {module} live in tests/{module}.rs, one file each"));
        }
        if rng.chance(120) {
            own.unfinished
                .push(json!({"item": format!("The {module} {part} has no test for case {n}"),
                "reason": "ran out of turns", "priority": "low"}));
        }
        if rng.chance(250) {
            let bug = format!("{module} {part} loses entry {n} when two requests race");
            let later = iteration + 1 + number(rng, 40);
            let open = json!({"description": bug, "resolution": "", "resolved": false});
            own.bugs.push(open);
            if later <= self.iterations {
                let bug =
                    json!({"description": bug, "resolution": "took a lock", "resolved": true});
                said.entry(later).or_default().bugs.push(bug);
            }
        }
    }
}

impl Said {
    fn state(&mut self, fact: &Fact, wording: usize, rng: &mut Rng) {
        let text = fact.wording(wording);
        if !fact.sort.is_constraint() {
            return self.decisions.push(text);
        }
        let module = rng.of(&MODULES);
        let mut found =
            json!({"constraint": text, "impact": format!("work on {module} has to respect it")});
        if rng.chance(300) {
            found["workaround"] = format!("see the helper in src/{module}/mod.rs").into();
        }
        self.constraints.push(found);
    }

    /// Says that a fact is over, naming every wording that was stated: that is what a prompt shows.
    fn end(&mut self, probe: &Probe, how: Told, wordings: &[usize], rng: &mut Rng) {
        let mut stated = wordings.iter().map(|which| probe.fact.wording(*which));
        match (&probe.replaced_by, how) {
            (Some(new), Told::Deviation) => self.deviations.push(json!({
                "planned": stated.next(),
                "actual": new.wording(0),
                "reason": "measured it, the first idea was too slow"
            })),
            (Some(new), Told::Superseded) => self.state(new, index(rng, 3), rng),
            (None, _) => {}
        }
        self.supersedes.extend(stated);
    }
}

fn handoff(iteration: u32, said: &Said, rng: &mut Rng) -> String {
    let (module, part, verb) = (rng.of(&MODULES), rng.of(&PARTS), rng.of(&VERBS));
    let files: Vec<Value> = (0..=number(rng, 4))
        .map(|_| {
            let (module, part) = (rng.of(&MODULES), rng.of(&PARTS));
            json!({"path": format!("src/{module}/{part}.rs"), "action": "modified"})
        })
        .collect();
    let mut handoff = Map::new();
    let mut put = |key: &str, value: Value| handoff.insert(key.into(), value);
    put(
        "task_completed",
        json!({
            "task_id": format!("T-{iteration:03}"),
            "summary": format!("{verb} the {module} {part} and its tests. All checks pass on this machine."),
            "fully_complete": true
        }),
    );
    put("architectural_notes", json!(said.decisions));
    put("constraints_discovered", json!(said.constraints));
    put("deviations", json!(said.deviations));
    put("bugs_encountered", json!(said.bugs));
    put("unfinished_business", json!(said.unfinished));
    put("recommendations", json!(["Run the whole suite before the next release"]));
    put("files_touched", json!(files));
    put("patterns", json!(said.patterns));
    put("plan_amendments", json!([]));
    put("tests_added", json!([{"file": format!("tests/{module}.rs"), "test_names": ["works"]}]));
    put("supersedes", json!(said.supersedes));
    Value::Object(handoff).to_string()
}

/// So many facts, no two about the same subject.
fn draw(rng: &mut Rng, count: usize) -> Vec<Fact> {
    let all = SORTS.iter().flat_map(|sort| sort.subjects().iter().map(|subject| (*sort, *subject)));
    let mut all: Vec<_> = all.collect();
    let mut drawn = Vec::new();
    while drawn.len() < count && !all.is_empty() {
        let (sort, subject) = all.swap_remove(index(rng, all.len()));
        drawn.push(Fact { sort, subject, value: rng.of(sort.values()) });
    }
    drawn
}

/// The same subject with another value, where there is one.
fn other_value(fact: &Fact, rng: &mut Rng) -> Option<Fact> {
    let others: Vec<&'static str> =
        fact.sort.values().iter().copied().filter(|value| *value != fact.value).collect();
    (!others.is_empty() && rng.chance(750)).then(|| Fact { value: rng.of(&others), ..fact.clone() })
}

fn index(rng: &mut Rng, below: usize) -> usize {
    usize::try_from(rng.below(below as u64)).unwrap_or(0)
}

fn number(rng: &mut Rng, below: u32) -> u32 {
    u32::try_from(rng.below(below.into())).unwrap_or(0)
}
