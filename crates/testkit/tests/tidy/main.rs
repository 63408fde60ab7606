//! House rules that neither Cargo nor clippy can check. Every rule is proved by a planted breach beside it.

mod arrows;
mod circles;
mod defaults;
mod documents;
mod git;
mod layers;
mod markup;
mod modules;
mod programs;
mod reads;
mod registries;
mod repository;
mod shape;
mod sizes;
mod texts;
mod words;
mod writes;

use repository::Repository;

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// The rule holds for this repository.
fn holds(rule: fn(&Repository) -> Vec<String>) -> TestResult {
    let findings = rule(&Repository::load()?);
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
    Ok(())
}

#[test]
fn the_repository_is_seen() -> TestResult {
    let repository = Repository::load()?;
    assert!(repository.rust_below("crates/ralph-core/src/").count() > 10);
    assert!(!repository.text("Cargo.toml").is_empty());
    Ok(())
}

#[test]
fn manifests_keep_to_their_crates_rule() -> TestResult {
    holds(layers::manifests)
}

#[test]
fn code_uses_only_what_it_may_know() -> TestResult {
    holds(layers::uses)
}

#[test]
fn files_form_no_circle() -> TestResult {
    holds(circles::of_files)
}

#[test]
fn modules_keep_to_their_layer() -> TestResult {
    holds(circles::of_modules)
}

#[test]
fn the_map_leads_to_files_that_are_there() -> TestResult {
    holds(documents::places)
}

#[test]
fn every_module_has_a_layer() -> TestResult {
    holds(circles::layers_are_complete)
}

#[test]
fn tests_use_the_defaults() -> TestResult {
    holds(defaults::are_used)
}

#[test]
fn git_is_started_in_one_place() -> TestResult {
    holds(git::one_way)
}

#[test]
fn markup_is_escaped_everywhere_but_in_one_place() -> TestResult {
    holds(markup::one_place)
}

#[test]
fn programs_are_started_in_one_way() -> TestResult {
    holds(programs::one_way)
}

#[test]
fn the_list_of_programs_outside_a_sandbox_is_current() -> TestResult {
    holds(programs::lists_are_current)
}

#[test]
fn files_of_a_project_are_read_in_one_way() -> TestResult {
    holds(reads::one_way)
}

#[test]
fn files_are_written_whole_in_one_way() -> TestResult {
    holds(writes::one_way)
}

#[test]
fn registries_are_complete() -> TestResult {
    holds(registries::complete)
}

#[test]
fn every_file_begins_with_what_it_owns() -> TestResult {
    holds(shape::headers)
}

#[test]
fn no_file_is_too_long() -> TestResult {
    holds(shape::too_long)
}

#[test]
fn long_files_are_listed() -> TestResult {
    println!("{}", shape::long(&Repository::load()?).join("\n"));
    Ok(())
}

#[test]
fn no_crate_grows_past_its_limit() -> TestResult {
    let repository = Repository::load()?;
    println!("{}", sizes::table(&repository).join("\n"));
    let findings = sizes::within(&repository);
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
    Ok(())
}

#[test]
fn no_module_has_a_name_that_says_nothing() -> TestResult {
    holds(shape::names)
}

#[test]
fn nothing_says_that_it_is_unfinished() -> TestResult {
    holds(texts::unfinished)
}

#[test]
fn no_test_is_switched_off() -> TestResult {
    holds(texts::switched_off)
}

#[test]
fn nothing_names_one_machine() -> TestResult {
    holds(texts::machines)
}

#[test]
fn nothing_names_a_registry_host() -> TestResult {
    holds(texts::hosts)
}

#[test]
fn no_file_is_large() -> TestResult {
    holds(texts::large)
}

#[test]
fn every_decision_is_listed() -> TestResult {
    holds(documents::decisions)
}

#[test]
fn the_changelog_has_an_unreleased_section() -> TestResult {
    holds(documents::changelog)
}

#[test]
fn every_command_is_described() -> TestResult {
    holds(documents::commands)
}
