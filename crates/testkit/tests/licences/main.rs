//! What the project may be made of, checked without a network: licences, banned crates, duplicates, sources, number.
//!
//! The rules are read from `deny.toml`, so that cargo-deny and these tests cannot disagree.

mod crates;
mod expression;
mod rules;

use crates::Crates;
use rules::Rules;

/// Most crates in the default binary, normal and build dependencies, unique (docs/adr/0009).
const CRATE_BUDGET: usize = 250;

type TestResult = Result<(), Box<dyn std::error::Error>>;

fn none(findings: &[String]) {
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[test]
fn every_crate_has_an_accepted_licence() -> TestResult {
    none(&Rules::load()?.refused_licences(&Crates::of_workspace()?));
    Ok(())
}

#[test]
fn every_crate_of_the_fleet_has_an_accepted_licence() -> TestResult {
    let crates = Crates::of_fleet()?;
    assert!(crates.len() > 200, "{}", crates.len());
    none(&Rules::load()?.refused_licences(&crates));
    Ok(())
}

#[test]
fn no_crate_is_banned() -> TestResult {
    none(&Rules::load()?.banned(&Crates::of_workspace()?));
    Ok(())
}

#[test]
fn no_crate_of_the_binary_comes_twice() -> TestResult {
    none(&Rules::load()?.duplicates(&Crates::of_binary()?));
    Ok(())
}

#[test]
fn every_crate_comes_from_the_registry_or_the_workspace() -> TestResult {
    none(&rules::foreign(&Crates::of_workspace()?));
    Ok(())
}

#[test]
fn the_binary_keeps_within_its_crate_budget() -> TestResult {
    let number = Crates::of_binary()?.len();
    println!("the binary is made of {number} crates (budget {CRATE_BUDGET})");
    assert!(number > 1, "the binary's crates were not found");
    assert!(number <= CRATE_BUDGET, "{number} crates, the budget is {CRATE_BUDGET}");
    Ok(())
}
