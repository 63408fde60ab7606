//! What can be planned from, and what comes of it.

use super::*;

#[test]
fn a_sentence_becomes_requirements_and_a_plan_that_a_run_finishes() -> Tested {
    let run = project()?;
    drafts(&run, 1, &good())?;
    let planned = run.ralph(&["plan", "make two files"])?;
    assert_code(&planned, 0);
    assert_eq!(run.statuses(), ["pending", "pending"]);
    assert_eq!(run.task("T-2")["depends_on"], json!(["T-1"]));
    let prd = run.read("work/.ralph/prd.md");
    assert!(prd.starts_with("# demo\n\n## 1. Summary\n\nTwo files.\n"), "{prd}");
    assert!(prd.contains("- Assumed: files may be empty"), "{prd}");
    assert!(said(&planned).contains("next: ralph run"), "{}", said(&planned));
    let prompt = run.prompt(1);
    for part in
        ["## What is wanted\n\nmake two files", "Nobody can answer questions now", "`./gate.sh`"]
    {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert_code(&run.ralph(&["run"])?, 0);
    assert_eq!(run.statuses(), ["done", "done"]);
    Ok(())
}

#[test]
fn the_planner_sees_uncommitted_work_and_leaves_everything_as_it_is() -> Tested {
    let run = project()?;
    run.write("work/src/main.txt", "changed and not committed\n")?;
    run.write("work/specs/idea.md", "An idea.\n")?;
    let before = (run.git(&["status", "--porcelain"])?, run.git(&["rev-parse", "HEAD"])?);
    drafts(&run, 1, &good())?;
    assert_code(&run.ralph(&["plan", "specs/idea.md"])?, 0);
    assert_eq!(run.read("state/seen.1"), "changed and not committed\nidea.md\n");
    assert_eq!(run.read("work/src/main.txt"), "changed and not committed\n");
    let folder = run.read("state/folder.1");
    assert!(!folder.starts_with(&run.work().display().to_string()), "{folder}");
    assert!(!std::path::Path::new(folder.trim()).exists(), "the copy is gone");
    let status: Vec<String> = run
        .git(&["status", "--porcelain"])?
        .lines()
        .filter(|line| !line.contains(".ralph/"))
        .map(str::to_owned)
        .collect();
    assert_eq!((status.join("\n"), run.git(&["rev-parse", "HEAD"])?), before);
    assert_eq!(run.git(&["branch", "--format=%(refname:short)"])?, "main");
    assert_eq!(run.git(&["for-each-ref", "refs/ralph"])?, "");
    assert!(
        run.prompt(1).contains("`specs/idea.md`:\n\n```text\nAn idea.\n```"),
        "{}",
        run.prompt(1)
    );
    Ok(())
}

#[test]
fn specifications_are_found_in_their_folder_and_long_ones_are_named_for_reading() -> Tested {
    let run = project()?;
    run.write("work/specs/b.md", "Second.\n")?;
    run.write("work/specs/a.md", &format!("First. {}\n", "many words ".repeat(20_000)))?;
    run.write("work/specs/notes.txt", "Not this.\n")?;
    drafts(&run, 1, &good())?;
    assert_code(&run.ralph(&["plan"])?, 0);
    let prompt = run.prompt(1);
    assert!(prompt.contains("`specs/a.md` (cut here: read the file):"), "{}", &prompt[..400]);
    assert!(prompt.contains("`specs/b.md`:\n\n```text\nSecond.\n```"));
    assert!(!prompt.contains("Not this."));
    assert!(prompt.len() < 80_000, "{}", prompt.len());
    Ok(())
}

#[test]
fn a_project_without_any_commit_or_settings_can_be_planned() -> Tested {
    let run = project()?;
    std::fs::remove_dir_all(run.path("work/.git"))?;
    run.git(&["init", "-q", "-b", "main"])?;
    drafts(&run, 1, &good())?;
    assert_code(&run.ralph(&["plan", "make two files"])?, 0);
    assert_eq!(run.statuses(), ["pending", "pending"]);
    assert_eq!(run.read("state/seen.1"), "original\n");
    Ok(())
}

#[test]
fn a_draft_with_mistakes_is_asked_for_again_with_them_told() -> Tested {
    let run = project()?;
    let mut bad = good();
    bad["tasks"][0]["acceptance_criteria"] = json!([]);
    bad["tasks"][1]["depends_on"] = json!(["T-9"]);
    drafts(&run, 1, &bad)?;
    drafts(&run, 2, &good())?;
    let planned = run.ralph(&["plan", "make two files"])?;
    assert_code(&planned, 0);
    let prompt = run.prompt(2);
    for mistake in
        ["task T-1 has no acceptance criterion", "depends on T-9, which is not in the plan"]
    {
        assert!(prompt.contains(mistake) && said(&planned).contains(mistake), "{prompt}");
    }
    assert_eq!(run.calls(), 2);
    Ok(())
}

#[test]
fn a_planner_that_gives_nothing_of_use_ends_the_command_and_writes_nothing() -> Tested {
    let run = project()?;
    let planned = run.ralph(&["plan", "make two files"])?;
    assert_code(&planned, 4);
    assert_eq!(run.calls(), 3);
    assert!(said(&planned).contains("ralph plan"), "{}", said(&planned));
    assert!(!said(&planned).contains("ralph resume"), "{}", said(&planned));
    assert!(!run.path("work/.ralph/plan.json").exists());

    let run = project()?;
    let mut bad = good();
    bad["tasks"][0]["id"] = json!("../up");
    for nth in 1..=3 {
        drafts(&run, nth, &bad)?;
    }
    assert_code(&run.ralph(&["plan", "make two files"])?, 3);
    assert!(!run.path("work/.ralph/plan.json").exists());
    Ok(())
}

#[test]
fn a_dry_run_shows_prompt_and_command_and_starts_nothing() -> Tested {
    let run = project()?;
    let shown = run.ralph(&["plan", "--dry-run", "make two files"])?;
    assert_code(&shown, 0);
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(text.contains("command") && text.contains("## What is wanted"), "{text}");
    assert_eq!(run.calls(), 0);
    assert!(!run.path("work/.ralph/runs").exists());
    Ok(())
}

#[test]
fn a_draft_is_kept_in_the_folder_of_its_run() -> Tested {
    let run = project()?;
    drafts(&run, 1, &good())?;
    assert_code(&run.ralph(&["plan", "make two files", "--yes"])?, 0);
    let folder = format!("work/.ralph/runs/{}", planning_run(&run)?);
    let draft: Value = serde_json::from_str(&run.read(&format!("{folder}/draft.json")))?;
    assert_eq!(draft["tasks"], run.plan()["tasks"]);
    assert_eq!(run.read(&format!("{folder}/prd.md")), run.read("work/.ralph/prd.md"));
    assert_eq!(run.events("plan_drafted")?.len(), 1);
    Ok(())
}
