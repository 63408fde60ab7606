//! Whatever agents propose, in whatever form: some things never change without a person.

use serde_json::{Map, Value, json};

use super::*;
use crate::{
    handoff::Handoff,
    ids::TaskId,
    plan::{Criterion, Plan, Status, Task, formats::plan_json, problems},
};

const ROUNDS: u64 = 1_500;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    fn is(&mut self) -> bool {
        self.roll(2) == 0
    }

    fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        let at = usize::try_from(self.roll(of.len() as u64)).unwrap_or(0);
        of[at].clone()
    }

    fn word(&mut self) -> String {
        self.pick(&["", " ", "a", "b", "é", "make test", "x y", "T-1", "T-2", "n-1"]).to_owned()
    }

    fn status(&mut self) -> Status {
        self.pick(&[
            Status::Pending,
            Status::Pending,
            Status::InProgress,
            Status::NeedsReview,
            Status::ChangesRequested,
            Status::Done,
            Status::Failed,
            Status::Skipped,
            Status::Parked,
        ])
    }

    fn criterion(&mut self) -> Criterion {
        let text = self.pick(&["one", "two", "three"]).to_owned();
        if self.is() {
            Criterion::Sentence(text)
        } else {
            Criterion::Checked { text, check: self.pick(&["true", "make"]).to_owned() }
        }
    }

    /// A sound task; it depends on tasks with a smaller number only.
    fn task(&mut self, number: u64) -> Task {
        let mut task = Task {
            id: format!("T-{number}").into(),
            title: format!("title {number}"),
            description: "d".into(),
            status: self.status(),
            acceptance_criteria: (0..self.roll(3)).map(|_| self.criterion()).collect(),
            ..Task::default()
        };
        self.scramble(&mut task, number);
        task
    }

    /// Other values for any field but id, status and reviews.
    fn scramble(&mut self, task: &mut Task, number: u64) {
        for _ in 0..self.roll(4) {
            match self.roll(12) {
                0 => task.title = format!("t{}", self.word()),
                1 => task.description = self.word(),
                2 => {
                    task.acceptance_criteria =
                        (0..self.roll(3)).map(|_| self.criterion()).collect();
                }
                3 => task.order = self.is().then(|| self.roll(9).cast_signed()),
                4 => {
                    task.depends_on = (0..number)
                        .filter(|_| self.roll(3) == 0)
                        .map(|n| format!("T-{n}").into())
                        .collect();
                }
                5 => task.skills = (0..self.roll(3)).map(|_| self.word()).collect(),
                6 => task.needs_docs = self.is(),
                7 => task.model = self.is().then(|| self.word()),
                8 => task.max_attempts = self.is().then_some(3),
                9 => task.timeout_multiplier = self.is().then_some(1.5),
                10 => task.notes = self.is().then(|| self.word()),
                _ => {
                    task.extra.insert("x".into(), json!(self.word()));
                }
            }
        }
    }

    fn plan(&mut self) -> Plan {
        let tasks = (0..=self.roll(5)).map(|number| self.task(number)).collect();
        Plan { tasks, verify_commands: vec!["make test".into()], ..Plan::default() }
    }

    /// A value of any kind, more often than not one that means something somewhere.
    fn value(&mut self) -> Value {
        match self.roll(10) {
            0 => Value::Null,
            1 => json!(self.is()),
            2 => json!(self.roll(5)),
            3 => json!(-1.5),
            4 => json!(self.status().word()),
            5 => json!([self.word(), self.word()]),
            6 => json!([format!("T-{}", self.roll(6))]),
            7 => json!([{"text": self.word(), "check": self.word()}]),
            8 => json!({"id": format!("T-{}", self.roll(7)), "title": self.word()}),
            _ => json!(self.word()),
        }
    }

    /// A field that an honest agent would propose.
    fn honest(&mut self) -> (String, Value) {
        let all = ["one", "two", "three"];
        let checked = |check: &str| all.map(|text| json!({"text": text, "check": check}));
        let criteria: Value = all
            .map(|text| json!(text))
            .into_iter()
            .cycle()
            .take(6)
            .chain(checked("true"))
            .chain(checked("make"))
            .collect();
        let (name, value) = match self.roll(6) {
            0 => ("title", json!(format!("better {}", self.roll(9)))),
            1 => ("description", json!(format!("clearer {}", self.roll(9)))),
            2 => ("acceptance_criteria", criteria),
            3 => ("order", json!(self.roll(9))),
            4 => ("depends_on", json!(["T-0", format!("T-{}", self.roll(6))])),
            _ => ("skills", json!(["rust"])),
        };
        (name.to_owned(), value)
    }

    fn fields(&mut self) -> Map<String, Value> {
        const NAMES: &[&str] = &[
            "id",
            "title",
            "description",
            "acceptance_criteria",
            "acceptanceCriteria",
            "status",
            "priority",
            "order",
            "depends_on",
            "dependsOn",
            "skills",
            "needs_docs",
            "libraries",
            "agent",
            "model",
            "max_turns",
            "max_attempts",
            "max_retries",
            "timeout_multiplier",
            "review_status",
            "review_count",
            "review_feedback",
            "reviewStatus",
            "reviewCount",
            "passes",
            "notes",
            "x",
        ];
        let is_honest = self.is();
        let mut fields = Map::new();
        for _ in 0..=self.roll(3) {
            let (name, value) =
                if is_honest { self.honest() } else { (self.pick(NAMES).to_owned(), self.value()) };
            fields.insert(name, value);
        }
        fields
    }

    fn amendment(&mut self) -> Value {
        let mut entry = json!({
            "action": self.pick(&["add", "add", "modify", "modify", "modify", "remove", "delete", "approve"]),
            "reason": self.pick(&["r", "r", "r", "r", "r", ""]),
        });
        if self.roll(4) > 0 {
            entry["task_id"] = json!(format!("T-{}", self.roll(7)));
        }
        let mut fields = self.fields();
        if self.is() {
            let id = format!("T-{}", self.roll(9));
            fields.extend([
                ("id".into(), json!(id)),
                ("title".into(), json!("t")),
                ("description".into(), json!("d")),
            ]);
        }
        let name = if entry["action"] == "add" { "task" } else { "changes" };
        let name = if self.roll(9) == 0 { self.pick(&["status", "after", "task"]) } else { name };
        entry[name] = if self.roll(8) == 0 { self.value() } else { Value::Object(fields) };
        entry
    }

    fn handoff(&mut self) -> Handoff {
        let amendments: Value = (0..self.roll(7)).map(|_| self.amendment()).collect();
        let amendments = if self.roll(9) == 0 { json!(amendments.to_string()) } else { amendments };
        let rest = [("plan_amendments".to_owned(), amendments)].into_iter().collect();
        Handoff { rest, ..Handoff::default() }
    }

    /// What a vandal leaves of the plan file.
    fn vandalised(&mut self, truth: &Plan) -> String {
        let text = plan_json::render(truth);
        let cut = usize::try_from(self.roll(text.len() as u64)).unwrap_or(0);
        if self.roll(9) == 0 {
            return String::from_utf8_lossy(&text.as_bytes()[..cut]).into_owned();
        }
        let mut file: Value = serde_json::from_str(&text).unwrap_or_default();
        for _ in 0..self.roll(4) {
            let fields = self.fields();
            if let Some(tasks) = file["tasks"].as_array_mut().filter(|tasks| !tasks.is_empty()) {
                let at = usize::try_from(self.roll(tasks.len() as u64)).unwrap_or(0);
                match self.roll(4) {
                    0 => {
                        tasks.remove(at);
                    }
                    1 => tasks.push(Value::Object(fields)),
                    _ => tasks[at]
                        .as_object_mut()
                        .into_iter()
                        .for_each(|task| task.extend(fields.clone())),
                }
            }
        }
        if self.roll(5) == 0 {
            file["verify_commands"] = self.value();
        }
        file.to_string()
    }
}

/// Invariants of everything that is applied without a person.
fn assert_unharmed(truth: &Plan, after: &Plan, may_remove: bool, what: u64) {
    assert_eq!(problems(after), [], "{what}");
    assert_eq!(plan_json::parse(&plan_json::render(after)).as_ref(), Ok(after), "{what}");
    assert_eq!(after.verify_commands, truth.verify_commands, "{what}");
    assert_eq!(
        (&after.branch, after.max_iterations),
        (&truth.branch, truth.max_iterations),
        "{what}"
    );
    for old in &truth.tasks {
        let Some(new) = after.tasks.iter().find(|new| new.id == old.id) else {
            assert!(may_remove && old.status == Status::Pending, "{what}: {} is gone", old.id);
            continue;
        };
        assert!(old.status != Status::Done || old == new, "{what}: {} was done", old.id);
        assert_eq!(
            (new.status, new.review_count, &new.review_feedback, &new.extra),
            (old.status, old.review_count, &old.review_feedback, &old.extra),
            "{what}"
        );
        assert_eq!(
            (&new.agent, &new.model, new.max_turns, new.own_max_attempts(), new.timeout_multiplier),
            (&old.agent, &old.model, old.max_turns, old.own_max_attempts(), old.timeout_multiplier),
            "{what}"
        );
        assert!(
            old.acceptance_criteria.iter().all(|c| new.acceptance_criteria.contains(c)),
            "{what}"
        );
        assert!(new.acceptance_criteria.len() >= old.acceptance_criteria.len(), "{what}");
        assert!(old.depends_on.iter().all(|id| new.depends_on.contains(id)), "{what}");
    }
    for new in after.tasks.iter().filter(|new| truth.position(&new.id).is_none()) {
        assert_eq!((new.status, new.review_count.unwrap_or(0)), (Status::Pending, 0), "{what}");
        assert_eq!((&new.model, new.own_max_attempts()), (&None, None), "{what}");
    }
}

#[test]
fn whatever_is_proposed_no_status_done_task_or_criterion_gives_way() {
    let mut rulings = [0_u32; 3];
    for seed in 0..ROUNDS {
        let mut dice = Dice::new(seed);
        let truth = dice.plan();
        assert_eq!(problems(&truth), [], "{seed}");
        let (mut proposals, _) = from_handoff(&dice.handoff());
        proposals.extend(from_edit(&truth, &dice.vandalised(&truth)).0);
        let current: TaskId = format!("T-{}", dice.roll(4)).into();
        let permits = Permits {
            may_add: dice.roll(5) > 0,
            may_modify: dice.roll(5) > 0,
            may_remove: dice.is(),
        };
        let mode = dice.pick(&[Mode::Implement, Mode::Implement, Mode::Fix, Mode::Review]);
        let judging = Judging {
            truth: &truth,
            current: Some(&current),
            is_unjudged: false,
            mode,
            permits,
            waiting: Vec::new(),
            ungated: None,
        };
        let count = proposals.len();
        let ruled = judge(&judging, proposals);
        assert_eq!(ruled.len(), count, "{seed}");
        let journaled = serde_json::to_string(&ruled).unwrap_or_default();
        assert_eq!(
            serde_json::from_str(&journaled).ok().as_ref(),
            Some(&ruled),
            "{seed}: {journaled}"
        );

        let (mut after, mut applied) = (truth.clone(), 0);
        for Ruled { proposal, ruling } in &ruled {
            match ruling {
                Ruling::Applied => {
                    applied += 1;
                    rulings[0] += 1;
                    assert!(apply(&mut after, &proposal.amendment), "{seed}: {proposal:?}");
                }
                Ruling::Waits { .. } => {
                    rulings[1] += 1;
                    // Whatever a person accepts leaves a plan that a run can work with.
                    let mut accepted = truth.clone();
                    let _ = apply(&mut accepted, &proposal.amendment);
                    assert_eq!(problems(&accepted), [], "{seed}: {proposal:?}");
                }
                Ruling::Refused { .. } => rulings[2] += 1,
            }
        }
        assert!(applied <= MOST_PER_ITERATION, "{seed}");
        assert_unharmed(&truth, &after, permits.may_remove, seed);
    }
    assert!(rulings.iter().all(|count| *count > 100), "the dice miss something: {rulings:?}");
}

#[test]
fn an_untouched_file_proposes_nothing() {
    for seed in 0..ROUNDS {
        let truth = Dice::new(seed).plan();
        assert_eq!(
            from_edit(&truth, &plan_json::render(&truth)),
            (Vec::new(), Vec::new()),
            "{seed}"
        );
    }
}

#[test]
fn an_edit_read_as_proposals_and_applied_is_the_edit() {
    let mut changed_at_all = 0;
    for seed in 0..ROUNDS {
        let mut dice = Dice::new(seed);
        let truth = dice.plan();
        let mut edited = truth.clone();
        let count = edited.tasks.len() as u64;
        for (number, task) in (0..count).zip(&mut edited.tasks) {
            dice.scramble(task, number);
        }
        for number in count..count + dice.roll(3) {
            let status = Status::Pending;
            edited.tasks.push(Task { status, ..dice.task(number) });
        }
        if dice.roll(3) == 0 && edited.tasks.len() > 1 {
            let gone = edited.tasks.remove(0).id;
            edited.tasks.iter_mut().for_each(|task| task.depends_on.retain(|id| *id != gone));
        }
        if dice.is() {
            edited.verify_commands = vec!["true".into()];
            edited.extra.insert("x".into(), json!(1));
        }
        let (proposals, words) = from_edit(&truth, &plan_json::render(&edited));
        if !truth.tasks.iter().any(|task| edited.position(&task.id).is_some()) {
            assert_eq!((proposals.len(), words.len()), (0, 1), "{seed}: another plan");
            continue;
        }
        changed_at_all += u32::from(!proposals.is_empty());
        assert_eq!(words, Vec::<String>::new(), "{seed}");
        let mut after = truth.clone();
        for proposal in &proposals {
            assert!(apply(&mut after, &proposal.amendment), "{seed}: {proposal:?}");
        }
        assert_eq!(after, edited, "{seed}");
    }
    assert!(changed_at_all > 500, "the dice change too little: {changed_at_all}");
}
