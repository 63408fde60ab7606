//! A loop costs the engine little more than the smallest workflow.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

#[path = "support/server.rs"]
mod server;

use ralph_fleet::bench::{self, Load};
use server::Server;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loops_are_carried_nearly_as_fast_as_the_smallest_workflow() {
    let client = Server::shared().client().await;
    let figures = bench::run(client, &Load { loops: 100, at_once: 20 }).await.unwrap();
    let share = figures.loops_per_second / figures.trivial_per_second;
    println!(
        "{:.1} loops/s, {:.1} trivial workflows/s: {share:.2}",
        figures.loops_per_second, figures.trivial_per_second
    );
    assert!(share > 0.3, "{share}");
}
