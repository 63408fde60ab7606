//! What a person answered a planner, kept beside the run that asked until the next one takes it into its journal.
//!
//! Outside the worktree, replaced whole with each answer. Knows nothing of what the questions were.

use std::io;

use ralph_core::{ids::RunId, planning::Answered};

use crate::{layout::Layout, project_file, safe_files};

/// The name of the file in the run's folder.
const FILE: &str = "answers.json";

/// Keeps the answers to a planning run's questions, in the order they were asked.
pub fn keep(layout: &Layout, run: &RunId, answers: &[Answered]) -> io::Result<()> {
    let text = serde_json::to_vec(answers)?;
    safe_files::replace(layout.truth(), &layout.run(run).join(FILE), &text)
}

/// What was kept; nothing where nobody answered.
pub fn kept(layout: &Layout, run: &RunId) -> io::Result<Vec<Answered>> {
    match project_file::read(&layout.run(run).join(FILE), project_file::LARGEST) {
        Ok(text) => Ok(serde_json::from_slice(&text)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_one_by_one_and_none_are_none() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let layout = Layout::new(&folder.path().join("git"), folder.path());
        let run = RunId("261115-120000-001".into()).for_planning();
        assert_eq!(kept(&layout, &run)?, []);
        let answered = |answer: &str| Answered { question: "Which?".into(), answer: answer.into() };
        for answers in [vec![answered("a")], vec![answered("a"), answered("b\n\"c\"")]] {
            keep(&layout, &run, &answers)?;
            assert_eq!(kept(&layout, &run)?, answers);
        }
        Ok(())
    }
}
