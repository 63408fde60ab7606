//! What a person writes into `.ralph/progress.md` stays there word for word, and agents get it.

use testkit::{test_run::TestRun, told::assert_code};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const FILE: &str = "work/.ralph/progress.md";
/// Keeps its prompt, and reports a pattern and that a person's note no longer holds.
const AGENT: &str = r#"cp "$PROMPT" "$STATE/prompt-$TASK"; mkdir -p work && echo "$TASK final" > "work/$TASK"
handoff '{"summary":"done","patterns":["tests are in t/"],"supersedes":["use bun"]}'"#;

type Tested = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_file_of_a_person_survives_every_run_and_reaches_every_agent() -> Tested {
    let run = TestRun::new(RALPH, 2, AGENT)?;
    let rule = |n: usize| format!("* rule {n} {}", "x".repeat(n * 8));
    let long = (0..60).map(rule).collect::<Vec<_>>().join("\n");
    let notes = format!("# What we know\n\nuse bun\n\n---\n\n{long}");
    run.write(FILE, &notes)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    run.write("state/wish.md", "Make the file work/T-9.\n")?;
    let wish = run.path("state/wish.md").display().to_string();
    assert_code(&run.ralph(&["prompt", &wish, "--fresh", "-n", "1"])?, 1);
    assert_code(&run.ralph(&["run", "--fresh"])?, 0);
    let file = run.read(FILE);
    assert!(file.contains(notes.trim_end()), "{file}");
    assert_eq!(file.matches("use bun").count(), 1, "{file}");
    for task in ["T-1", "T-2"] {
        let prompt = run.read(&format!("state/prompt-{task}"));
        assert!(prompt.contains("- use bun") && prompt.contains("- rule 7 "), "{prompt}");
    }
    Ok(())
}

#[test]
fn a_line_among_the_patterns_of_agents_is_still_a_persons() -> Tested {
    let run = TestRun::new(RALPH, 2, AGENT)?;
    assert_code(&run.ralph(&["run", "-n", "1"])?, 1);
    let file = run.read(FILE);
    let mine = "- ask before you add a crate";
    let edited = file.replace("tests are in t/", "tests are in spec/");
    assert_ne!(edited, file);
    run.write(FILE, &edited.replace("\n## Log", &format!("{mine}\n\n## Log")))?;
    assert_code(&run.ralph(&["run", "--fresh"])?, 0);
    let file = run.read(FILE);
    assert!(file.contains(mine) && file.contains("- tests are in spec/ <!-- agents -->"), "{file}");
    Ok(())
}
