//! Whether a task is really proved, once the journal says that it is done.

use ralph_core::{
    evidence::{Evidence, Judged, Label},
    plan::{Criterion, Task},
    settings::AtCap,
    vocabulary::Kind,
};

use super::{
    Invariant, Oracle,
    shadow::Account,
    truth::{is_prompt, is_reviewed},
};
use crate::sim::{
    reviewer::sentences,
    tree::{Tree, check_passes, sentence_holds, slot},
    world::World,
};

impl Oracle<'_> {
    /// Each criterion has a record of the right kind on the committed tree, and the record is true.
    pub(super) fn check_done(&mut self, task: usize, world: &World<'_>) {
        let tree = world.git.tree(world.git.head());
        let Some(known) = self.plan.tasks.get(task).cloned() else {
            return;
        };
        let account = self.tasks[task].clone();
        let wrong = self.first_doubt(&known, &account, tree, world);
        let evidence = &account.evidence;
        self.must(wrong.is_none(), Invariant::DoneHasEvidence, || {
            format!("{}: {wrong:?}, evidence {evidence:?}, labels {:?}", known.id, account.labels)
        });
        let account = &mut self.tasks[task];
        account.is_approved = false;
        account.branch = None;
    }

    /// What speaks against calling the task done.
    fn first_doubt(
        &self,
        task: &Task,
        account: &Account,
        tree: Tree,
        world: &World<'_>,
    ) -> Option<String> {
        let judged_here = account.accepted == Some(tree);
        let may_be_unjudged = account.was_in_review && account.is_approved;
        if !judged_here && !may_be_unjudged {
            return Some("gates never accepted what is committed".into());
        }
        if is_prompt(self.scenario) && !self.is_claimed() {
            return Some("nobody claims that the prompt is done".into());
        }
        let whole = task.acceptance_criteria.len();
        for (at, criterion) in task.acceptance_criteria.iter().enumerate() {
            let Some(found) = account.evidence.get(at) else {
                return Some(format!("no record of criterion {at}"));
            };
            if found.criterion != criterion.text() || Tree::read(&found.tree) != Some(tree) {
                return Some(format!("criterion {at} is about something else"));
            }
            let before = task.acceptance_criteria.iter().take(at);
            let nth = before.filter(|one| one.check().is_none()).count();
            if let Some(doubt) = self.doubt(task, (criterion, nth), found, world) {
                return Some(format!("criterion {at}: {doubt}"));
            }
        }
        for extra in account.evidence.iter().skip(whole) {
            let implicit = Criterion::Sentence(extra.criterion.clone());
            if let Some(doubt) = self.doubt(task, (&implicit, 0), extra, world) {
                return Some(doubt.to_owned());
            }
        }
        self.label_doubt(task, account)
    }

    fn is_claimed(&self) -> bool {
        let report = self.underway.as_ref().and_then(|underway| underway.report.as_ref());
        let by_person = self.underway.as_ref().is_some_and(|one| one.kind == Kind::Apply);
        by_person || report.is_some_and(|report| report.claimed)
    }

    /// What is wrong with the record of a criterion, the nth sentence if it is one.
    fn doubt(
        &self,
        task: &Task,
        (criterion, nth): (&Criterion, usize),
        found: &Evidence,
        world: &World<'_>,
    ) -> Option<&'static str> {
        let account = &self.tasks[self.position(&task.id)];
        let tree = world.git.tree(world.git.head());
        match (&found.by, criterion.check()) {
            (Judged::Check { command, exit_code, .. }, Some(check)) => {
                let ran = world.ran.contains(&(tree, check.to_owned()));
                let is_true = command == check
                    && *exit_code == 0
                    && ran
                    && check_passes(tree, check) == Some(true);
                (!is_true).then_some("its check did not pass on this tree")
            }
            (Judged::Check { .. }, None) | (_, Some(_)) => Some("the wrong kind of record"),
            (Judged::Person, None) => {
                (!account.is_approved).then_some("no person approved the task")
            }
            (Judged::Unreviewed, None) => is_reviewed(self.scenario, task)
                .then_some("nobody reviewed it though somebody must"),
            (Judged::Reviewer { agent, iteration, met, .. }, None) => {
                let Some(heard) = account.heard.as_ref().filter(|heard| heard.tree == tree) else {
                    return Some("no review of this tree");
                };
                if (&heard.agent, heard.iteration) != (agent, *iteration) {
                    return Some("another reviewer is named");
                }
                if heard.met.get(nth) != Some(met) {
                    return Some("the reviewer said otherwise");
                }
                let holds = sentence_holds(tree, slot(&task.id), sentences(task).get(nth)?);
                (heard.is_honest && *met && !holds)
                    .then_some("an honest reviewer would have seen it")
            }
        }
    }

    /// What is weaker than full proof must be called so, and nothing else may be.
    fn label_doubt(&self, task: &Task, account: &Account) -> Option<String> {
        let review = &self.scenario.start.settings.review;
        let by = |wanted: fn(&Judged) -> bool| account.evidence.iter().any(|one| wanted(&one.by));
        let has = |wanted: fn(&Label) -> bool| account.labels.iter().any(wanted);
        let refused = account.heard.as_ref().is_some_and(|heard| !heard.approved);
        let by_person = has(|label| matches!(label, Label::ApprovedByPerson));
        let at_cap = has(|label| matches!(label, Label::AutoApprovedAtCap { .. }));
        let unreviewed = has(|label| matches!(label, Label::Unreviewed { .. }));
        let reviewed = is_reviewed(self.scenario, task);
        let may_be_at_cap =
            review.at_cap == AtCap::Approve && account.change_requests >= review.cap;
        let named = !task.acceptance_criteria.is_empty();
        let doubts = [
            (
                !named && !has(|label| matches!(label, Label::NoCriteria)),
                "no criteria, not labelled",
            ),
            (by_person && !account.is_approved, "no person approved it"),
            (
                by(|one| matches!(one, Judged::Person)) && !by_person,
                "a person's word is not labelled",
            ),
            (
                at_cap && !(may_be_at_cap && refused),
                "it is not at the cap, or must be parked there",
            ),
            (refused && !at_cap && !by_person, "the reviewer wanted changes"),
            (
                by(|one| matches!(one, Judged::Unreviewed)) && !unreviewed,
                "unreviewed, not labelled",
            ),
            (
                reviewed && account.heard.is_none() && !by_person,
                "no review although it must be reviewed",
            ),
        ];
        doubts.into_iter().find(|(is_so, _)| *is_so).map(|(_, why)| why.to_owned())
    }
}
