//! What the command line means, old names included.

use clap::Parser as _;

use super::*;
use crate::command_line::args::{Cli, Command};

fn request(line: &str) -> Result<RunRequest, String> {
    let words = line.split(' ').filter(|word| !word.is_empty());
    let cli = Cli::try_parse_from(std::iter::once("ralph").chain(words))
        .map_err(|error| error.to_string())?;
    match cli.command {
        Some(Command::Run(args)) => args.request().map_err(|error| error.to_string()),
        Some(Command::Prompt(args)) => args.request().map_err(|error| error.to_string()),
        other => Err(format!("{other:?}")),
    }
}

#[test]
fn numbers_and_names_are_understood_wherever_they_stand() {
    let table: [(&str, Option<u32>, Work); 12] = [
        ("run", None, Work::Plan),
        ("run 20", Some(20), Work::Plan),
        ("build 20", Some(20), Work::Plan),
        ("run -n 5", Some(5), Work::Plan),
        ("run -m 7", Some(7), Work::Plan),
        ("run -m opus", None, Work::Plan),
        ("run --max-iterations 3", Some(3), Work::Plan),
        ("run --maximum-iterations 3", Some(3), Work::Plan),
        ("run T-003 T-007 9", Some(9), Work::Tasks(vec!["T-003".into(), "T-007".into()])),
        ("run -p hello", None, Work::Text("hello".into())),
        ("run -f todo.md -n 4", Some(4), Work::File("todo.md".into())),
        ("prompt todo.md 4", Some(4), Work::File("todo.md".into())),
    ];
    for (line, iterations, work) in table {
        let request = request(line);
        assert_eq!(
            request.as_ref().map(|r| (r.max_iterations, r.work.clone())),
            Ok((iterations, work)),
            "{line}"
        );
    }
}

#[test]
fn flags_become_settings_by_their_dotted_names() {
    let table: [(&str, &[(&str, &str)]); 16] = [
        ("run", &[]),
        ("run -m opus", &[("agent.model", "opus")]),
        ("run --agent codex --model gpt", &[("agent.command", "codex"), ("agent.model", "gpt")]),
        ("run -c FERTIG", &[("claims.completion_response", "FERTIG")]),
        ("run --no-stream-agent-output", &[("display.stream", "false")]),
        ("run --no-sandbox", &[("sandbox.mode", "off")]),
        ("run --sandbox=off", &[("sandbox.mode", "off")]),
        ("run --sandbox", &[("sandbox.mode", "auto")]),
        ("run --sandbox=seatbelt", &[("sandbox.mode", "seatbelt")]),
        ("run --skip-review", &[("review.mode", "off")]),
        ("run --review", &[("review.mode", "on")]),
        ("run --review=auto --review-cap 3", &[("review.mode", "auto"), ("review.cap", "3")]),
        ("run --review=off", &[("review.mode", "off")]),
        ("run --skip-review --review-cap 2", &[("review.mode", "off"), ("review.cap", "2")]),
        (
            "run --worktree --trust-agent",
            &[("claims.trust_agent", "true"), ("git.workspace", "worktree")],
        ),
        ("run --timeout-multiplier 1.5", &[("timeouts.multiplier", "1.5")]),
    ];
    for (line, expected) in table {
        let found = request(line).map(|request| {
            let flags = request.flags.into_iter();
            flags.map(|flag| (flag.key, flag.value)).collect::<Vec<_>>()
        });
        let expected: Vec<(String, String)> =
            expected.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        assert_eq!(found, Ok(expected), "{line}");
    }
}

#[test]
fn a_conflict_names_both_flags() {
    let table = [
        ("run -n 5 7", ["-n", "trailing number"]),
        ("run -n 5 -m 7", ["-n", "-m"]),
        ("run -m opus --model sonnet", ["-m", "--model"]),
        ("run -p x -f y", ["--prompt", "--prompt-file"]),
        ("run -p x T-001", ["--prompt", "TASK"]),
        ("run --wip --stash", ["--wip", "--stash"]),
        ("run --stash --worktree", ["--stash", "--worktree"]),
        ("run --resume --fresh", ["--resume", "--fresh"]),
        ("run --sandbox --no-sandbox", ["--sandbox", "--no-sandbox"]),
        ("run --review --skip-review", ["--review", "--skip-review"]),
        ("run --add-signal", ["--add-signal", "-p or -f"]),
    ];
    for (line, names) in table {
        let error = request(line).err().unwrap_or_default();
        for name in names {
            assert!(error.contains(name), "{line}: {error}");
        }
    }
}

#[test]
fn a_sandbox_that_nobody_knows_is_not_understood() {
    let error = request("run --sandbox=bubblewrp").err().unwrap_or_default();
    assert!(error.contains("bubblewrap") && error.contains("seatbelt"), "{error}");
    let error = request("run --sandbox=landlock").err().unwrap_or_default();
    assert!(error.contains("0.2.0 dropped `landlock`: use `auto`"), "{error}");
    assert!(request("run -n 0").is_err());
}

#[test]
fn dirty_trees_are_treated_as_said() {
    let dirty = |line: &str| request(line).map(|request| request.dirty);
    assert_eq!(dirty("run"), Ok(DirtyPolicy::Refuse));
    assert_eq!(dirty("run --wip"), Ok(DirtyPolicy::Wip));
    assert_eq!(dirty("run --stash"), Ok(DirtyPolicy::Stash));
}

#[test]
fn a_sandbox_mode_without_its_sign_is_not_taken_for_a_task() {
    let told = request("run --sandbox bubblewrap");
    assert_eq!(told.err().as_deref(), Some("--sandbox needs `=` before its mode"));
    let tasks = request("run --sandbox T-1").map(|request| request.work);
    assert_eq!(tasks, Ok(Work::Tasks(vec!["T-1".into()])));
    let task = request("run off").map(|request| request.work);
    assert_eq!(task, Ok(Work::Tasks(vec!["off".into()])), "without the flag it is a name");
}
