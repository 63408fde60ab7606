//! The run that the README shows: a real CLI in the box on a terminal, an agent that says its tests pass, and a gate that
//! knows better. `just demo` writes what was recorded as pictures.

use std::{fs, path::PathBuf, time::Duration};

use serde_json::{Value, json};
use testkit::{
    model::Step,
    picture::{film, frames, still},
    pty::{Piece, Size},
};

use crate::{
    Tested,
    clis::CLAUDE,
    ground::{Ground, report},
    island::on_island,
};

/// Where the pictures go, if anybody wants them.
const FOLDER: &str = "RALPH_DEMO";
const SCREEN: Size = Size(104, 30);
/// What a README should load at most.
const LARGEST: usize = 200_000;

const START: &str = "def slug(title):\n    return title\n";
const HALF: &str = "def slug(title):\n    return \"-\".join(title.lower().split())\n";
const WHOLE: &str = "import re\n\n\ndef slug(title):\n    return \"-\".join(re.findall(r\"[a-z0-9]+\", title.lower()))\n";
const TESTS: &str = "import unittest\n\nfrom slug import slug\n\n\nclass Slug(unittest.TestCase):\n    def test_words(self):\n        \
                     self.assertEqual(slug(\"a\"), \"a\")\n";
const HARDER: &str = "\n    def test_punctuation(self):\n        self.assertEqual(slug(\"Hello, World!\"), \"hello-world\")\n";

#[test]
fn a_run_is_recorded_and_fits_into_a_readme() -> Tested {
    on_island("demo::a_run_is_recorded_and_fits_into_a_readme", || {
        let ground = Ground::of(&CLAUDE, 2, steps, |run| {
            let settings = run.read("work/.ralph/settings.toml");
            let settings = settings.replace("./gate.sh", "python3 -B -m unittest -q");
            run.write("work/.ralph/settings.toml", &settings)?;
            run.write("work/.ralph/plan.json", &plan().to_string())?;
            run.write("work/slug.py", START)?;
            run.write("work/test_slug.py", TESTS)
        })?;
        let mut ground = ground.humbled()?;
        for (name, value) in [("ANTHROPIC_API_KEY", "sk-ant-dummy"), ("NO_COLOR", "")] {
            ground.run = ground.run.with_env(name, value);
        }
        let mut terminal = ground.run.on_terminal(&["run"], SCREEN)?;
        assert_eq!(terminal.finish()?, 0, "{}", terminal.screen());
        for said in ["gate tests", "attempt 2/5", "2 done"] {
            assert!(terminal.screen().contains(said), "{said}: {}", terminal.screen());
        }
        assert_eq!(ground.run.statuses(), ["done", "done"]);
        let work = ground.run.work().to_string_lossy().into_owned();
        let typed = Piece { at: Duration::ZERO, bytes: b"$ ralph run\r\n".to_vec() };
        let later = terminal.recording().iter().map(|piece| Piece {
            at: piece.at + Duration::from_secs(1),
            bytes: String::from_utf8_lossy(&piece.bytes).replace(&work, "/home/ann/slug").into(),
        });
        let recording: Vec<Piece> = [typed].into_iter().chain(later).collect();
        let frames = frames(&recording, SCREEN);
        let film = film(
            &frames,
            "ralph run: an agent says that its tests pass, and ralph finds that they do not",
        );
        assert!(frames.len() > 5 && film.len() < LARGEST, "{} {}", frames.len(), film.len());
        println!("{} screens, {} bytes", frames.len(), film.len());
        let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
            return Ok(());
        };
        let last = frames.last().ok_or("nothing was recorded")?;
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("run.svg"), film)?;
        Ok(fs::write(folder.join("run-end.svg"), still(&last.screen, "the end of a run"))?)
    })
}

fn plan() -> Value {
    let task = |number: usize, title: &str, criterion: &str, given: &str, wanted: &str| {
        let check =
            format!("python3 -Bc \"import slug; assert slug.slug('{given}') == '{wanted}'\"");
        json!({
            "id": format!("T-{number}"), "title": title, "status": "pending", "order": number,
            "acceptance_criteria": [{"text": criterion, "check": check}],
        })
    };
    let words = task(
        1,
        "words joined by hyphens",
        "a title of two words has one hyphen",
        "Hello World",
        "hello-world",
    );
    let marks = task(
        2,
        "no punctuation in slugs",
        "punctuation is dropped",
        "Hello, World!",
        "hello-world",
    );
    json!({"version": 1, "project": "slug", "tasks": [words, marks]})
}

fn steps(work: &str) -> Vec<Step> {
    let (module, tests) = (format!("{work}/slug.py"), format!("{work}/test_slug.py"));
    let of = |task: &str, step: Step| step.when(&format!("# Task {task}"));
    let says = |task: &str, summary: &str, subject: &str| {
        let mut said = report(task);
        said["task_completed"]["summary"] = json!(summary);
        said["commit_message"] = json!(subject);
        of(task, Step::reports(said))
    };
    vec![
        of("T-1", Step::writes(&module, HALF)),
        of("T-1", Step::runs("python3 -B -m unittest -q")),
        says("T-1", "Words are joined by hyphens.", "join words by hyphens"),
        of("T-2", Step::writes(&tests, &format!("{TESTS}{HARDER}"))),
        says("T-2", "Punctuation is dropped, 2 tests pass.", "drop punctuation"),
        of("T-2", Step::writes(&module, WHOLE)),
        of("T-2", Step::runs("python3 -B -m unittest -q")),
        says("T-2", "Only letters and digits are kept now.", "drop punctuation"),
    ]
}
