//! A hundred secrets in what agents and gates print and write: not one is in anything that ralph leaves.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use ralph_text::{redact::Redactor, sanitise::clean};
use testkit::{
    secrets::{Planted, kinds, planted},
    test_run::{Because, TestRun},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn std::error::Error>>;

fn streamed(redactor: &Redactor, pieces: &[&[u8]]) -> String {
    let (mut stream, mut out) = (redactor.stream(), Vec::new());
    for piece in pieces {
        stream.push(piece, &mut out);
    }
    stream.finish(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn no_cut_of_a_stream_lets_a_planted_secret_through() {
    let redactor = Redactor::default();
    let (all, mut cuts) = (planted(), 0_u64);
    for Planted { kind, value, shown } in &all {
        for text in [format!("one\n{shown}\ntwo\n"), format!("{{\"text\":\"see: {shown}\"}}\n")] {
            let bytes = text.as_bytes();
            for at in 0..=bytes.len() {
                let (first, second) = bytes.split_at(at);
                let out = streamed(&redactor, &[first, second]);
                assert!(!out.contains(value.as_str()), "{kind} cut at {at}");
                cuts += 1;
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert!(!streamed(&redactor, &single).contains(value.as_str()), "{kind}, bytes");
        }
        let bytes = shown.as_bytes();
        for from in (0..bytes.len()).filter(|_| bytes.len() <= 48) {
            for to in from..=bytes.len() {
                let pieces = [&bytes[..from], &bytes[from..to], &bytes[to..]];
                let out = streamed(&redactor, &pieces);
                assert!(!out.contains(value.as_str()), "{kind} cut at {from} and {to}");
                cuts += 1;
            }
        }
    }
    println!("{} secrets of {} kinds, {cuts} ways to cut, 0 let through", all.len(), kinds());
    assert_eq!((all.len(), kinds()), (100, 25));
}

#[test]
fn no_planted_secret_comes_back_when_what_hides_it_is_dropped() {
    let redactor = Redactor::default();
    let all = planted();
    for dropped in [
        "\u{1b}[01;31m\u{1b}[K",
        "\u{1b}]0;t\u{7}",
        "\u{9b}m",
        "\0",
        "\u{8}",
        "\u{200b}",
        "\u{e0041}",
    ] {
        for Planted { kind, value, shown } in &all {
            let begin = shown.find(value.as_str()).unwrap_or_default();
            for at in [begin + 1, begin + value.len() / 2, begin + value.len() - 1] {
                let (first, second) = shown.split_at(at);
                let text = format!("see {first}{dropped}{second}\n");
                let json = serde_json::to_string(&text).unwrap_or_default();
                let told = clean(&redactor.text(&text));
                assert!(!told.contains(value.as_str()), "{kind}, {dropped:?} at {at}: {told}");
                let read = serde_json::from_str::<String>(&redactor.text(&json));
                let told = clean(&read.unwrap_or_default());
                assert!(
                    !told.contains(value.as_str()),
                    "{kind} in JSON, {dropped:?} at {at}: {told}"
                );
            }
        }
    }
}

/// Every file below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.symlink_metadata() {
            Ok(about) if about.is_dir() => files(&path, found),
            Ok(about) if about.is_file() => found.push(path),
            _ => {}
        }
    }
}

/// A text and where it was found.
type Named = (String, Vec<u8>);

/// Everything that ralph left or said, each with a name.
fn left(run: &TestRun) -> Result<Vec<Named>, Box<dyn std::error::Error>> {
    let mut paths = Vec::new();
    for folder in ["work", "home"] {
        files(&run.path(folder), &mut paths);
    }
    let mut all = Vec::new();
    for path in paths {
        all.push((path.display().to_string(), fs::read(&path)?));
        all.push(("the name of a file".into(), path.as_os_str().as_encoded_bytes().to_vec()));
    }
    let mut git = run.command_of("git");
    let objects = git.args(["cat-file", "--batch-all-objects", "--batch"]).output()?;
    assert!(objects.stdout.len() > 1000, "there are objects");
    all.push(("git objects".into(), objects.stdout));
    Ok(all)
}

#[test]
fn nothing_that_ralph_leaves_holds_a_planted_secret() -> Tested {
    let agent = r#"
        dd if="$STATE/../plant/all" bs=7 2>/dev/null
        dd if="$STATE/../plant/all" bs=3 2>/dev/null >&2
        printf '%s and %s\n' "$MY_API_KEY" "$(printf 'x:%s' "$MY_API_KEY" | base64)"
        printf '%s\n' "$MY_API_KEY" | sed "s/that/$(printf '\033')[01;31m&$(printf '\033')[m/"
        handoff "{\"patterns\":[\"it is ${MY_API_KEY%knows}\\u001b[0mknows, ${MY_API_KEY%knows}\\u202eknows\"]}"
        if [ "$NTH" = 1 ]; then
          mkdir -p leaked && cp "$STATE"/../plant/each/* leaked/
          cat "$STATE/../plant/each/000" >> src/main.txt
          echo x > "f-$MY_API_KEY" && ln -s "/x/$MY_API_KEY" link
          printf %s "$MY_API_KEY" | gzip > packed.gz
        fi
        mkdir -p work && echo "$TASK" > "work/$TASK""#;
    let own = "own-value-that-no-pattern-knows";
    // A sandbox would keep the key and the planted files from the agent.
    let run = TestRun::new(RALPH, 2, agent)?
        .without_sandbox(Because::ItReachesOut)
        .with_env("MY_API_KEY", own);
    let all = planted();
    let shown: Vec<String> = all.iter().map(|one| format!("see {}\n", one.shown)).collect();
    run.write("plant/all", &shown.concat())?;
    for (number, text) in shown.iter().enumerate() {
        run.write(&format!("plant/each/{number:03}"), text)?;
    }
    let plant = run.path("plant/all");
    let coloured = own.replace("that", "\\033[01;31mthat\\033[m");
    let gate = format!(
        "#!/bin/sh\ndd if={} bs=5 2>/dev/null\nprintf '{coloured}\\n'\ntest ! -d leaked\n",
        plant.display()
    );
    run.program("work/gate.sh", &gate)?;
    run.amend()?;
    let output = run.ralph(&["run", "--json"])?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("looks like a secret"), "the attempts are rejected: {said}");
    let mut left = left(&run)?;
    left.push(("stdout".into(), output.stdout));
    left.push(("stderr".into(), output.stderr));
    left.push(("report".into(), run.ralph(&["report"])?.stdout));
    left.push(("logs".into(), run.ralph(&["logs"])?.stdout));
    let values = all.iter().map(|one| one.value.as_str()).chain([own]);
    let bytes: usize = left.iter().map(|(_, text)| text.len()).sum();
    let found: Vec<String> = values
        .flat_map(|value| left.iter().map(move |(name, text)| (value, name, text)))
        .filter(|(value, _, text)| text.windows(value.len()).any(|part| part == value.as_bytes()))
        .map(|(value, name, _)| format!("{value} in {name}"))
        .collect();
    println!(
        "{} secrets of {} kinds printed by agent and gate and written to files; {} files and {bytes} bytes looked \
         through, {} found",
        all.len(),
        kinds(),
        left.len(),
        found.len()
    );
    assert!(found.is_empty(), "{found:#?}");
    Ok(())
}

#[test]
fn a_secret_in_the_plan_is_in_nothing_else_that_ralph_writes_for_people() -> Tested {
    let agent = r#"handoff '{"summary":"done","patterns":["a","b"]}'; mkdir -p work && echo "$TASK" > "work/$TASK""#;
    let (own, known) =
        ("own-value-that-no-pattern-knows", "ghp_Zq8Lm3Xv7Tn2Rb9Kc4Hd6Wf1Js5Pg0YaUeIo");
    let run = TestRun::new(RALPH, 2, agent)?.with_env("MY_API_KEY", own);
    let plan = run.read("work/.ralph/plan.json");
    let plan = plan.replacen("make work/T-1", &format!("{own} {known}"), 1);
    assert!(plan.contains(known), "{plan}");
    run.write("work/.ralph/plan.json", &plan)?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for args in [&["report"][..], &["report", "--json"]] {
        let said = String::from_utf8_lossy(&run.ralph(args)?.stdout).into_owned();
        assert!(said.contains("T-1") && !said.contains(own) && !said.contains(known), "{said}");
    }
    let label = format!("sprint {known}");
    let output = run.ralph(&["archive", "--label", &label])?;
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mut paths = Vec::new();
    files(&run.path("work/.ralph"), &mut paths);
    let names: Vec<_> = paths.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    for name in ["report.md", "report.json", "progress.md", "context.json"] {
        assert!(names.contains(&name), "{names:?}");
    }
    for path in paths.iter().filter(|path| !path.ends_with("plan.json")) {
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        assert!(!text.contains(own) && !text.contains(known), "{}: {text}", path.display());
        assert!(!path.display().to_string().contains(known), "{}", path.display());
    }
    Ok(())
}

#[test]
fn no_branch_gets_a_name_with_a_secret() -> Tested {
    let known = "ghp_Zq8Lm3Xv7Tn2Rb9Kc4Hd6Wf1Js5Pg0YaUeIo";
    let run = TestRun::new(RALPH, 1, "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"")?;
    let output = run.ralph(&["run", "--branch", &format!("try/{known}")])?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("would contain a secret") && !said.contains(known), "{said}");
    let plan = run.read("work/.ralph/plan.json");
    for (old, new, words) in [
        ("scratch", "p AKIAZ7QW3ERT5YUI9OPL", "would contain a secret"),
        ("T-1", "T-AKIAZ7QW3ERT5YUI9OPL", "the id of a task looks like a secret"),
    ] {
        run.write("work/.ralph/plan.json", &plan.replacen(old, new, 1))?;
        run.amend()?;
        let output = run.ralph(&["run"])?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words) && !said.contains("AKIAZ"), "{said}");
    }
    let branches = run.command_of("git").args(["branch", "--all"]).output()?;
    let branches = String::from_utf8_lossy(&branches.stdout).to_lowercase();
    assert!(!branches.contains("ghp_") && !branches.contains("akia"), "{branches}");
    Ok(())
}

#[test]
fn a_criterion_that_holds_a_secret_is_verified_like_any_other() -> Tested {
    let run = TestRun::new(RALPH, 1, "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"")?;
    let plan = run.read("work/.ralph/plan.json");
    let plan = plan.replacen("\"text\": \"", "\"text\": \"AKIAZ7QW3ERT5YUI9OPL ", 1);
    assert!(plan.contains("AKIAZ"), "{plan}");
    run.write("work/.ralph/plan.json", &plan)?;
    run.amend()?;
    assert_eq!(run.ralph(&["run"])?.status.code(), Some(0));
    let report = String::from_utf8_lossy(&run.ralph(&["report"])?.stdout).into_owned();
    assert!(report.contains("verified: 1 of 1") && !report.contains("AKIAZ"), "{report}");
    Ok(())
}

#[test]
fn what_ralph_keeps_is_for_its_user_only() -> Tested {
    let run = TestRun::new(RALPH, 1, "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"")?;
    assert_eq!(run.ralph(&["run"])?.status.code(), Some(0));
    let mode =
        |path: &Path| fs::symlink_metadata(path).map(|about| about.permissions().mode() & 0o777);
    for folder in ["work/.git/ralph", "work/.ralph/runs", "home/state/ralph"] {
        assert_eq!(mode(&run.path(folder))?, 0o700, "{folder}");
    }
    let mut paths = Vec::new();
    files(&run.path("work/.ralph/runs"), &mut paths);
    assert!(paths.len() > 5);
    for path in paths {
        assert_eq!(mode(&path)?, 0o600, "{}", path.display());
    }
    // Written by the test itself, so with whatever the umask of this machine leaves.
    let usual = mode(&run.path("work/README.md"))?;
    assert_eq!(mode(&run.path("work/.ralph/plan.json"))?, usual, "people's own");
    Ok(())
}

#[test]
fn nothing_an_agent_or_a_gate_printed_reaches_the_terminal_as_a_command() -> Tested {
    let nasty = "\u{1b}]52;c;aGk=\u{7}\u{1b}]0;title\u{7}\u{1b}]8;;http://x\u{1b}\\link\u{9b}31m\u{9d}2;t\u{9c}\u{1b}[2J";
    let agent = r#"
        cat "$STATE/../nasty"; cat "$STATE/../nasty" >&2
        handoff "{\"summary\":\"$(cat "$STATE/../nasty.json")\"}"
        mkdir -p work && echo x > "work/$(cat "$STATE/../nasty")"
        [ "$NTH" = 1 ] && touch src/BROKEN || rm -f src/BROKEN
        echo "$TASK" > "work/$TASK""#;
    let run = TestRun::new(RALPH, 1, agent)?;
    run.write("nasty", &nasty.replace('/', "-"))?;
    run.write("nasty.json", serde_json::to_string(nasty)?.trim_matches('"'))?;
    let gate = format!("#!/bin/sh\ncat {}\ntest ! -e src/BROKEN\n", run.path("nasty").display());
    run.program("work/gate.sh", &gate)?;
    run.amend()?;
    let output = run.ralph(&["run", "--json", "--verbose"])?;
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let mut said = vec![("run".to_owned(), output)];
    for args in
        [&["status"][..], &["report"], &["replay"], &["task", "show", "T-1"], &["task", "list"]]
    {
        said.push((args.join(" "), run.ralph(args)?));
        let json: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        said.push((json.join(" "), run.ralph(&json)?));
    }
    for (command, output) in said {
        for (stream, bytes) in [("stdout", output.stdout), ("stderr", output.stderr)] {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let harmful = text.chars().find(|c| c.is_control() && *c != '\n');
            assert_eq!(harmful, None, "ralph {command}, {stream}: {text:?}");
        }
    }
    Ok(())
}
