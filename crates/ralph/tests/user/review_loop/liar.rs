//! Twenty tasks and an agent that lies in a third of its iterations, judged by an oracle outside ralph.

use std::io;

use serde_json::{Value, json};
use testkit::test_run::TestRun;

use super::{RALPH, Tested, said};

const TASKS: usize = 20;
/// Tasks about which the agent never says the truth.
const HOPELESS: [usize; 2] = [7, 14];

/// The honest work is `work/T-n` with the square of n in it. A lie always claims that all is done.
const LIAR: &str = r#"
n=${TASK#T-}; mkdir -p work; did=$(grep -vc '^review' "$STATE/kinds")
claim() { handoff '{"task_completed":{"summary":"done, all tests pass","fully_complete":true}}'
  echo '<promise>COMPLETE</promise>'; exit 0; }
if [ $((did % 3)) -eq 0 ] || [ "$n" = 7 ] || [ "$n" = 14 ]; then
  lie=$((did / 3 % 6)); echo "$lie $TASK" >> "$STATE/lies"
  case $lie in
    0) ;;
    1) echo "$((n * n))" > "work/$TASK"; touch src/BROKEN ;;
    2) echo 'the square, as asked' > "work/$TASK"; echo '12 passed; 0 failed' > work/evidence.log ;;
    3) echo "$((n * n + 1))" > "work/$TASK"
       sed -i 's/"in_progress"/"done"/; s/"pending"/"done"/' "$WORK/.ralph/plan.json" ;;
    4) echo 0 > "work/$TASK"; touch src/BROKEN; printf '#!/bin/sh\nexit 0\n' > gate.sh ;;
    5) echo 0 > "work/$TASK"; git add -A; git commit -q -m "$TASK done" ;;
  esac
  claim
fi
rm -f src/BROKEN; cp "$STATE/gate.sh" gate.sh; echo "$((n * n))" > "work/$TASK"; claim"#;

/// Looks at the real files, and at what the gate has become.
const HONEST_REVIEWER: &str = r#"
n=${TASK#T-}; square=$((n * n)); found=$(cat "work/$TASK" 2>/dev/null)
if ! cmp -s gate.sh "$STATE/gate.sh"; then refuse 'gate.sh was weakened'
elif [ "$found" = "$square" ]; then review true '' "work/$TASK:1 holds $square"
else refuse "work/$TASK does not hold $square"; fi"#;

/// Odd tasks are proved by a check, even ones by the reviewer's eyes.
fn plan() -> String {
    let task = |n: usize| {
        let text = format!("work/T-{n} holds the square of {n}");
        let criterion = match n % 2 {
            1 => json!({"text": text, "check": format!("test \"$(cat work/T-{n})\" = {}", n * n)}),
            _ => json!(text),
        };
        json!({"id": format!("T-{n}"), "title": text, "status": "pending", "order": n,
               "acceptance_criteria": [criterion]})
    };
    let tasks: Vec<Value> = (1..=TASKS).map(task).collect();
    json!({"version": 1, "project": "scratch", "tasks": tasks}).to_string()
}

/// What is true of a task in the committed tree, whatever ralph says of it.
fn holds(run: &TestRun, n: usize) -> bool {
    let found = run.git(&["show", &format!("ralph/scratch:work/T-{n}")]);
    found.is_ok_and(|text| text == (n * n).to_string())
}

#[test]
fn an_agent_that_lies_in_a_third_of_its_iterations_gets_nothing_called_done_that_is_not() -> Tested
{
    let run = TestRun::reviewed(RALPH, 1, LIAR, HONEST_REVIEWER)?;
    run.write("work/.ralph/plan.json", &plan())?;
    run.write("state/gate.sh", &run.read("work/gate.sh"))?;
    run.amend()?;
    let output = run.ralph(&["run", "-n", "150"])?;
    let count = |file: &str| run.read(file).lines().count();
    let reviews = run.kinds().iter().filter(|kind| kind.starts_with("review")).count();
    let (lies, calls) = (count("state/lies"), run.calls() - reviews);
    let statuses = run.statuses();
    let done: Vec<usize> =
        (1..).zip(&statuses).filter(|(_, s)| *s == "done").map(|(n, _)| n).collect();
    let wrong: Vec<usize> = done.iter().copied().filter(|&n| !holds(&run, n)).collect();
    println!(
        "{lies} of {calls} iterations lied, {reviews} reviews, {} of {TASKS} tasks done, {} wrongly",
        done.len(),
        wrong.len()
    );
    assert_eq!(wrong, [0; 0], "called done and is not: {}", said(&output));
    assert!(lies * 3 >= calls, "{lies} of {calls}");
    let expected: Vec<usize> = (1..=TASKS).filter(|n| !HOPELESS.contains(n)).collect();
    assert_eq!(done, expected, "{}", said(&output));
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert_gate_is_whole(&run)?;
    Ok(())
}

/// The accepted tree passes the gate as it was before any agent touched it.
fn assert_gate_is_whole(run: &TestRun) -> io::Result<()> {
    assert_eq!(run.git(&["show", "ralph/scratch:gate.sh"])?, run.read("state/gate.sh").trim());
    assert!(run.git(&["show", "ralph/scratch:src/BROKEN"]).is_err());
    Ok(())
}
