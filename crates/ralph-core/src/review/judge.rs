//! Judges a review: which criteria it shows to be met, and what a fixer has to answer.
//!
//! Every doubt counts against approval: silence, contradiction and missing evidence mean not met.

use serde::{Deserialize, Serialize};

use super::{
    proof::{is_evidence, place_in},
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
/// Entries that match nothing are ignored.
pub fn judge(criteria: &[(usize, &str)], review: &Review, quality: Quality) -> Judgement {
    let mut said: Vec<Vec<&CriterionRuling>> = vec![Vec::new(); criteria.len()];
    for entry in &review.criteria {
        if let Some(at) = matching(criteria, entry) {
            said[at].push(entry);
        }
    }
    let mut rulings = Vec::new();
    let mut findings = Vec::new();
    for (number, (&(criterion, text), said)) in (1..).zip(criteria.iter().zip(&said)) {
        let ruling = rule(criterion, said);
        if !ruling.met {
            findings.push(unmet(number, text, &ruling));
        }
        rulings.push(ruling);
    }
    let mut warnings = Vec::new();
    for found in &review.findings {
        match (found.severity, quality) {
            (FindingSeverity::Blocking, _) | (_, Quality::Hard) => findings.push(found.clone()),
            (FindingSeverity::Quality, Quality::Soft) => warnings.push(found.clone()),
            (FindingSeverity::Quality, Quality::Off) => {}
        }
    }
    // Where there was nothing to judge, nothing is approved.
    let approved = !rulings.is_empty() && findings.is_empty();
    Judgement { approved, rulings, findings, warnings }
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
fn rule(criterion: usize, said: &[&CriterionRuling]) -> Ruling {
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
        (Some(no), None, _) => not_met(Some(no), no.comment.trim().to_owned()),
        (Some(no), Some(_), _) => {
            let comment = format!("the review contradicts itself: {}", no.comment.trim());
            not_met(Some(no), comment.trim_end_matches([':', ' ']).to_owned())
        }
        (None, _, Some(yes)) => Ruling {
            criterion,
            met: true,
            evidence: yes.evidence.trim().to_owned(),
            comment: yes.comment.trim().to_owned(),
        },
        (None, Some(yes), None) => not_met(Some(yes), "no evidence was given".into()),
        (None, None, _) => not_met(None, "the review does not mention it".into()),
    }
}

fn unmet(number: usize, text: &str, ruling: &Ruling) -> Finding {
    let detail = match (ruling.comment.as_str(), ruling.evidence.as_str()) {
        ("", "") => "the review does not say why".to_owned(),
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
        judge(&CRITERIA, &of(criteria), Quality::Soft)
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
    fn a_refusal_without_a_reason_is_still_a_finding() {
        let no = CriterionRuling { comment: " ".into(), ..entry(2, "", false, "") };
        let findings = judged(vec![met(1), no]).findings;
        assert_eq!(findings[0].detail, "the review does not say why");
    }

    #[test]
    fn silence_about_a_criterion_is_not_approval() {
        for criteria in [vec![met(1)], vec![met(1), met(1)], vec![met(1), met(7)], vec![]] {
            let judgement = judged(criteria);
            assert!(!judgement.approved && !judgement.rulings[1].met);
            assert_eq!(judgement.rulings[1].comment, "the review does not mention it");
        }
    }

    #[test]
    fn met_without_evidence_is_not_met() {
        for evidence in ["", " ", "n/a", "none", "looks good", "I verified this."] {
            let judgement = judged(vec![met(1), entry(2, "", true, evidence)]);
            assert!(!judgement.approved, "{evidence}");
            assert_eq!(judgement.rulings[1].comment, "no evidence was given");
        }
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
        assert!(!wordless.approved);
    }

    #[test]
    fn a_contradiction_counts_as_not_met_and_a_repetition_does_not() {
        for pair in [[met(1), entry(1, "", false, "")], [entry(1, "", false, ""), met(1)]] {
            let mut criteria = pair.to_vec();
            criteria.push(met(2));
            let judgement = judged(criteria);
            assert!(!judgement.approved);
            assert!(judgement.rulings[0].comment.starts_with("the review contradicts itself"));
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
            let judgement = judge(&CRITERIA, &review, rule);
            assert_eq!(judgement.approved, approved, "{rule:?}");
            assert_eq!((judgement.findings.len(), judgement.warnings.len()), (findings, warnings));
        }
    }

    #[test]
    fn a_blocking_finding_blocks_whatever_the_rule_for_quality() {
        let mut review = of(vec![met(1), met(2)]);
        review.findings = vec![found(FindingSeverity::Blocking)];
        for rule in [Quality::Soft, Quality::Hard, Quality::Off] {
            let judgement = judge(&CRITERIA, &review, rule);
            assert!(!judgement.approved && judgement.rulings.iter().all(|ruling| ruling.met));
            assert_eq!(judgement.findings, review.findings);
        }
    }

    #[test]
    fn without_criteria_nothing_is_approved() {
        assert!(!judge(&[], &of(vec![met(1)]), Quality::Soft).approved);
    }
}
