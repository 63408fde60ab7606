//! `ralph fleet doctor`: whether loops can be worked on from here, and what to do if not.

mod box_test;
mod check;
mod fairness;
mod push;
mod server;

use serde_json::json;

use self::check::{Check, Health};
use super::{context::Context, git};
use crate::{
    cli::DoctorArgs,
    connect::Server,
    error::{CommandError, exit},
    print,
    print::Sign,
};

/// Runs `ralph fleet doctor`.
pub(super) async fn exec(args: &DoctorArgs, context: &Context) -> Result<u8, CommandError> {
    let server = Server::from_environment()?;
    let mut checks = Vec::new();
    match server.client().await {
        Ok(client) => {
            checks.push(server::version(&server, &client).await);
            checks.push(server::attributes(&server, &client, args.fix).await);
            checks.push(server::brains(&client).await);
            checks.push(server::hands(&client, &args.account).await);
            checks.push(fairness::check(&server, &client).await);
        }
        Err(error) => checks.push(Check::failed("server", &error)),
    }
    let repo =
        args.repo.clone().or_else(|| git::ask(&context.folder, &["remote", "get-url", "origin"]));
    checks.extend(repo.map(|repo| push::check(&repo)));
    checks.push(box_test::check(args.ralph.as_deref()));
    if context.printer.is_json {
        let version = env!("CARGO_PKG_VERSION");
        print::answer_json(&json!({ "v": 1, "version": version, "checks": checks }))?;
    } else {
        say(&checks, context)?;
    }
    Ok(code(&checks))
}

/// The gravest of the bad ones, in the documented order.
fn code(checks: &[Check]) -> u8 {
    let is_there = |code: &u8| checks.iter().any(|check| check.exit == *code);
    [exit::REFUSED, exit::WORKSPACE, exit::USAGE].into_iter().find(is_there).unwrap_or(exit::DONE)
}

fn say(checks: &[Check], context: &Context) -> Result<(), CommandError> {
    for check in checks {
        let sign = match check.health {
            Health::Ok => Sign::Ok,
            Health::Warning => Sign::Warning,
            Health::Bad => Sign::Bad,
        };
        context.printer.answer_signed(sign, &format!("{:<11}{}", check.name, check.detail))?;
        let mut fix = check.fix.iter();
        fix.try_for_each(|fix| print::answer(&format!("             help: {fix}")))?;
    }
    let are_warnings = checks.iter().any(|check| check.health == Health::Warning);
    print::answer(&match checks.iter().filter(|check| check.health == Health::Bad).count() {
        0 if are_warnings => "loops can be submitted, but see the warnings".into(),
        0 => "ready to run".into(),
        1 => "1 problem to fix before loops can run".into(),
        count => format!("{count} problems to fix before loops can run"),
    })
}
