//! Simulated reviewers: what one of them says of a tree, truly or not, and how its call ends.

use ralph_core::{
    ending::Ending,
    handoff::Handoff,
    ids::TaskId,
    input::AgentReport,
    plan::{Criterion, Task},
    settings::Quality,
    time::Timestamp,
};
use serde_json::{Map, Value, json};

use super::{
    agent::Act,
    rng::Rng,
    tree::{Tree, sentence_holds, slot},
};

/// What one review call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opinion {
    /// Says of each sentence what is so.
    Honest,
    /// Approves whatever there is.
    Lies,
    /// Wants something else each time.
    Invents,
    /// Wants the same each time.
    Repeats,
    /// Approves without saying what shows it.
    NoEvidence,
    /// Leaves a criterion out.
    Silent,
    /// Says both of a criterion.
    Contradicts,
    /// Finds only something about quality.
    Nags,
    /// "Looks good to me."
    Prose,
    WrongShape,
    JudgesNothing,
    /// No review: the call ends as such a call of an agent does.
    Fails(Act),
}

/// How bad the reviewers of a run are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Temper {
    Honest,
    Mixed,
    Lying,
    Endless,
    Stubborn,
    Muddled,
    Unwell,
}

impl Temper {
    pub const ALL: [Self; 8] = [
        Self::Honest,
        Self::Honest,
        Self::Mixed,
        Self::Lying,
        Self::Endless,
        Self::Stubborn,
        Self::Muddled,
        Self::Unwell,
    ];

    /// What the next review does.
    pub fn opinion(self, rng: &mut Rng) -> Opinion {
        use Opinion as O;
        let muddled = [
            O::NoEvidence,
            O::Silent,
            O::Contradicts,
            O::Nags,
            O::Prose,
            O::WrongShape,
            O::JudgesNothing,
        ];
        let unwell = [
            Act::Crashes,
            Act::Empty,
            Act::Overloaded,
            Act::Overflows,
            Act::UsageLimit,
            Act::RateLimit,
            Act::TimesOutHalfway,
            Act::Stalls,
            Act::MaxTurns,
            Act::Asks,
            Act::NoStructure,
            Act::Budget,
            Act::AuthFails,
            Act::Killed,
        ];
        let fails = |rng: &mut Rng| O::Fails(rng.pick(&unwell).unwrap_or(Act::Crashes));
        let muddle = |rng: &mut Rng| rng.pick(&muddled).unwrap_or(O::Prose);
        match self {
            Self::Mixed => match rng.below(10) {
                0 => fails(rng),
                1 => muddle(rng),
                2 => O::Lies,
                3 => O::Invents,
                4 => O::Nags,
                _ => O::Honest,
            },
            Self::Lying => O::Lies,
            Self::Endless => O::Invents,
            Self::Stubborn => O::Repeats,
            Self::Muddled if rng.chance(600) => muddle(rng),
            Self::Unwell if rng.chance(600) => fails(rng),
            Self::Honest | Self::Muddled | Self::Unwell => O::Honest,
        }
    }
}

/// What a reviewer really said, and about what.
#[derive(Debug, Clone)]
pub struct Said {
    pub task: TaskId,
    pub iteration: u32,
    pub agent: String,
    pub tree: Tree,
    /// It said what is so.
    pub is_honest: bool,
    /// Nothing, if its words are no review.
    pub review: Option<Findings>,
}

/// The parts of a review that decide.
#[derive(Debug, Clone)]
pub struct Findings {
    /// For each sentence: called met, with something that shows it.
    pub met: Vec<bool>,
    pub blocking: bool,
    pub quality: bool,
}

impl Findings {
    /// Whether this approves.
    pub fn approves(&self, quality: Quality) -> bool {
        let blocks = self.blocking || (self.quality && quality == Quality::Hard);
        !blocks && !self.met.is_empty() && self.met.iter().all(|met| *met)
    }
}

/// The sentences that a reviewer judges; one that says nothing asks for the whole task.
pub fn sentences(task: &Task) -> Vec<String> {
    let all = task.acceptance_criteria.iter().filter(|one| one.check().is_none());
    let all: Vec<String> = all.map(|one| Criterion::text(one).trim().to_owned()).collect();
    if all.is_empty() { vec![String::new()] } else { all }
}

impl Opinion {
    /// What the call reports, and what its review really says.
    pub(super) fn report(
        self,
        (task, tree): (&Task, Tree),
        now: Timestamp,
        rng: &mut Rng,
    ) -> (AgentReport, Option<Findings>) {
        let act = match self {
            Self::Fails(act) => act,
            _ => Act::HalfDone,
        };
        let mut report = act.report(now, rng);
        if report.ending != Ending::Ok {
            return (report, None);
        }
        report.handoff = None;
        let asked = sentences(task);
        let holds = |text: &String| sentence_holds(tree, slot(&task.id), text);
        let truth: Vec<bool> = asked.iter().map(holds).collect();
        let (review, findings) = match self {
            Self::Prose | Self::Fails(_) => {
                report.last_words = "Looks good to me, approved.".into();
                return (report, None);
            }
            Self::WrongShape => (json!({"criteria": "all met", "verdict": "approved"}), None),
            Self::JudgesNothing => {
                (json!({"criteria": [], "findings": [], "summary": "approved"}), None)
            }
            _ => self.say(&asked, &truth, rng),
        };
        if let Value::Object(rest) = review {
            report.handoff = Some(Handoff { rest, ..Handoff::default() });
        }
        (report, findings)
    }

    fn say(self, asked: &[String], truth: &[bool], rng: &mut Rng) -> (Value, Option<Findings>) {
        let mut criteria = Vec::new();
        let mut said = Vec::new();
        for (at, text) in asked.iter().enumerate() {
            let met = self != Self::Honest || truth.get(at) == Some(&true);
            let proof = if self == Self::NoEvidence { "it looks fine" } else { "src/a.rs:3" };
            let is_last = at + 1 == asked.len();
            let entry = |met: bool| {
                json!({
                    "number": at + 1, "criterion": text, "met": met, "evidence": proof,
                    "comment": if met { "" } else { "it is not there" },
                })
            };
            if !(self == Self::Silent && is_last) {
                criteria.push(entry(met));
            }
            if self == Self::Contradicts && is_last {
                criteria.push(entry(false));
            }
            said.push(met);
        }
        let finding = match self {
            Self::Invents => Some(("blocking", format!("the {} is poor", words(rng)))),
            Self::Repeats => Some(("blocking", "the naming is poor".to_owned())),
            Self::Nags => Some(("quality", format!("the {} could be nicer", words(rng)))),
            _ => None,
        };
        let findings = Findings {
            met: said,
            blocking: finding.as_ref().is_some_and(|(severity, _)| *severity == "blocking"),
            quality: finding.as_ref().is_some_and(|(severity, _)| *severity == "quality"),
        };
        let listed: Vec<Value> = finding
            .into_iter()
            .map(|(severity, title)| {
                json!({"severity": severity, "title": title, "detail": "see there", "place": "src/a.rs:9"})
            })
            .collect();
        // One that leaves a criterion open and finds nothing wrong is no review.
        let is_open = matches!(self, Self::NoEvidence | Self::Silent | Self::Contradicts);
        let findings = (!criteria.is_empty() && !is_open).then_some(findings);
        let mut review = Map::new();
        review.insert("criteria".into(), criteria.into());
        review.insert("findings".into(), listed.into());
        review.insert("summary".into(), "that is all".into());
        (Value::Object(review), findings)
    }
}

fn words(rng: &mut Rng) -> String {
    let all = ["naming", "error", "speed", "test", "comment", "layout", "safety", "order"];
    format!("{} of the {}", rng.pick(&all).unwrap_or("form"), rng.pick(&all).unwrap_or("form"))
}
