//! Which criteria of a task a reviewer has to judge.

use crate::plan::Task;

/// What stands in where a task gives a reviewer no sentence to judge.
const IMPLICIT: &str = "the work does what title and description ask, and nothing else";

/// The sentences of a task with their places in its list. Criteria with a check are left out: ralph runs those.
/// A blank sentence asks for the task itself.
///
/// A task without any sentence gets one that it does not have, placed behind its last criterion (so at 0 where
/// there are none), since every review must judge something.
pub fn criteria_of(task: &Task) -> Vec<(usize, String)> {
    let sentences: Vec<_> = task
        .acceptance_criteria
        .iter()
        .enumerate()
        .filter(|(_, criterion)| criterion.check().is_none())
        .map(|(index, criterion)| match criterion.text().trim() {
            "" => (index, IMPLICIT.to_owned()),
            text => (index, text.to_owned()),
        })
        .collect();
    if sentences.is_empty() {
        vec![(task.acceptance_criteria.len(), IMPLICIT.to_owned())]
    } else {
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Criterion;

    fn task(acceptance_criteria: Vec<Criterion>) -> Task {
        Task { acceptance_criteria, ..Task::default() }
    }

    fn checked() -> Criterion {
        Criterion::Checked { text: "tests pass".into(), check: "make test".into() }
    }

    #[test]
    fn only_sentences_are_for_a_reviewer_and_keep_their_places() {
        let sentence = |text: &str| Criterion::Sentence(text.into());
        let task = task(vec![sentence("a"), checked(), sentence(" c\n"), sentence(" ")]);
        let expected = [(0, "a".to_owned()), (2, "c".to_owned()), (3, IMPLICIT.to_owned())];
        assert_eq!(criteria_of(&task), expected, "a blank sentence asks for the task itself");
    }

    #[test]
    fn without_a_sentence_the_task_itself_is_judged() {
        assert_eq!(criteria_of(&task(Vec::new())), [(0, IMPLICIT.to_owned())]);
        assert_eq!(criteria_of(&task(vec![checked()])), [(1, IMPLICIT.to_owned())]);
    }
}
