//! `ralph fleet __bench`: how many loops per second this server carries, beside the smallest workflow.

use super::context::Context;
use crate::{
    bench::{self, Load},
    cli::BenchArgs,
    error::{CommandError, exit},
    print,
};

/// Runs `ralph fleet __bench`.
pub(super) async fn exec(args: &BenchArgs, context: &Context) -> Result<u8, CommandError> {
    let load = Load { loops: args.loops, at_once: args.at_once };
    let figures = bench::run(context.client().await?, &load).await.map_err(|error| {
        let why = error.chain().map(ToString::to_string).collect();
        CommandError::usage("the benchmark failed", "run ralph fleet doctor").because(why)
    })?;
    let (loops, reached) = (figures.loops_per_second, figures.reached_per_second);
    let trivial = figures.trivial_per_second;
    let (share, reached_share) = (loops / trivial, reached / trivial);
    print::answer(&format!(
        "{loops:.1} loops/s, {trivial:.1} trivial workflows/s: {share:.2}; \
         {reached:.1} loops/s that report their host: {reached_share:.2}"
    ))?;
    Ok(exit::DONE)
}
