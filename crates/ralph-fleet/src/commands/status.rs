//! `ralph fleet status ID`: how a loop is, by the server, by itself, and by the stint under way.

use serde_json::json;
use temporalio_client::WorkflowExecutionDescription;

use super::{
    context::Context,
    list::dollars,
    pollers,
    reach::{self, Reached, is_open},
    result,
};
use crate::{
    cli::LoopArg,
    error::{CommandError, exit},
    hands::rest,
    print,
    search_attributes::{self, QUEUED, WORKING},
    wire::{Ask, LoopSpec, Progress, Status, StintReport},
    words::{count, moment},
};

/// Runs `ralph fleet status`.
pub(super) async fn exec(args: &LoopArg, context: &Context) -> Result<u8, CommandError> {
    let client = context.client().await?;
    let reached = Reached::new(&client, &args.id);
    let description = reached.describe().await?;
    if !is_open(&description) {
        let ended = result::of(&reached).await?;
        result::say(&reached, &ended, context)?;
        return Ok(exit::DONE);
    }
    let status = reached.status().await?;
    let progress = reach::progress(&description);
    let state = state(status.as_ref(), progress.as_ref());
    let account = status.as_ref().filter(|_| state == QUEUED).map(|status| &status.spec.account);
    let rests_until_ms = match account {
        // What the server does not tell now is no reason to show nothing.
        Some(account) => rest::until(&client, account).await.ok().flatten(),
        None => None,
    };
    if context.printer.is_json {
        print::answer_json(&json!({
            "v": 1, "loop": reached.id, "state": state, "account_rests_until_ms": rests_until_ms,
            "asks": status.as_ref().map(asks).unwrap_or_default(),
            "history_events": description.history_length(), "status": status, "progress": progress,
        }))?;
    } else {
        let mut lines = lines(&reached.id, &description, status.as_ref(), progress.as_ref());
        if let Some(account) = account {
            let hands = pollers::hands(&client, account).await.ok();
            lines.extend(why_queued(account, rests_until_ms, hands));
        }
        lines.iter().try_for_each(|line| print::answer(line))?;
    }
    Ok(exit::DONE)
}

/// One word for how it is.
fn state(status: Option<&Status>, progress: Option<&Progress>) -> &'static str {
    let Some(status) = status else { return "unknown" };
    if status.place.is_some() || progress.is_some() {
        return WORKING;
    }
    let last = status.last.as_ref().filter(|_| status.waiting.is_some());
    last.map_or(QUEUED, |last| search_attributes::state(&last.end))
}

/// The tasks that wait for a person, by the last report. Where a person has let the run go on since, what was given up
/// is tried again.
fn asks(status: &Status) -> Vec<&Ask> {
    let Some(last) = &status.last else { return Vec::new() };
    let goes_on = last.needs_person() && status.waiting.is_none();
    Ask::open(&last.asks, &status.pending).filter(|ask| !(goes_on && ask.failed)).collect()
}

/// What a task waits for, and what to type about it.
fn ask(id: &str, ask: &Ask) -> Vec<String> {
    let Ask { task, question, why, failed, work } = ask;
    if let Some(question) = question {
        return vec![
            format!("  {task} asks: {question}"),
            format!("  answer it: ralph fleet answer {id} {task} \"…\""),
        ];
    }
    let why = why.as_deref().unwrap_or_default();
    let how = if *failed { "was given up" } else { "waits for you" };
    let mut lines = vec![format!("  {task} {how}: {why}")];
    lines.extend(work.iter().map(|at| format!("  its work: {at} on the remote")));
    let words: &[&str] = if *failed { &["retry", "skip"] } else { &["approve", "retry", "skip"] };
    let words: Vec<String> =
        words.iter().map(|word| format!("ralph fleet {word} {id} {task}")).collect();
    lines.push(format!("  look at it: ralph fleet watch {id}"));
    lines.push(format!("  decide: {}", words.join(", or ")));
    lines
}

/// Why a loop is queued, by its account alone.
fn why_queued(account: &str, rests_until_ms: Option<i64>, hands: Option<usize>) -> Vec<String> {
    let mut lines: Vec<String> = rests_until_ms
        .map(|until| {
            let until = moment(until);
            format!(
                "  account {account} rests after a usage limit until {until}; its loops continue then"
            )
        })
        .into_iter()
        .collect();
    if hands == Some(0) {
        lines.push(format!(
            "  no hands of account {account} have polled in the last minutes: all are busy, or none are running"
        ));
        lines.push(format!("  start hands: {}", pollers::starts_hands(account)));
    }
    lines
}

fn lines(
    id: &str,
    description: &WorkflowExecutionDescription,
    status: Option<&Status>,
    progress: Option<&Progress>,
) -> Vec<String> {
    let mut lines = vec![format!("{id}: {}", state(status, progress))];
    if let Some(Progress { host, phase, task, iteration, done, tasks, .. }) = progress {
        let task = if task.is_empty() { String::new() } else { format!(", task {task}") };
        let so_far = match tasks {
            0 => "nothing reported yet".to_owned(),
            _ => format!("iteration {iteration}{task}; {done} of {tasks} tasks done"),
        };
        lines.push(format!("  on {host}: {phase}, {so_far}"));
    }
    let Some(status) = status else {
        lines.push("  no brain answers: is one running?".into());
        return lines;
    };
    lines.extend(status.waiting.iter().map(|why| format!("  waits: {why}")));
    lines.extend(asks(status).into_iter().flat_map(|one| ask(id, one)));
    let needs_person = status.last.as_ref().is_some_and(StintReport::needs_person);
    if needs_person && status.waiting.is_some() && asks(status).is_empty() {
        lines.push(format!("  look at it: ralph fleet watch {id}"));
        lines.push(format!("  resume it: ralph fleet resume {id}"));
    }
    lines.extend(status.last.iter().map(last));
    let weaker = status.last.iter().flat_map(|last| &last.weaker);
    lines.extend(weaker.map(|one| format!("  ! {one}")));
    lines.extend(result::kept(&status.kept));
    if !status.pending.is_empty() {
        lines.push(format!("  not delivered yet: {}", count(status.pending.len(), "request")));
    }
    // Once the next one is at work, it is over.
    let trouble = status.trouble.iter().filter(|_| status.place.is_none());
    if status.failures > 1 && status.place.is_none() {
        lines.push(format!("  {} in a row did not report", count(status.failures, "stint")));
    }
    lines.extend(
        trouble.map(|why| format!("  the last stint did not report: {why}; another one follows")),
    );
    let LoopSpec { branch, repo, account, tenant, .. } = &status.spec;
    lines.push(format!("  {branch} on {repo}, account {account}, tenant {tenant}"));
    lines.push(format!(
        "  {}, {} history events",
        count(status.stints, "stint"),
        description.history_length()
    ));
    lines
}

fn last(report: &StintReport) -> String {
    let StintReport { done, tasks, iterations, cost_micro_usd, host, .. } = report;
    let cost = dollars(i64::try_from(*cost_micro_usd).unwrap_or(i64::MAX));
    let cost = cost.map(|cost| format!(", {cost}")).unwrap_or_default();
    let iterations = count(*iterations, "iteration");
    format!("  after its last stint on {host}: {done} of {tasks} tasks done, {iterations}{cost}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{PAUSED, StintEnd, Times};

    fn status() -> Status {
        let spec = LoopSpec {
            repo: "r".into(),
            branch: "b".into(),
            tenant: "t".into(),
            account: "a".into(),
            submission: String::new(),
            limits: crate::wire::Limits::default(),
            times: Times::default(),
        };
        Status {
            spec,
            stints: 0,
            place: None,
            waiting: None,
            pending: Vec::new(),
            last: None,
            failures: 0,
            trouble: None,
            kept: std::collections::BTreeMap::new(),
        }
    }

    fn after(end: &StintEnd) -> Status {
        let facts = serde_json::json!({ "end": end, "done": 1, "tasks": 2, "iterations": 1, "cost_micro_usd": 0,
            "truth": "", "host": "h", "took_over": false, "warm": false, "delivered": [] });
        let last = serde_json::from_value(facts).unwrap();
        Status { last: Some(last), waiting: Some("…".into()), ..status() }
    }

    #[test]
    fn what_waits_is_shown_with_what_to_type_also_while_others_are_worked_on() {
        let facts = serde_json::json!([{ "task": "T-2", "question": "Which colour?" },
            { "task": "T-3", "why": "the reviewer still wants changes", "work": "refs/ralph/r/kept/2/T-3" },
            { "task": "T-4", "why": "3 attempts", "failed": true }]);
        let mut asked = after(&StintEnd::NeedsPerson { why: "2 parked".into() });
        asked.last.as_mut().unwrap().asks = serde_json::from_value(facts).unwrap();
        let lines: Vec<String> =
            asks(&asked).iter().flat_map(|one| ask("loop/h/app@b", one)).collect();
        let wanted = [
            "  T-2 asks: Which colour?",
            "  answer it: ralph fleet answer loop/h/app@b T-2 \"…\"",
            "  T-3 waits for you: the reviewer still wants changes",
            "  its work: refs/ralph/r/kept/2/T-3 on the remote",
            "  look at it: ralph fleet watch loop/h/app@b",
            "  decide: ralph fleet approve loop/h/app@b T-3, or ralph fleet retry loop/h/app@b T-3, \
             or ralph fleet skip loop/h/app@b T-3",
            "  T-4 was given up: 3 attempts",
            "  look at it: ralph fleet watch loop/h/app@b",
            "  decide: ralph fleet retry loop/h/app@b T-4, or ralph fleet skip loop/h/app@b T-4",
        ];
        assert_eq!(lines, wanted);
        let tasks = |status: &Status| -> Vec<String> {
            asks(status).iter().map(|ask| ask.task.clone()).collect()
        };
        let goes_on = Status { waiting: None, ..asked };
        assert_eq!(tasks(&goes_on), ["T-2", "T-3"], "a person wants it tried again");
        let mut others = goes_on.clone();
        others.last.as_mut().unwrap().end = StintEnd::Boundary;
        assert_eq!(tasks(&others), ["T-2", "T-3", "T-4"]);
    }

    #[test]
    fn a_queued_loop_says_that_its_account_rests_or_has_no_hands() {
        let resting = why_queued("team", Some(1_800_000_000_000), Some(3));
        assert_eq!(
            resting,
            [
                "  account team rests after a usage limit until 2027-01-15 08:00 UTC; its loops continue then"
            ]
        );
        let alone = why_queued("team", None, Some(0));
        assert!(alone[0].contains("no hands of account team") && alone.len() == 2, "{alone:?}");
        assert_eq!(why_queued("team", Some(1), Some(0)).len(), 3);
        assert!(why_queued("team", None, Some(1)).is_empty());
        assert!(why_queued("team", None, None).is_empty(), "nobody knows");
    }

    #[test]
    fn one_word_says_how_it_is() {
        assert_eq!(state(None, None), "unknown");
        assert_eq!(state(Some(&status()), None), "queued");
        assert_eq!(state(Some(&status()), Some(&Progress::default())), "working");
        assert_eq!(state(Some(&after(&StintEnd::Wait { until_ms: 1 })), None), "waiting");
        assert_eq!(
            state(Some(&after(&StintEnd::NeedsPerson { why: "?".into() })), None),
            "needs_person"
        );
        assert_eq!(
            state(Some(&after(&StintEnd::NeedsPerson { why: PAUSED.into() })), None),
            "paused"
        );
        for end in [StintEnd::Boundary, StintEnd::NeedsPerson { why: "?".into() }] {
            let goes_on = Status { waiting: None, ..after(&end) };
            assert_eq!(state(Some(&goes_on), None), "queued");
        }
    }
}
