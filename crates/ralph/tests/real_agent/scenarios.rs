//! What happens to every agent: each scenario plays a small plan with the real `ralph`, asserts how it ended, and
//! tells in a few words what was seen. Assertions are on the journal and on exit codes, never on texts.

use std::{collections::BTreeSet, io};

use serde_json::Value;
use testkit::{
    model::{Failure, Step},
    test_run::TestRun,
};

use crate::{
    clis::{CLAUDE, Cli, QWEN},
    ground::{Ended, Ground, LOOK, LOOKS, does, report, signal},
};

/// A scenario: the CLI that plays it, and what was seen.
pub(crate) type Scenario = fn(&Cli) -> io::Result<String>;

/// A rejected attempt fails the task, so that a charge where none is due cannot be overlooked.
const ONE_ATTEMPT: &str = "[limits]\nmax_attempts = 1";
/// Endings of a turn without a report, which gates judge.
const FINISHED: &[&str] = &["ok", "structured_output_missing"];

/// The model only talks: the turn is over, nothing changed, the task's own check rejects it.
pub(crate) fn text(cli: &Cli) -> io::Result<String> {
    let steps = |_: &str| vec![Step::says("There is nothing to do here.").always()];
    let ground = ground(cli, ONE_ATTEMPT, steps)?;
    let ended = ground.ralph(&["run"])?;
    ended.assert_code(3);
    ground.assert_endings(FINISHED, &ended)?;
    assert_eq!(ground.run.events("attempt_rejected")?.len(), 1);
    assert_eq!(ground.run.statuses(), ["failed"]);
    ground.seen(&ended)
}

/// The model writes the file that the task wants, and says no more than that it did.
pub(crate) fn edit(cli: &Cli) -> io::Result<String> {
    let ground = ground(cli, ONE_ATTEMPT, |work| {
        vec![Step::writes(&format!("{work}/work/T-1"), "right\n"), Step::says("Done.").always()]
    })?;
    let ended = ground.ralph(&["run"])?;
    ended.assert_code(0);
    ground.assert_endings(FINISHED, &ended)?;
    assert_eq!(ground.run.statuses(), ["done"]);
    assert_eq!(ground.run.git(&["show", "ralph/scratch:work/T-1"])?, "right");
    ground.seen(&ended)
}

/// The work of [`edit`] in the box, where only the worktree can be changed and nothing of the home be read.
pub(crate) fn sandbox(cli: &Cli) -> io::Result<String> {
    let ground = ground(cli, ONE_ATTEMPT, |work| {
        let work = format!("{work}/work/T-1");
        vec![Step::runs(LOOKS), Step::writes(&work, "right\n"), Step::says("Done.").always()]
    })?;
    let ended = ground.ralph(&["run"])?;
    ended.assert_code(0);
    ground.assert_endings(FINISHED, &ended)?;
    assert!(ended.said.contains("· bubblewrap · network: "), "{}", ended.said);
    assert_eq!(ground.run.git(&["show", "ralph/scratch:work/T-1"])?, "right");
    ground.assert_kept_in(&ended);
    ground.seen(&ended)
}

/// The model reports in the form that it was asked for, and the report is what the commit says.
pub(crate) fn handoff(cli: &Cli) -> io::Result<String> {
    let ground = ground(cli, ONE_ATTEMPT, |work| does(work, "T-1", "right\n"))?;
    let ended = ground.ralph(&["run"])?;
    ended.assert_code(0);
    assert_eq!(ground.endings()?, ["ok", "ok"], "the work, its review: {}", ended.said);
    let subject = ground.run.git(&["log", "-1", "--format=%s", "ralph/scratch"])?;
    assert!(subject.contains("write T-1 as the model puts it"), "{subject}");
    let calls = ground.run.events("agent_ended")?;
    assert_eq!(
        calls[0]["handoff"]["task_completed"]["summary"],
        report("T-1")["task_completed"]["summary"]
    );
    let with_schema = ground.model.asked().iter().any(|asked| !asked.schema.is_null());
    assert_eq!(with_schema, matches!(cli.name, "claude" | "codex" | "qwen"), "{}", ended.said);
    ground.seen(&ended)
}

/// The allowance is used up for a few seconds: it is waited for, in the agent or outside, and nothing is charged.
pub(crate) fn limit(cli: &Cli) -> io::Result<String> {
    let ground = ground(cli, ONE_ATTEMPT, |work| {
        let refused = Step::fails(Failure::UsageLimit { seconds: 3 });
        [vec![refused], does(work, "T-1", "right\n")].concat()
    })?;
    let ended = ground.ralph(&["run"])?;
    ended.assert_code(0);
    let asked = ground.model.asked();
    assert!(asked.len() >= 3, "{}", ended.said);
    // The others may ask again before they were told to.
    if matches!(cli.name, "claude" | "codex") {
        assert!(Some(asked[1].at) >= asked[0].resets_at, "{:?}", asked[0]);
    }
    ground.assert_endings(&["usage_limit", "ok"], &ended)?;
    ground.assert_uncharged(&ended)?;
    assert_eq!(ground.run.statuses(), ["done"]);
    ground.seen(&ended)
}

/// The allowance is used up for an hour, longer than the run may wait: it ends, resumable, with nothing charged.
pub(crate) fn long_limit(cli: &Cli) -> io::Result<String> {
    // Long enough for a CLI that starts on a busy machine; some then wait in silence.
    let idle = if matches!(cli.name, "claude" | "codex") { "30s" } else { "90s" };
    let settings =
        format!("[limits]\nmax_attempts = 1\nmax_wait = \"5s\"\n[timeouts]\nidle = \"{idle}\"");
    let refused = |_: &str| vec![Step::fails(Failure::UsageLimit { seconds: 3600 }).always()];
    let ground = ground(cli, &settings, refused)?;
    let ended = ground.ralph(&["run"])?;
    if cli.name == QWEN.name {
        // It waits without a word on either stream: to ralph that is a stall.
        ended.assert_code(3);
        assert_eq!(ground.endings()?, ["stalled"], "{}", ended.said);
        return ground.seen(&ended);
    }
    ended.assert_code(4);
    ground.assert_endings(&["usage_limit"], &ended)?;
    ground.assert_uncharged(&ended)?;
    let seen = ground.seen(&ended)?;
    ground.assert_resumable(&ended)?;
    Ok(seen)
}

/// The provider is overloaded for longer than ralph may wait: it is tried again, then the agent cannot be used.
pub(crate) fn overload(cli: &Cli) -> io::Result<String> {
    let settings = "[limits]\nmax_attempts = 1\nmax_wait = \"20s\"\n\
                    [timeouts]\nimplement = { soft = \"3m\", hard = \"4m\" }";
    let ground = ground(cli, settings, |_| vec![Step::fails(Failure::Overloaded).always()])?;
    let ended = ground.ralph(&["run"])?;
    ended.assert_code(4);
    assert_eq!(ground.endings()?, ["overloaded", "overloaded"], "{}", ended.said);
    ground.assert_uncharged(&ended)?;
    let seen = ground.seen(&ended)?;
    ground.assert_resumable(&ended)?;
    Ok(seen)
}

/// The key opens nothing: the run ends at once.
pub(crate) fn login(cli: &Cli) -> io::Result<String> {
    let refused = |_: &str| vec![Step::fails(Failure::LoginRefused).always()];
    let ground = ground(cli, ONE_ATTEMPT, refused)?;
    let ended = ground.ralph(&["run"])?;
    ended.assert_code(4);
    assert_eq!(ground.endings()?, ["auth_failed"], "{}", ended.said);
    ground.assert_uncharged(&ended)?;
    let seen = ground.seen(&ended)?;
    ground.assert_resumable(&ended)?;
    Ok(seen)
}

/// The conversation is too long until ralph asks for less.
pub(crate) fn overflow(cli: &Cli) -> io::Result<String> {
    let ground = ground(cli, ONE_ATTEMPT, |work| {
        let less = "An earlier call ran out of context";
        let done = does(work, "T-1", "right\n").into_iter().map(|step| step.when(less));
        done.chain([Step::fails(Failure::TooLong).always()]).collect()
    })?;
    let ended = ground.ralph(&["run"])?;
    ended.assert_code(0);
    let endings = ["context_overflow", "ok", "ok"];
    assert_eq!(ground.endings()?, endings, "the work twice, its review: {}", ended.said);
    ground.assert_uncharged(&ended)?;
    assert_eq!(ground.run.statuses(), ["done"]);
    ground.seen(&ended)
}

/// ralph is asked to end while a tool runs: nothing is left alive, nothing is charged, and it goes on later.
pub(crate) fn termination(cli: &Cli) -> io::Result<String> {
    let ground = ground(cli, ONE_ATTEMPT, |work| {
        vec![Step::runs(&format!("touch {work}/../state/in; sleep 3000"))]
    })?;
    let child = ground.run.spawn(&["run"])?;
    ground.until_exists("state/in")?;
    signal(&child, "TERM")?;
    let ended = ground.end_of(child)?;
    ended.assert_code(143);
    assert_eq!(ground.processes(), [""; 0], "{}", ended.said);
    assert_eq!(ground.endings()?, ["interrupted"], "{}", ended.said);
    ground.assert_uncharged(&ended)?;
    let seen = ground.seen(&ended)?;
    ground.assert_resumable(&ended)?;
    Ok(seen)
}

fn ground(cli: &Cli, settings: &str, steps: impl FnOnce(&str) -> Vec<Step>) -> io::Result<Ground> {
    let mut ground = Ground::of(cli, 1, steps, |run: &TestRun| {
        // Not every CLI's tool makes folders.
        run.write("work/work/README.md", "# work\n")?;
        run.write("home/secret", "secret")?;
        run.write("work/look.sh", LOOK)?;
        run.set(settings)
    })?;
    if cli.name == CLAUDE.name {
        ground.run = ground.run.with_env("ANTHROPIC_API_KEY", "sk-ant-dummy");
    }
    ground.humbled()
}

impl Ground {
    /// How each call of the agent ended.
    fn endings(&self) -> io::Result<Vec<String>> {
        let calls = self.run.events("agent_ended")?;
        let how = |call: &Value| call["ending"]["how"].as_str().unwrap_or("?").to_owned();
        Ok(calls.iter().map(how).collect())
    }

    /// There were calls, and none ended in any other way.
    fn assert_endings(&self, allowed: &[&str], ended: &Ended) -> io::Result<()> {
        let endings = self.endings()?;
        assert!(!endings.is_empty(), "{}", ended.said);
        assert!(
            endings.iter().all(|how| allowed.contains(&how.as_str())),
            "{endings:?} {}",
            ended.said
        );
        Ok(())
    }

    /// No attempt was rejected, and the work that was accepted was the first attempt.
    fn assert_uncharged(&self, ended: &Ended) -> io::Result<()> {
        assert_eq!(self.run.events("attempt_rejected")?.len(), 0, "{}", ended.said);
        for accepted in self.run.events("attempt_accepted")? {
            assert_eq!(accepted["attempt"], 1, "{}", ended.said);
        }
        Ok(())
    }

    /// Nobody is left, and once the trouble is over the run goes on to its end as if there had been none.
    fn assert_resumable(&self, ended: &Ended) -> io::Result<()> {
        assert_eq!(self.processes(), [""; 0], "{}", ended.said);
        assert_eq!(self.run.statuses(), ["in_progress"], "{}", ended.said);
        self.goes_on(does(&self.run.work().to_string_lossy(), "T-1", "right\n"));
        let resumed = self.ralph(&["resume"])?;
        resumed.assert_code(0);
        assert_eq!(self.run.statuses(), ["done"], "{}", resumed.said);
        self.assert_uncharged(&resumed)
    }

    /// Exit code, how the calls ended, and how often the model was asked.
    fn seen(&self, ended: &Ended) -> io::Result<String> {
        assert_eq!(self.processes(), [""; 0], "{}", ended.said);
        let endings = self.endings()?;
        let kinds: BTreeSet<_> = endings.iter().collect();
        let counted =
            kinds.into_iter().map(|kind| match endings.iter().filter(|one| *one == kind).count() {
                1 => kind.clone(),
                n => format!("{n} {kind}"),
            });
        let counted: Vec<_> = counted.collect();
        let (code, asked) = (ended.code.unwrap_or(-1), self.model.asked().len());
        Ok(format!("exit {code}: {} ({asked} requests)", counted.join(", ")))
    }
}
