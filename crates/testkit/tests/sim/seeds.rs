//! Seeds that once broke an invariant: each stays here after it is mended.
//!
//! A seed means something only as long as scenarios are generated the same way. So each class also has a test of the
//! machine that is written by hand (`ralph-core`, `run/tests/`), and a row here names it.

use testkit::sim::{Options, Scenario, run};

/// Found by `sim`: what was wrong, where it is written by hand, and the seeds.
const FOUND: [(&str, &str, &[u64]); 6] = [
    (
        "a word or a pause that came too late for its call cut the compaction after it",
        "cuts::a_word_that_comes_too_late_for_its_call_cuts_no_other",
        &[26947, 38470, 41110, 48629, 51416],
    ),
    (
        "the oracle forgot that a pause had cut a call once the pause was over",
        "cuts::a_call_that_a_pause_cut_is_not_charged_though_the_pause_is_over_before_its_work_is_kept",
        &[40718, 102_458, 164_614, 178_401, 414_161],
    ),
    (
        "what a finished call had told was forgotten where a stop cut its gates and no other call followed",
        "cuts::what_a_finished_call_told_is_known_though_a_stop_cut_its_gates_and_no_other_call_follows",
        &[78792, 314_536],
    ),
    (
        "`claude` was not called while `claude:opus` rested, though `agent.fallback` names it",
        "policies::a_fallback_without_a_model_is_that_agent_as_it_is_usually_called",
        &[413_364],
    ),
    (
        "a call that the run's own limit cut made its agent unusable",
        "cuts::a_call_that_a_limit_of_the_run_cut_never_makes_its_agent_unusable",
        &[263_597],
    ),
    (
        "what was given up was kept twice where a resume gave a prompt another number of tries",
        "cuts::what_was_given_up_is_kept_once_whatever_limit_the_run_is_taken_up_with",
        &[57196, 67323],
    ),
];

#[test]
fn every_seed_that_once_broke_an_invariant_holds() {
    let mut broken = Vec::new();
    for (class, by_hand, seeds) in FOUND {
        for &seed in seeds {
            let run = run(&Scenario::working(seed), Options::default());
            broken.extend(run.broken.into_iter().map(|one| {
                let words = one.invariant.words();
                format!("seed {seed} ({class}; see {by_hand}): {words}: {}", one.detail)
            }));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_class_of_seeds_has_a_test_that_is_written_by_hand() {
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/../ralph-core/src/run/tests");
    for (_, by_hand, _) in FOUND {
        let (file, name) = by_hand.split_once("::").unwrap_or_default();
        let text = std::fs::read_to_string(format!("{tests}/{file}.rs")).unwrap_or_default();
        assert!(text.contains(&format!("fn {name}()")), "{by_hand} is gone");
    }
}
