//! `ralph init` as a person sees it: the real binary on a pseudo-terminal, with real git.
use std::{error::Error, fs, io, path::PathBuf, process::Command};

use testkit::{
    pty::{Pty, Size},
    test_run::TestRun,
};

type Outcome = Result<(), Box<dyn Error>>;

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const DOWN: &str = "\x1b[B";
const WIDE: Size = Size(100, 40);

/// What the wizard asks in a repository without a remote, in order.
const QUESTIONS: [&str; 7] = [
    "Which agent should do the work?",
    "Which model?",
    "Which commands verify the work?",
    "Which limits should a run have?",
    "Which tasks should a second agent review?",
    "Share settings and plan",
    "Write this to",
];

/// A folder that knows nothing of ralph, on a machine with the agents claude and codex.
struct Fresh {
    run: TestRun,
}

impl Fresh {
    /// A node project, as a repository.
    fn new() -> io::Result<Self> {
        let fresh = Self::without_git()?;
        let git = Command::new("git").arg("init").arg("-q").arg(fresh.root()).status()?;
        assert!(git.success());
        Ok(fresh)
    }

    fn without_git() -> io::Result<Self> {
        let run = TestRun::new(RALPH, 1, "")?;
        let path = format!("{}:/usr/bin:/bin", run.path("bin").display());
        let run = run.with_env("PATH", path);
        run.program("bin/claude", "#!/bin/sh\necho 2.1.325\n")?;
        run.program("bin/codex", "#!/bin/sh\necho codex-cli 0.166.0\n")?;
        let package = r#"{"scripts": {"test": "node test.js", "lint": "eslint ."}}"#;
        run.write("fresh/package.json", package)?;
        Ok(Self { run })
    }

    fn root(&self) -> PathBuf {
        self.run.path("fresh")
    }

    fn init(&self, args: &[&str], size: Size) -> io::Result<Pty> {
        let mut all = vec!["-C", "../fresh", "init"];
        all.extend(args);
        self.run.on_terminal(&all, size)
    }

    fn settings(&self) -> String {
        self.run.read("fresh/.ralph/settings.toml")
    }

    /// Names of everything below the project, so that any change shows.
    fn files(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.root())? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }
}

#[test]
fn enter_alone_writes_settings_that_fit_the_project() -> Outcome {
    let fresh = Fresh::new()?;
    let mut terminal = fresh.init(&[], WIDE)?;
    for question in QUESTIONS {
        terminal.wait_for(question)?;
        terminal.type_in("\r")?;
    }
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert!(terminal.is_as_before()?, "the terminal has other modes");
    let settings = fresh.settings();
    for line in [
        "command = \"claude\"",
        "command = \"npm test\"",
        "command = \"npm run lint\"",
        "\nmax_cost_usd = 20.0",
    ] {
        assert!(settings.contains(line), "{settings}");
    }
    assert!(fresh.run.read("fresh/.ralph/prd.md").contains("## 10. Open questions"));
    let screen = terminal.screen();
    assert!(screen.contains("✓ Which agent should do the work?  claude"), "{screen}");
    assert!(screen.contains("next: ") && screen.contains("ralph plan"), "{screen}");
    assert!(!screen.contains("arrows move"), "what was drawn for keys is still there:\n{screen}");
    Ok(())
}

#[test]
fn answers_typed_ahead_are_taken_in_order() -> Outcome {
    let fresh = Fresh::new()?;
    let mut terminal = fresh.init(&[], WIDE)?;
    terminal.type_in("\r\r\r\r\r\r\r")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert!(fresh.settings().contains("npm test"));
    Ok(())
}

#[test]
fn arrows_and_typed_answers_are_written() -> Outcome {
    let fresh = Fresh::new()?;
    // Tried in the sandbox, the lint command would be left out.
    let mut terminal = fresh.init(&["--no-try"], WIDE)?;
    let dialogue = [
        ("Which agent", format!("{DOWN}\r")),
        ("Which model?", "gpt-x\x7f5\r".into()),
        // The lint command off, a command of one's own on.
        ("Which commands", format!("{DOWN} {DOWN} \r")),
        ("Which other command?", "make check\r".into()),
        ("What kind of gate", "\r".into()),
        ("Where should the next prompt", "j\r".into()),
        ("Which hint", "leave \"tests\" alone\r".into()),
        ("Which other command?", "\r".into()),
        ("Which limits", "3\r".into()),
        ("How many iterations", "\x1b[200~twelve\n\x1b[201~\r".into()),
        ("whole number", "\x1512\r".into()),
        ("How many dollars", "7.50\r".into()),
        ("How long", "90m\r".into()),
        ("Which tasks", "k\r".into()),
        ("Share settings", "n".into()),
        ("Write this", "y".into()),
    ];
    for (question, keys) in dialogue {
        terminal.wait_for(question)?;
        terminal.type_in(&keys)?;
    }
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    let settings = fresh.settings();
    for line in [
        "command = \"codex\"",
        "model = \"gpt-5\"",
        "command = \"npm test\"",
        "command = \"make check\"\nkind = \"test\"",
        "fail_action = \"prepend\"",
        "leave \"tests\" alone",
        "max_iterations = 12",
        "max_cost_usd = 7.5",
        "max_duration = \"1h30m\"",
        "mode = \"off\"",
    ] {
        assert!(settings.contains(line), "{line} is missing in\n{settings}");
    }
    assert!(!settings.contains("npm run lint"), "{settings}");
    assert!(fresh.run.read("fresh/.ralph/.gitignore").contains("\n*\n"));
    let shown = fresh.run.ralph(&["-C", "../fresh", "config", "show"])?;
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    Ok(())
}

#[test]
fn leaving_at_any_question_leaves_nothing_behind() -> Outcome {
    let fresh = Fresh::new()?;
    let before = fresh.files()?;
    // Ctrl-C, Esc and Ctrl-D in turn: each is a way out of each kind of question.
    for (nth, way) in ["\x03", "\x1b", "\x04"].into_iter().enumerate() {
        for stop in (0..QUESTIONS.len()).filter(|stop| nth == 0 || stop % 2 == nth % 2) {
            let mut terminal = fresh.init(&[], WIDE)?;
            for question in &QUESTIONS[..stop] {
                terminal.wait_for(question)?;
                terminal.type_in("\r")?;
            }
            terminal.wait_for(QUESTIONS[stop])?;
            terminal.type_in(way)?;
            assert_eq!(terminal.finish()?, 130, "{}", terminal.screen());
            assert!(terminal.is_as_before()?, "the terminal has other modes");
            assert!(terminal.screen().contains("nothing was written"), "{}", terminal.screen());
            assert_eq!(fresh.files()?, before);
        }
    }
    Ok(())
}

#[test]
fn saying_no_at_the_end_writes_nothing_and_is_no_failure() -> Outcome {
    let fresh = Fresh::new()?;
    let mut terminal = fresh.init(&[], WIDE)?;
    terminal.type_in("\r\r\r\r\r\rn")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert!(!fresh.root().join(".ralph").exists());
    Ok(())
}

#[test]
fn a_signal_or_a_hang_up_gives_the_terminal_back() -> Outcome {
    let fresh = Fresh::new()?;
    // SIGTERM, SIGHUP, SIGINT.
    for (signal, code) in [(15, 143), (1, 143), (2, 130)] {
        let mut terminal = fresh.init(&[], WIDE)?;
        terminal.wait_for(QUESTIONS[0])?;
        terminal.signal(signal)?;
        assert_eq!(terminal.finish()?, code, "{}", terminal.screen());
        assert!(terminal.is_as_before()?, "the terminal has other modes");
        assert!(!fresh.root().join(".ralph").exists());
    }
    Ok(())
}

#[test]
fn what_flags_have_said_is_not_asked() -> Outcome {
    let fresh = Fresh::new()?;
    let args = ["--agent", "codex", "--model", "m", "--gate", "make test", "--max-cost", "3"];
    let mut terminal =
        fresh.init(&[&args[..], &["--review", "auto", "--private"]].concat(), WIDE)?;
    terminal.wait_for("Write this to")?;
    assert!(!terminal.screen().contains("Which"), "{}", terminal.screen());
    terminal.type_in("\r")?;
    assert_eq!(terminal.finish()?, 0);
    assert!(fresh.settings().contains("max_cost_usd = 3.0"), "{}", fresh.settings());
    Ok(())
}

#[test]
fn a_folder_without_git_can_become_a_repository() -> Outcome {
    let fresh = Fresh::without_git()?;
    let mut terminal = fresh.init(&[], WIDE)?;
    terminal.wait_for("Create it?")?;
    assert!(!fresh.root().join(".git").exists(), "nothing is made before the end");
    terminal.type_in("\r\r\r\r\r\r\r\r")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert!(fresh.root().join(".git").is_dir());
    assert!(terminal.screen().contains("git commit --allow-empty"), "{}", terminal.screen());

    let fresh = Fresh::without_git()?;
    let mut terminal = fresh.init(&[], WIDE)?;
    terminal.type_in("n\r\r\r\r\r\r\r")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert!(!fresh.root().join(".git").exists());
    assert!(terminal.screen().contains("git init"), "{}", terminal.screen());
    Ok(())
}

#[test]
fn without_an_agent_a_command_can_be_typed() -> Outcome {
    let fresh = Fresh::new()?;
    for agent in ["claude", "codex"] {
        fs::remove_file(fresh.run.path("bin").join(agent))?;
    }
    let mut terminal = fresh.init(&[], WIDE)?;
    terminal.wait_for("none of claude")?;
    terminal.wait_for("not installed yet")?;
    terminal.type_in("\x1b[A\r")?;
    terminal.wait_for("Which command?")?;
    terminal.type_in("  \r")?;
    terminal.wait_for("name a program")?;
    terminal.type_in("./agent.sh --fast\r\r\r\r\r\r\r")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    let settings = fresh.settings();
    assert!(settings.contains("command = \"./agent.sh\"\nflags = [\"--fast\"]"), "{settings}");
    Ok(())
}

#[test]
fn existing_settings_are_shown_with_origins_and_stay_unless_a_person_says_otherwise() -> Outcome {
    let fresh = Fresh::new()?;
    let old = "[agent]\ncommand = \"codex\"\n[limits]\nmax_iterations = 7\n";
    fresh.run.write("fresh/.ralph/settings.toml", old)?;
    fresh.run.write("fresh/.ralph/settings.local.toml", "[agent]\nmodel = \"mine\"\n")?;
    let mut terminal = fresh.init(&[], WIDE)?;
    terminal.wait_for("Replace these settings?")?;
    let screen = terminal.screen();
    for part in [
        "command = \"codex\"  # project .ralph/settings.toml:2",
        "model = \"mine\"  # local .ralph/settings.local.toml:2",
        "max_iterations = 7",
    ] {
        assert!(screen.contains(part), "{part} is missing in\n{screen}");
    }
    assert!(!screen.contains("built-in"), "{screen}");
    terminal.type_in("\r")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert_eq!(fresh.settings(), old);

    let mut terminal = fresh.init(&[], WIDE)?;
    terminal.type_in("y\r\r\r\r\r\r\r")?;
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert!(fresh.settings().contains("command = \"claude\""), "{}", fresh.settings());
    assert_eq!(fresh.run.read("fresh/.ralph/settings.toml.old"), old);
    Ok(())
}

#[test]
fn settings_that_cannot_be_read_are_told_and_can_be_replaced() -> Outcome {
    let fresh = Fresh::new()?;
    fresh.run.write("fresh/.ralph/settings.toml", "[agent]\ncomand = \"codex\"\n")?;
    let mut terminal = fresh.init(&[], WIDE)?;
    terminal.wait_for("comand")?;
    terminal.wait_for("Replace these settings?")?;
    terminal.type_in("\x03")?;
    assert_eq!(terminal.finish()?, 130, "{}", terminal.screen());
    assert!(fresh.settings().contains("comand"));
    Ok(())
}

#[test]
fn a_folder_of_another_tool_and_a_wrong_path_end_before_any_question() -> Outcome {
    let fresh = Fresh::new()?;
    fresh.run.write("fresh/.ralph/loop.sh", "echo")?;
    let mut terminal = fresh.init(&[], WIDE)?;
    assert_eq!(terminal.finish()?, 2, "{}", terminal.screen());
    assert!(
        terminal.screen().contains("belongs to another tool: loop.sh"),
        "{}",
        terminal.screen()
    );
    let mut terminal = fresh.run.on_terminal(&["-C", "../nowhere", "init"], WIDE)?;
    assert_eq!(terminal.finish()?, 5, "{}", terminal.screen());
    assert!(!terminal.screen().contains("Which"), "{}", terminal.screen());
    Ok(())
}

#[test]
fn forty_columns_are_enough() -> Outcome {
    let fresh = Fresh::new()?;
    let mut terminal = fresh.init(&[], Size(40, 16))?;
    for question in
        ["agent", "model", "commands", "Which limits", "Which tasks", "Share", "Write this"]
    {
        terminal.wait_for(question)?;
        terminal.type_in(DOWN)?;
        if question == "Which limits" {
            terminal.type_in(DOWN)?;
            terminal.type_in("\r\r\r")?;
        }
        terminal.type_in("\r")?;
    }
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    let screen = terminal.screen();
    assert!(screen.lines().all(|line| line.chars().count() <= 40), "{screen}");
    assert!(!screen.contains("arrows move") && !screen.contains('▶'), "debris is left:\n{screen}");
    assert!(fresh.settings().contains("command = \"codex\""), "{}", fresh.settings());
    Ok(())
}

#[test]
fn a_terminal_that_is_resized_while_an_answer_is_typed_stays_tidy() -> Outcome {
    let fresh = Fresh::new()?;
    let mut terminal = fresh.init(&["--agent", "claude"], Size(60, 30))?;
    terminal.wait_for("Which model?")?;
    terminal.type_in(&"long-model-name-".repeat(8))?;
    terminal.wait_for("name-")?;
    terminal.resize(Size(100, 30))?;
    terminal.type_in("end")?;
    terminal.wait_for("end")?;
    terminal.type_in("\r")?;
    terminal.wait_for("Which commands")?;
    let shown = terminal.screen();
    assert_eq!(shown.matches("Which model?").count(), 1, "{shown}");
    terminal.type_in("\x03")?;
    assert_eq!(terminal.finish()?, 130);
    Ok(())
}

#[test]
fn a_dumb_terminal_gets_numbered_lines() -> Outcome {
    let fresh = Fresh::new()?;
    let fresh = Fresh { run: fresh.run.with_env("TERM", "dumb") };
    let mut terminal = fresh.init(&["--no-try"], WIDE)?;
    let dialogue = [
        ("2) codex", "5\n"),
        ("a number from 1 to 3", "2\n"),
        ("Which model?", "\n"),
        ("Which commands", "1, 2\n"),
        ("Which limits", "\n"),
        ("Which tasks", "2\n"),
        ("Share settings", "maybe\n"),
        ("enter y or n", "yes\n"),
        ("Write this", "\n"),
    ];
    for (said, answer) in dialogue {
        terminal.wait_for(said)?;
        terminal.type_in(answer)?;
    }
    assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
    assert!(!terminal.raw().contains('\u{1b}'), "control sequences on a dumb terminal");
    let settings = fresh.settings();
    assert!(settings.contains("command = \"codex\"") && settings.contains("mode = \"auto\""));

    for way in ["\x03", "\x04"] {
        fs::remove_dir_all(fresh.root().join(".ralph")).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
        let mut terminal = fresh.init(&[], WIDE)?;
        terminal.wait_for("Which agent")?;
        terminal.wait_for("> ")?;
        terminal.type_in(way)?;
        assert_eq!(terminal.finish()?, 130, "{}", terminal.screen());
        assert!(!fresh.root().join(".ralph").exists());
    }
    Ok(())
}

#[test]
fn colour_is_used_unless_no_color_says_otherwise() -> Outcome {
    let fresh = Fresh::new()?;
    let mut terminal = fresh.init(&[], WIDE)?;
    terminal.wait_for(QUESTIONS[0])?;
    terminal.type_in("\x03")?;
    terminal.finish()?;
    // TestRun sets NO_COLOR.
    assert!(!terminal.raw().contains("\u{1b}[1m") && !terminal.raw().contains("\u{1b}[36m"));
    let mut terminal = fresh.init(&["--color", "always"], WIDE)?;
    terminal.wait_for(QUESTIONS[0])?;
    terminal.type_in("\x03")?;
    terminal.finish()?;
    assert!(terminal.raw().contains("\u{1b}[36m"), "{}", terminal.raw());
    Ok(())
}

#[test]
fn off_a_terminal_flags_say_everything() -> Outcome {
    let fresh = Fresh::without_git()?;
    let args = ["-C", "../fresh", "init", "--agent", "codex", "--max-duration", "2h", "--git-init"];
    let output = fresh.run.ralph(&[&args[..], &["--name", "fancy login"]].concat())?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fresh.settings().contains("max_duration = \"2h\""), "{}", fresh.settings());
    assert!(fresh.root().join(".git").is_dir());
    let plan = fresh.run.read("fresh/.ralph/plan.json");
    assert!(plan.contains("\"branch\": \"ralph/fancy-login\""), "{plan}");
    let again = fresh.run.ralph(&["-C", "../fresh", "init"])?;
    assert_eq!(again.status.code(), Some(2), "existing settings are kept");
    let wrong = fresh.run.ralph(&["-C", "../fresh", "init", "--force", "--max-cost", "much"])?;
    assert_eq!(wrong.status.code(), Some(2));
    Ok(())
}
