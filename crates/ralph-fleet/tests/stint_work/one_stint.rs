//! A stint in a process of its own, as a worker has it: tests start and kill it.

use std::{env, error::Error};

use ralph_fleet::{
    stint::{Host, Line, Rank},
    wire::StintInput,
};

fn main() -> Result<(), Box<dyn Error>> {
    let input: StintInput = serde_json::from_str(&env::var("FLEET_TEST_INPUT")?)?;
    let (name, root) = (env::var("FLEET_TEST_HOST")?, env::var("FLEET_TEST_ROOT")?);
    let mut host = Host::new(name, root, env::var("RALPH_BIN")?);
    host.local = vec![input.spec.repo.clone().into()];
    host.home = Some(env::var("FLEET_TEST_HOME")?.into());
    let rank = Rank { scheduled_ms: 1, attempt: 1 };
    let ended = host.work(&input, rank, &Line::new(&host.name), None);
    ended.map(drop).map_err(|lost| format!("{lost:?}").into())
}
