//! What is played before and after a kill. Each agent acts by what it finds in the prompt and the files, never by
//! how often it was called: a call that was cut off is repeated, and the end must be the same.

use std::{io, path::Path};

use ralph_core::plan::person::TaskWish;

use crate::test_run::{Because, TestRun};

const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
/// Breaks the gate until the prompt tells that it is red.
const REPAIRS: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"\n\
    if grep -q 'FAILED src/BROKEN' \"$STATE/prompt.$N\"; then rm -f src/BROKEN; else touch src/BROKEN; fi";
/// Never mends the first task, does the others.
const GIVES_UP: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"\n\
    if [ \"$TASK\" = T-1 ]; then touch src/BROKEN; grep -q 'FAILED' \"$STATE/prompt.$N\" && echo more > src/more; fi";
/// Commits part of its work itself and leaves the rest.
const COMMITS: &str = "mkdir -p work && echo half > \"work/$TASK.part\"\n\
    git add -A work && git commit -q -m \"own: $TASK\"\necho \"$TASK\" > \"work/$TASK\"";
/// Throws the run branch back on the second task until it is told off.
const VIOLATES: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"\n\
    if [ \"$TASK\" = T-2 ] && ! grep -q 'it was put back' \"$STATE/prompt.$N\"; then\n\
    git reset -q --hard HEAD~1; git branch -q -f main HEAD; git tag -f v1 HEAD >/dev/null; fi";
/// Adds a line each time and claims completion at the third.
const PROMPTED: &str = "echo line >> src/log.txt\n\
    if [ \"$(wc -l < src/log.txt)\" -ge 3 ]; then echo '<promise>COMPLETE</promise>'; exit 0; fi";

/// Fills the disk that holds the journal, on its first call for the second task.
const FILLS: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"\n\
    if [ \"$TASK\" = T-2 ] && [ ! -e \"$STATE/filled\" ]; then\n\
    : > \"$STATE/filled\"; cat /dev/zero > .git/ralph/filler 2>/dev/null; fi; true";

/// Leaves a draft until a reviewer asks for more.
const DRAFTS: &str = "mkdir -p work\n\
    if [ \"$KIND\" = fix ]; then echo \"$TASK final\" > \"work/$TASK\"; else echo \"$TASK draft\" > \"work/$TASK\"; fi";
/// Wants no drafts.
const STRICT: &str =
    "if grep -q draft \"work/$TASK\"; then refuse 'it is a draft'; else approve; fi";
/// Never content with the first task.
const PICKY: &str = "if [ \"$TASK\" = T-1 ]; then refuse 'never good'; else approve; fi";
/// Half of the task, then a question, until the answer is there.
const ASKS: &str = "mkdir -p work\n\
    if grep -q 'Answer: use blue' \"$PROMPT\"; then echo \"$(cat work/T-1), blue\" > work/T-1\n\
    else echo half > work/T-1; handoff '{\"question\":\"Which colour?\"}'; fi";

/// A run to be killed.
pub struct Scenario {
    pub name: &'static str,
    tasks: usize,
    agent: &'static str,
    /// Who reviews; nobody if it is empty.
    reviewer: &'static str,
    settings: &'static str,
    /// The command that starts the run.
    pub first: &'static [&'static str],
    /// The command that takes it up again.
    pub again: &'static [&'static str],
    has_users_changes: bool,
    /// What a person says after an earlier run that needed one.
    wish: Option<fn() -> TaskWish>,
}

const PLAIN: Scenario = Scenario {
    name: "honest",
    tasks: 3,
    agent: HONEST,
    reviewer: "",
    settings: "",
    first: &["run"],
    again: &["run"],
    has_users_changes: false,
    wish: None,
};
const CAP: &str = "[review]\ncap = 1";

/// All of them; the shortest ones first.
fn scenarios() -> Vec<Scenario> {
    let prompt = &["run", "-p", "write three lines"];
    let restart = "[attempts]\non_reject = \"restart\"";
    vec![
        PLAIN,
        Scenario { name: "repair", tasks: 1, agent: REPAIRS, ..PLAIN },
        Scenario { name: "restart", tasks: 1, agent: REPAIRS, settings: restart, ..PLAIN },
        Scenario {
            name: "give-up",
            tasks: 2,
            agent: GIVES_UP,
            settings: "[limits]\nmax_attempts = 2",
            ..PLAIN
        },
        Scenario {
            name: "stash",
            tasks: 1,
            first: &["run", "--stash"],
            has_users_changes: true,
            ..PLAIN
        },
        Scenario {
            name: "worktree",
            tasks: 1,
            first: &["run", "--worktree"],
            has_users_changes: true,
            ..PLAIN
        },
        Scenario {
            name: "wip",
            tasks: 1,
            first: &["run", "--wip"],
            has_users_changes: true,
            ..PLAIN
        },
        Scenario { name: "own-commits", tasks: 2, agent: COMMITS, ..PLAIN },
        Scenario { name: "violation", tasks: 2, agent: VIOLATES, ..PLAIN },
        Scenario { name: "filler", tasks: 2, agent: FILLS, ..PLAIN },
        Scenario {
            name: "prompt",
            tasks: 1,
            agent: PROMPTED,
            first: prompt,
            again: prompt,
            ..PLAIN
        },
        Scenario { name: "review", tasks: 1, agent: DRAFTS, reviewer: STRICT, ..PLAIN },
        Scenario { name: "park", tasks: 2, reviewer: PICKY, settings: CAP, ..PLAIN },
        Scenario {
            name: "answer",
            tasks: 1,
            agent: ASKS,
            reviewer: "approve",
            wish: Some(|| TaskWish::Answer { id: "T-1".into(), text: "use blue".into() }),
            ..PLAIN
        },
        Scenario {
            name: "approve",
            tasks: 1,
            reviewer: PICKY,
            settings: CAP,
            wish: Some(|| TaskWish::Approve { id: "T-1".into() }),
            ..PLAIN
        },
    ]
}

/// The scenario of this name.
///
/// # Panics
/// If there is none.
pub fn scenario(name: &str) -> Scenario {
    let found = scenarios().into_iter().find(|scenario| scenario.name == name);
    found.unwrap_or_else(|| panic!("there is no scenario {name}"))
}

impl Scenario {
    /// The project before the run, with the user's own files in it.
    pub fn build(&self, ralph: &Path) -> io::Result<TestRun> {
        let run = if self.reviewer.is_empty() {
            let run = TestRun::new(ralph, self.tasks, self.agent)?;
            run.without_review(Because::ItCountsCalls)?
        } else {
            TestRun::reviewed(ralph, self.tasks, self.agent, self.reviewer)?
        };
        // `just kill-tests auto` plays all of them in the sandbox.
        let run = match std::env::var("RALPH_TEST_SANDBOX") {
            Ok(mode) if mode != "off" => run,
            _ => run.without_sandbox(Because::ItRepeatsALot),
        };
        // Found by its name alone, so that the settings, and with them all trees, are the same in every folder.
        run.program("bin/scratch-agent", &run.read("agent.sh"))?;
        let settings = run.read("work/.ralph/settings.toml");
        let agent = run.path("agent.sh").display().to_string();
        run.write("work/.ralph/settings.toml", &settings.replace(&agent, "scratch-agent"))?;
        run.write("work/.gitignore", ".ralph/runs/\n.ralph/*.edited-*\nignored/\n")?;
        run.write("work/src/staged.txt", "as committed\n")?;
        run.set(self.settings)?;
        run.amend()?;
        let folders = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{folders}", run.path("bin").display());
        let run = run.with_env("PATH", &path);
        run.git(&["tag", "v1"])?;
        run.write("work/notes.txt", "untracked, mine\n")?;
        run.write("work/ignored/cache", "ignored, mine\n")?;
        if self.has_users_changes {
            run.write("work/src/staged.txt", "staged, mine\n")?;
            run.write("work/src/new.txt", "staged and new, mine\n")?;
            run.git(&["add", "src/staged.txt", "src/new.txt"])?;
            run.write("work/README.md", "edited, mine\n")?;
        }
        if let Some(wish) = self.wish {
            run.ralph(&["run"])?;
            run.wish(wish())?;
        }
        Ok(run)
    }
}
