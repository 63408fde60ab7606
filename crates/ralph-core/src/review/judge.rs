//! Judges a review: which criteria it shows to be met, and what a fixer has to answer.
//!
//! Every doubt counts against approval. A doubt that the reviewer leaves is never a finding: the worker could not answer it.

use serde::{Deserialize, Serialize};

use super::{
    proof::{is_evidence, place_in},
    read::Misfit,
    verdict::{CriterionRuling, Finding, FindingSeverity, Review},
};
use crate::settings::Quality;

/// What a review decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Judgement {
    /// Every criterion is met and nothing blocks.
    pub approved: bool,
    /// One for each criterion, in their order.
    pub rulings: Vec<Ruling>,
    /// What a fixer must answer: criteria that are not met, then what the reviewer found.
    pub findings: Vec<Finding>,
    /// Findings that block nothing.
    pub warnings: Vec<Finding>,
}

/// How one criterion stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// Its place in the task's list.
    pub criterion: usize,
    pub met: bool,
    pub evidence: String,
    /// The reviewer's words, or ralph's where the review leaves it open.
    pub comment: String,
}

/// Judges a review of these criteria, each given with its place in the task's list.
///
/// The reviewer's entries are matched by the number in the order given here, from 1, or else by their text.
/// Entries that match nothing are ignored. A review that leaves a criterion open and finds nothing wrong is no review.
pub fn judge(
    criteria: &[(usize, &str)],
    review: &Review,
    quality: Quality,
) -> Result<Judgement, Misfit> {
    let mut said: Vec<Vec<&CriterionRuling>> = vec![Vec::new(); criteria.len()];
    for entry in &review.criteria {
        if let Some(at) = matching(criteria, entry) {
            said[at].push(entry);
        }
    }
    let mut rulings = Vec::new();
    let mut findings = Vec::new();
    let mut open = None;
    for (number, (&(criterion, text), said)) in (1..).zip(criteria.iter().zip(&said)) {
        let ruled = rule(criterion, said);
        if let Ruled::Open(ruling) = &ruled {
            open.get_or_insert(Misfit::Open { number, why: ruling.comment.clone() });
        }
        if let Ruled::Unmet(ruling) = &ruled {
            findings.push(unmet(number, text, ruling));
        }
        rulings.push(ruled.ruling());
    }
    let mut warnings = Vec::new();
    for found in &review.findings {
        match (found.severity, quality) {
            (FindingSeverity::Blocking, _) | (_, Quality::Hard) => findings.push(found.clone()),
            (FindingSeverity::Quality, Quality::Soft) => warnings.push(found.clone()),
            (FindingSeverity::Quality, Quality::Off) => {}
        }
    }
    if let Some(open) = open.filter(|_| findings.is_empty()) {
        return Err(open);
    }
    // Where there was nothing to judge, nothing is approved.
    let approved = !rulings.is_empty() && findings.is_empty();
    Ok(Judgement { approved, rulings, findings, warnings })
}

/// How the review leaves one criterion.
enum Ruled {
    Met(Ruling),
    /// With a reason that a fixer can answer.
    Unmet(Ruling),
    /// Undecided through the reviewer's own fault.
    Open(Ruling),
}

impl Ruled {
    fn ruling(self) -> Ruling {
        match self {
            Self::Met(ruling) | Self::Unmet(ruling) | Self::Open(ruling) => ruling,
        }
    }
}

fn matching(criteria: &[(usize, &str)], entry: &CriterionRuling) -> Option<usize> {
    let by_number = (entry.number as usize).checked_sub(1).filter(|at| *at < criteria.len());
    by_number.or_else(|| {
        let wanted = plain(&entry.criterion);
        criteria.iter().position(|(_, text)| !wanted.is_empty() && plain(text) == wanted)
    })
}

/// The words alone, in lower case.
fn plain(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// How a criterion stands after all that was said of it.
fn rule(criterion: usize, said: &[&CriterionRuling]) -> Ruled {
    let not_met = |entry: Option<&&CriterionRuling>, comment: String| Ruling {
        criterion,
        met: false,
        evidence: entry.map(|entry| entry.evidence.trim().to_owned()).unwrap_or_default(),
        comment,
    };
    let against = said.iter().find(|entry| !entry.met);
    let in_favour = said.iter().find(|entry| entry.met);
    let proved = said.iter().find(|entry| entry.met && is_evidence(&entry.evidence));
    match (against, in_favour, proved) {
        (Some(no), None, _) if no.comment.trim().is_empty() && no.evidence.trim().is_empty() => {
            Ruled::Open(not_met(None, "the review does not say why it is not met".into()))
        }
        (Some(no), None, _) => Ruled::Unmet(not_met(Some(no), no.comment.trim().to_owned())),
        (Some(no), Some(_), _) => {
            let comment = format!("the review contradicts itself: {}", no.comment.trim());
            let comment = comment.trim_end_matches([':', ' ']).to_owned();
            Ruled::Open(not_met(Some(no), comment))
        }
        (None, _, Some(yes)) => Ruled::Met(Ruling {
            criterion,
            met: true,
            evidence: yes.evidence.trim().to_owned(),
            comment: yes.comment.trim().to_owned(),
        }),
        (None, Some(yes), None) => {
            Ruled::Open(not_met(Some(yes), "it is called met without evidence".into()))
        }
        (None, None, _) => Ruled::Open(not_met(None, "the review does not mention it".into())),
    }
}

fn unmet(number: u32, text: &str, ruling: &Ruling) -> Finding {
    let detail = match (ruling.comment.as_str(), ruling.evidence.as_str()) {
        ("", evidence) => evidence.to_owned(),
        (comment, "") => comment.to_owned(),
        (comment, evidence) => format!("{comment}\nSeen: {evidence}"),
    };
    Finding {
        severity: FindingSeverity::Blocking,
        title: format!("criterion {number} is not met: {}", text.trim()),
        detail,
        place: place_in(&ruling.evidence).unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRITERIA: [(usize, &str); 2] = [(0, "The page is pleasant."), (3, "Errors are told")];

    fn entry(number: u32, text: &str, met: bool, evidence: &str) -> CriterionRuling {
        CriterionRuling {
            number,
            criterion: text.into(),
            met,
            evidence: evidence.into(),
            comment: if met { String::new() } else { "it is not".into() },
        }
    }

    fn met(number: u32) -> CriterionRuling {
        entry(number, "", true, "src/page.rs:7")
    }

    fn of(criteria: Vec<CriterionRuling>) -> Review {
        Review { criteria, findings: Vec::new(), summary: "All is well, approved.".into() }
    }

    fn found(severity: FindingSeverity) -> Finding {
        Finding { severity, title: "t".into(), detail: "d".into(), place: String::new() }
    }

    fn judged(criteria: Vec<CriterionRuling>) -> Judgement {
        judge(&CRITERIA, &of(criteria), Quality::Soft).unwrap_or_else(|open| panic!("{open}"))
    }

    /// The number of the criterion that a review leaves open, and why.
    fn left_open(criteria: Vec<CriterionRuling>) -> (u32, String) {
        match judge(&CRITERIA, &of(criteria), Quality::Soft) {
            Err(Misfit::Open { number, why }) => (number, why),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn all_met_with_evidence_and_nothing_found_is_approved() {
        let judgement = judged(vec![met(2), met(1)]);
        assert!(judgement.approved && judgement.findings.is_empty());
        let places: Vec<_> = judgement.rulings.iter().map(|r| (r.criterion, r.met)).collect();
        assert_eq!(places, [(0, true), (3, true)]);
        assert_eq!(judgement.rulings[0].evidence, "src/page.rs:7");
    }

    #[test]
    fn a_criterion_that_is_not_met_becomes_a_finding_with_its_place() {
        let judgement = judged(vec![met(1), entry(2, "", false, "src/err.rs:9 swallows it")]);
        assert!(!judgement.approved);
        assert_eq!(
            judgement.findings,
            [Finding {
                severity: FindingSeverity::Blocking,
                title: "criterion 2 is not met: Errors are told".into(),
                detail: "it is not\nSeen: src/err.rs:9 swallows it".into(),
                place: "src/err.rs:9".into(),
            }]
        );
    }

    #[test]
    fn a_criterion_that_the_reviewer_leaves_open_makes_no_review_and_no_finding() {
        let no = CriterionRuling { comment: " ".into(), ..entry(2, "", false, "") };
        assert!(left_open(vec![met(1), no]).1.ends_with("say why it is not met"));
        for criteria in [vec![met(1)], vec![met(1), met(1)], vec![met(1), met(7)], vec![]] {
            assert_eq!(left_open(criteria).1, "the review does not mention it");
        }
        for evidence in ["", " ", "n/a", "none", "looks good", "I verified this."] {
            let (number, why) = left_open(vec![met(1), entry(2, "", true, evidence)]);
            assert_eq!((number, why.as_str()), (2, "it is called met without evidence"));
        }
    }

    #[test]
    fn what_a_review_leaves_open_is_no_finding_beside_real_ones() {
        let judgement = judged(vec![entry(1, "", true, "sure"), entry(2, "", false, "src/a.rs:1")]);
        assert!(!judgement.approved && !judgement.rulings[0].met);
        let titles: Vec<_> = judgement.findings.iter().map(|found| found.title.as_str()).collect();
        assert_eq!(titles, ["criterion 2 is not met: Errors are told"]);
    }

    #[test]
    fn numbers_match_first_and_words_where_they_do_not() {
        let by_text = entry(0, " the PAGE is\npleasant ", true, "a.rs:1");
        assert!(judged(vec![by_text, met(2)]).approved);
        let swapped = entry(1, "Errors are told", true, "ab.rs");
        assert!(judged(vec![swapped, met(2)]).approved);
        let unknown = entry(9, "something else", false, "a.rs:1");
        assert!(judged(vec![met(1), met(2), unknown]).approved);
        let wordless =
            judge(&[(0, "?!")], &of(vec![entry(0, "...", true, "a.rs:1")]), Quality::Soft);
        assert!(wordless.is_err());
    }

    #[test]
    fn a_contradiction_leaves_a_criterion_open_and_a_repetition_does_not() {
        for pair in [[met(1), entry(1, "", false, "")], [entry(1, "", false, ""), met(1)]] {
            let mut criteria = pair.to_vec();
            criteria.push(met(2));
            let (number, why) = left_open(criteria);
            assert!(number == 1 && why.starts_with("the review contradicts itself"), "{why}");
        }
        assert!(judged(vec![entry(1, "", true, "sure"), met(1), met(2)]).approved);
    }

    #[test]
    fn quality_blocks_only_where_it_is_told_to() {
        let mut review = of(vec![met(1), met(2)]);
        review.findings = vec![found(FindingSeverity::Quality)];
        for (rule, approved, findings, warnings) in
            [(Quality::Soft, true, 0, 1), (Quality::Hard, false, 1, 0), (Quality::Off, true, 0, 0)]
        {
            let judgement = judge(&CRITERIA, &review, rule).unwrap_or_else(|open| panic!("{open}"));
            assert_eq!(judgement.approved, approved, "{rule:?}");
            assert_eq!((judgement.findings.len(), judgement.warnings.len()), (findings, warnings));
        }
    }

    #[test]
    fn a_blocking_finding_blocks_whatever_the_rule_for_quality() {
        let mut review = of(vec![met(1), met(2)]);
        review.findings = vec![found(FindingSeverity::Blocking)];
        for rule in [Quality::Soft, Quality::Hard, Quality::Off] {
            let judgement = judge(&CRITERIA, &review, rule).unwrap_or_else(|open| panic!("{open}"));
            assert!(!judgement.approved && judgement.rulings.iter().all(|ruling| ruling.met));
            assert_eq!(judgement.findings, review.findings);
        }
    }

    #[test]
    fn without_criteria_nothing_is_approved() {
        let judgement = judge(&[], &of(vec![met(1)]), Quality::Soft);
        assert!(judgement.is_ok_and(|judgement| !judgement.approved));
    }
}
