//! Reading texts from real folders.

use std::{fs, os::unix::fs::symlink};

use ralph_core::plan::Task;

use super::*;
use crate::exit;

type Tested = Result<(), Box<dyn std::error::Error>>;

struct Trial {
    folder: tempfile::TempDir,
}

impl Trial {
    fn new(files: &[(&str, &str)]) -> io::Result<Self> {
        let trial = Self { folder: tempfile::tempdir()? };
        for (path, text) in [("root/.ralph/x", ""), ("home/x", "")].iter().chain(files) {
            let path = trial.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(path, text)?;
        }
        Ok(trial)
    }

    fn find(&self, skills: &[&str]) -> Result<Found, CommandError> {
        let (root, home) = (self.folder.path().join("root"), self.folder.path().join("home"));
        let skills = skills.iter().map(|&name| name.to_owned()).collect();
        let plan = Plan { tasks: vec![Task { skills, ..Task::default() }], ..Plan::default() };
        Places { root: &root, home: Some(&home) }.find(&plan)
    }
}

#[test]
fn nothing_there_is_nothing_found() -> Tested {
    let found = Trial::new(&[])?.find(&[])?;
    assert!(found.library.is_empty() && found.warnings.is_empty());
    Ok(())
}

#[test]
fn skills_are_the_projects_then_those_of_the_repository_then_the_users() -> Tested {
    let trial = Trial::new(&[
        ("root/.ralph/skills/rust.md", "ours"),
        ("root/.ralph/skills/unnamed.md", "kept for tasks that are added later"),
        ("root/.claude/skills/rust/SKILL.md", "theirs"),
        ("root/.claude/skills/sql/SKILL.md", "---\nname: sql\n---\nsql of the repository"),
        ("home/.codex/skills/sql/SKILL.md", "sql of the user"),
        ("home/.codex/skills/css/SKILL.md", "css of the user"),
        ("home/.claude/skills/other/SKILL.md", "not asked for"),
    ])?;
    let found = trial.find(&["rust", "sql", "css", "gone", "../../x", "gone"])?;
    let skills: Vec<_> =
        found.library.skills.iter().map(|(name, text)| (&**name, &**text)).collect();
    assert_eq!(
        skills,
        [
            ("css", "css of the user"),
            ("rust", "ours"),
            ("sql", "sql of the repository"),
            ("unnamed", "kept for tasks that are added later")
        ]
    );
    assert_eq!(found.warnings.len(), 2, "{:?}", found.warnings);
    assert!(found.warnings[1].contains("the skill \"gone\", which does not exist"));
    Ok(())
}

#[test]
fn a_link_out_of_the_repository_is_not_followed() -> Tested {
    let trial = Trial::new(&[
        ("secret", "the key"),
        ("root/.ralph/prompts/x", ""),
        ("root/.ralph/skills/own.md", "own"),
        ("root/docs/style.md", "within"),
    ])?;
    let root = trial.folder.path().join("root/.ralph");
    symlink(trial.folder.path().join("secret"), root.join("skills/evil.md"))?;
    symlink("../../docs/style.md", root.join("skills/style.md"))?;
    let found = trial.find(&[])?;
    assert_eq!(found.library.skills.keys().collect::<Vec<_>>(), ["own", "style"]);
    assert!(found.warnings[0].contains("leads out of the repository"), "{:?}", found.warnings);
    symlink(trial.folder.path().join("secret"), root.join("prompts/implement.md"))?;
    assert!(trial.find(&[]).is_err_and(|error| error.to_string().contains("leads out")));
    Ok(())
}

#[test]
fn a_broken_mcp_set_stops_the_run_before_it_starts() -> Tested {
    let trial = Trial::new(&[("root/.ralph/mcp/coding.json", "{\"mcpServers\": {}}")])?;
    assert_eq!(trial.find(&[])?.library.mcp.len(), 1);
    let trial = Trial::new(&[("root/.ralph/mcp/memory.json", "[1]")])?;
    assert!(trial.find(&[]).is_err_and(|error| error.exit_code() == exit::USAGE));
    Ok(())
}

#[test]
fn requirements_are_read_and_a_file_too_big_is_told() -> Tested {
    let trial =
        Trial::new(&[("root/.ralph/prd.md", "# P\n\nText.\n\n## Constraints\n\n- cents\n")])?;
    let prd = trial.find(&[])?.library.prd.unwrap_or_default();
    assert_eq!(prd.constraints, "- cents");
    let trial = Trial::new(&[("root/.ralph/prd.md", &"x".repeat(300 << 10))])?;
    let found = trial.find(&[])?;
    assert!(found.library.prd.is_none() && found.warnings[0].contains("bigger than 256 KB"));
    Ok(())
}

#[test]
fn a_broken_template_is_told_with_file_and_line_and_an_unknown_name_is_left_out() -> Tested {
    let trial = Trial::new(&[
        ("root/.ralph/prompts/fix.md", "{{ heading }} {{ task }}"),
        ("root/.ralph/prompts/implemnt.md", "{{ typo }}"),
    ])?;
    let found = trial.find(&[])?;
    assert_eq!(found.library.templates.keys().collect::<Vec<_>>(), ["fix"]);
    assert!(found.warnings[0].contains("implemnt.md is not a template name"));
    let trial = Trial::new(&[("root/.ralph/prompts/fix.md", "a\n{{ tsk }}\n")])?;
    let Err(error) = trial.find(&[]) else {
        return Err("a broken template was taken".into());
    };
    assert!(
        error.to_string().contains("fix.md:2: the template cannot be used: undefined"),
        "{error}"
    );
    assert_eq!((error.exit_code(), error.help().contains("docs/prompts.md")), (exit::USAGE, true));
    Ok(())
}
