//! The first minute of a newcomer with the real CLI in the box: one command in a repository that knows nothing of ralph,
//! and a task that is verified. Prints how long it took beside a model that answers at once.

use std::{cell::RefCell, time::Instant};

use serde_json::json;
use testkit::model::Step;

use crate::{
    Tested,
    clis::CLAUDE,
    ground::{Ground, PLANS, does, draft},
    island::on_island,
};

#[test]
fn one_command_ends_with_a_verified_task() -> Tested {
    on_island("first_minute::one_command_ends_with_a_verified_task", || {
        let agent = RefCell::new(String::new());
        let steps = |work: &str| {
            let mut one = draft();
            one["tasks"] = json!([one["tasks"][0]]);
            let planning = vec![Step::reports(one).when(PLANS)];
            [planning, does(work, "T-1", "one\n")].concat()
        };
        let ground = Ground::of(&CLAUDE, 0, steps, |run| {
            let settings = run.read("work/.ralph/settings.toml");
            let command =
                settings.split("command = \"").nth(1).and_then(|rest| rest.split('"').next());
            *agent.borrow_mut() = command.unwrap_or_default().to_owned();
            std::fs::remove_dir_all(run.path("work/.ralph"))
        })?;
        let mut ground = ground.humbled()?;
        ground.run = ground.run.with_env("ANTHROPIC_API_KEY", "sk-ant-dummy");
        let began = Instant::now();
        let ended = ground.ralph(&["make the file", "--yes", "--agent", &agent.borrow()])?;
        let took = began.elapsed();
        ended.assert_code(0);
        assert_eq!((ground.model.left(), ground.model.unscripted()), (0, 0), "{}", ended.said);
        assert_eq!(ground.run.statuses(), ["done"], "{}", ended.said);
        assert!(ended.said.contains("review ✓  2/2 criteria"), "{}", ended.said);
        println!("first verified task: {:.1} s after one command", took.as_secs_f64());
        Ok(())
    })
}
