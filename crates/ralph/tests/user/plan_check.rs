//! `ralph plan --check` end to end: findings with their places, exit codes, the estimate, and the example plan.

use std::{fs, path::Path, process::Output};

use serde_json::Value;
use testkit::test_run::{Because, TestRun};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

fn printed(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!("{}{}", String::from_utf8_lossy(out), String::from_utf8_lossy(err))
}

#[test]
fn the_plan_with_which_ralph_could_rebuild_a_part_of_itself_is_clean() -> Tested {
    let run = TestRun::reviewed(RALPH, 1, HONEST, "approve")?;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/self/plan.json");
    let file = file.canonicalize()?.to_string_lossy().into_owned();
    let output = run.ralph(&["plan", "--check", &file, "--strict", "--json"])?;
    let view: Value = serde_json::from_slice(&output.stdout)?;
    assert_eq!(view["findings"], Value::Array(Vec::new()), "{view:#}");
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    Ok(())
}

#[test]
fn the_whole_plan_of_the_reference_is_worked_through() -> Tested {
    let run = TestRun::reviewed(RALPH, 1, HONEST, "approve")?;
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plan-reference.md");
    let page = fs::read_to_string(page)?;
    let plan = page.split("```json\n").nth(1).and_then(|rest| rest.split("```").next());
    run.write("work/.ralph/plan.json", plan.ok_or("the page has no plan")?)?;
    run.write("work/.ralph/skills/naming.md", "Name the thing, not its form.\n")?;
    run.write("work/README.md", "# Shop\n")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    assert_eq!(run.statuses(), ["done", "done"]);
    assert!(run.git(&["log", "--format=%s", "ralph/checkout"])?.contains("T-2"));
    Ok(())
}

#[test]
fn errors_and_strict_warnings_give_exit_2_with_their_places() -> Tested {
    let run = TestRun::new(RALPH, 2, HONEST)?.without_review(Because::ItCountsCalls)?;
    let fine = run.ralph(&["plan", "--check"])?;
    assert_eq!(fine.status.code(), Some(0), "{}", printed(&fine));
    assert!(
        printed(&fine).contains("estimate: 2 to 4 iterations for 2 open tasks"),
        "{}",
        printed(&fine)
    );
    run.write(
        "work/odd.json",
        "{\"project\": \"p\", \"tasks\": [\n  {\"id\": \"a\", \"title\": \"t\", \"depends_on\": [\"b\"],\n   \
         \"acceptance_criteria\": [{\"text\": \"x\", \"check\": \"no-such-tool-here\"}]}\n]}\n",
    )?;
    let none = run.ralph(&["plan", "--check", "nowhere.json"])?;
    assert_eq!(none.status.code(), Some(2), "{}", printed(&none));
    assert!(printed(&none).contains("there is no plan at"), "{}", printed(&none));
    let odd = run.ralph(&["plan", "--check", "odd.json"])?;
    assert_eq!(odd.status.code(), Some(2), "{}", printed(&odd));
    assert!(printed(&odd).contains("odd.json:2:44 task a depends on b"), "{}", printed(&odd));
    assert!(printed(&odd).contains("odd.json:3:42 the check of criterion 1"), "{}", printed(&odd));
    let text = run.read("work/odd.json").replace("[\"b\"]", "[]");
    run.write("work/odd.json", &text)?;
    assert_eq!(run.ralph(&["plan", "--check", "odd.json"])?.status.code(), Some(0));
    assert_eq!(run.ralph(&["plan", "--check", "odd.json", "--strict"])?.status.code(), Some(2));
    let text = text.replace("no-such-tool-here", "echo 'x");
    run.write("work/odd.json", &text)?;
    for words in [&["plan", "--check", "odd.json"][..], &["run", "--plan", "odd.json"]] {
        let refused = run.ralph(words)?;
        assert_eq!(refused.status.code(), Some(2), "{}", printed(&refused));
        let said = "the check of criterion 1 of a has an unclosed quote";
        assert!(printed(&refused).contains(said), "{}", printed(&refused));
    }
    Ok(())
}

#[test]
fn an_estimate_comes_from_what_past_runs_took() -> Tested {
    let run = TestRun::new(RALPH, 3, HONEST)?.without_review(Because::ItCountsCalls)?;
    assert_eq!(run.ralph(&["run", "T-1", "T-2"])?.status.code(), Some(0));
    let checked = printed(&run.ralph(&["plan", "--check"])?);
    assert!(checked.contains("(1 past run of this repository)"), "{checked}");
    let dry = printed(&run.ralph(&["run", "--dry-run"])?);
    assert!(dry.contains("estimate: 1 to 2 iterations for 1 open task"), "{dry}");
    Ok(())
}
