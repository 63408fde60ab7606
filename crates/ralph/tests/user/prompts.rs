//! What agents are told: templates, skills and requirements of the user's, and the dry run that shows them.

use serde_json::Value;
use testkit::{
    test_run::{Because, TestRun},
    told::{assert_code, said},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Does the task and nothing else.
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_dry_run_shows_the_whole_prompt_with_each_sections_tokens_and_starts_nothing() -> Tested {
    let run = TestRun::new(RALPH, 2, HONEST)?;
    run.write(
        "work/.ralph/prd.md",
        "# Shop\n\nSells.\n\n## Constraints\n\n- cents, never floats\n",
    )?;
    let output = run.ralph(&["run", "--dry-run"])?;
    assert_code(&output, 0);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for part in [
        "template    first, built in",
        "section         tokens  budget  trimmed",
        "\ninstructions ",
        "\nproject ",
        "# Task T-1: ",
        "cents, never floats",
        "This is the first work on this plan",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let output = run.ralph(&["--json", "run", "--dry-run"])?;
    let told: Value = serde_json::from_slice(&output.stdout)?;
    let first = &told["first"];
    assert_eq!((&first["task"], &first["template"]["name"]), (&"T-1".into(), &"first".into()));
    let sections = first["sections"].as_array().map_or(&[][..], Vec::as_slice);
    let tokens: u64 = sections.iter().filter_map(|one| one["tokens"].as_u64()).sum();
    assert!(first["tokens"].as_u64().is_some_and(|all| all.abs_diff(tokens) * 20 <= all), "{told}");
    assert!(first["prompt"].as_str().is_some_and(|text| text.contains("# Task T-1: ")), "{told}");
    run.write(
        "ask.md",
        "Fix ${MODE} number ${RALPH_ITERATION}, <promise>COMPLETE</promise> then.",
    )?;
    let file = run.path("ask.md").display().to_string();
    let output = run.ralph(&["prompt", &file, "--dry-run"])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("Fix prompt number 1,") && text.contains("template    prompt, built in"),
        "{text}"
    );
    assert_eq!(run.calls(), 0);
    Ok(())
}

#[test]
fn templates_are_the_users_and_hold_as_they_were_when_the_run_began() -> Tested {
    let agent = format!("{HONEST}\necho 'Changed.' > .ralph/prompts/implement.md");
    let run = TestRun::new(RALPH, 3, &agent)?.without_review(Because::ItCountsCalls)?;
    assert_code(&run.ralph(&["config", "eject-prompts"])?, 0);
    let ejected = run.read("work/.ralph/prompts/implement.md");
    assert!(ejected.starts_with("{# ") && ejected.contains("max_iterations"), "{ejected}");
    let own = ejected.replace("## How to work", "## How we work here");
    run.write("work/.ralph/prompts/implement.md", &own)?;
    run.amend()?;
    assert_code(&run.ralph(&["run"])?, 0);
    assert!(run.read("state/prompt.1").contains("This is the first work on this plan"));
    for call in [2, 3] {
        let prompt = run.read(&format!("state/prompt.{call}"));
        assert!(prompt.contains("## How we work here") && !prompt.contains("Changed."), "{prompt}");
        assert!(prompt.starts_with(&format!("# Task T-{call}: ")), "{prompt}");
    }
    Ok(())
}

#[test]
fn a_broken_template_ends_the_run_before_it_starts() -> Tested {
    let run = TestRun::new(RALPH, 1, HONEST)?;
    run.write("work/.ralph/prompts/review.md", "{{ heading }}\n{% if task %}\n")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 2);
    let said = said(&output);
    assert!(said.contains("prompts/review.md:") && said.contains("docs/prompts.md"), "{said}");
    assert_eq!(run.calls(), 0);
    Ok(())
}

#[test]
fn a_tasks_skills_reach_the_agent_and_missing_ones_are_told_once() -> Tested {
    let run = TestRun::new(RALPH, 1, HONEST)?;
    let plan = r#"{"version":1,"project":"scratch","tasks":[{"id":"T-1","title":"one",
        "skills":["rust","sql","gone"],"acceptance_criteria":[{"text":"there","check":"test -f work/T-1"}]}]}"#;
    run.write("work/.ralph/plan.json", plan)?;
    run.write("work/.ralph/skills/rust.md", "Errors are values {{ 1 + 1 }}.")?;
    run.write("home/.claude/skills/sql/SKILL.md", "---\nname: sql\n---\nName every index.")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_code(&output, 0);
    assert_eq!(said(&output).matches("the skill \"gone\"").count(), 1, "{}", said(&output));
    let prompt = run.read("state/prompt.1");
    assert!(
        prompt
            .contains("### rust\n\nErrors are values {{ 1 + 1 }}.\n\n### sql\n\nName every index."),
        "{prompt}"
    );
    Ok(())
}
