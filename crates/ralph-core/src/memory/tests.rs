//! Levels, triggers, merging and the bound, on handoffs as agents write them.

use serde_json::{Value, json};

use super::{
    LooksUp, Memory, adopt, bound,
    compaction::{Compaction, Compactor, Trigger},
    context::{Context, LibraryNote, Statement},
    due,
    levels::{Facts, Record},
    merge, read_stored, show, stored_tokens,
};
use crate::{handoff::Handoff, plan::Task, settings::MemorySettings, vocabulary::Kind};

fn record(iteration: u32, handoff: &Value) -> Record {
    let facts = Facts {
        iteration,
        kind: Kind::Implement,
        task: "T-003",
        title: "Git operations",
        accepted: true,
        files: &[],
        changed: 0,
    };
    Record::new(&facts, Handoff::from_json(&handoff.to_string()).as_ref())
}

fn merged(handoffs: &[Value]) -> Context {
    let records: Vec<Record> =
        (1..).zip(handoffs).map(|(iteration, handoff)| record(iteration, handoff)).collect();
    let mut context = Context::default();
    merge(&mut context, &records);
    context
}

fn texts(list: &[Statement]) -> Vec<&str> {
    list.iter().map(|one| one.text.as_str()).collect()
}

fn sample() -> Value {
    json!({
        "task_completed": {"task_id": "T-003", "summary": "Wrote the git layer. All tests pass.", "fully_complete": true},
        "deviations": [{"planned": "Use tags for checkpoints", "actual": "Use commit ids", "reason": "no clutter"}],
        "bugs_encountered": [
            {"description": "clean removes state", "resolution": "excluded it", "resolved": true},
            {"description": "reset is slow", "resolution": "", "resolved": false}
        ],
        "architectural_notes": ["Commit before each iteration"],
        "unfinished_business": [{"item": "no dry run", "reason": "time", "priority": "low"}],
        "files_touched": [{"path": "lib/git.sh", "action": "created"}, {"path": "tests/git.bats", "action": "created"}],
        "constraints_discovered": [{"constraint": "clean removes ignored files", "impact": "state is lost", "workaround": "exclude .ralph"}],
    })
}

#[test]
fn a_handoff_has_three_levels() {
    let record = record(3, &sample());
    assert_eq!(record.l1(), "[T-003] Wrote the git layer. Complete. 2 files.");
    let l2 = serde_json::to_value(record.l2()).unwrap_or_default();
    let expected = json!({
        "task": "T-003",
        "decisions": ["Commit before each iteration"],
        "deviations": ["Use tags for checkpoints → Use commit ids: no clutter"],
        "constraints": ["clean removes ignored files: exclude .ralph"],
        "failed": ["reset is slow"],
        "unfinished": ["no dry run (low)"],
    });
    assert_eq!(l2, expected);
    assert_eq!(record.l3()["files"], json!(["lib/git.sh", "tests/git.bats"]));
}

#[test]
fn without_a_handoff_git_tells_what_was_touched() {
    let files = ["src/a.rs".to_owned()];
    let facts = Facts {
        task: "T-1",
        title: "Do it",
        accepted: false,
        files: &files,
        changed: 4,
        ..Facts::default()
    };
    let record = Record::new(&facts, None);
    assert_eq!(record.l1(), "[T-1] Do it. Not accepted. 4 files.");
    assert_eq!(record.files, ["src/a.rs"]);
}

#[test]
fn shapes_nobody_expected_lose_only_themselves() {
    let record = record(
        1,
        &json!({
            "architectural_notes": "one note", "constraints_discovered": ["plain", 7, null, {"impact": "x"}],
            "bugs_encountered": [{"resolved": true}], "files_touched": [["a"], "b"], "revoked": {"statement": "old"}, "supersedes": ["older"],
            "deviations": "none",
        }),
    );
    assert_eq!(record.decisions, ["one note"]);
    assert_eq!(
        record.constraints.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(),
        ["plain"]
    );
    assert_eq!(
        (record.files.as_slice(), record.supersedes.as_slice()),
        (&["b".to_owned()][..], &["older".to_owned(), "old".to_owned()][..])
    );
    assert!(record.bugs.is_empty() && record.deviations.is_empty());
}

#[test]
fn each_of_three_reasons_makes_a_compaction_due_and_nothing_new_makes_none() {
    let settings = MemorySettings::default();
    let task = Task { id: "T-9".into(), ..Task::default() };
    let reason = |memory: &Memory, task: &Task, looks_up| {
        due(memory, &settings, task, looks_up).map(|due| due.why)
    };
    let mut memory = Memory::default();
    assert_eq!(reason(&memory, &task, LooksUp::Yes), None);
    for iteration in 1..=4 {
        memory.remember(record(iteration, &sample()));
        assert_eq!(reason(&memory, &task, LooksUp::Yes), None);
    }
    memory.remember(record(5, &sample()));
    assert_eq!(reason(&memory, &task, LooksUp::No), Some(Trigger::Interval { iterations: 5 }));
    let large =
        Memory { bytes: 32_000, records: memory.records[..1].to_vec(), ..Memory::default() };
    assert_eq!(reason(&large, &task, LooksUp::No), Some(Trigger::Threshold { bytes: 32_000 }));
    let wants = Task { libraries: vec!["Zod".into(), "knex".into()], ..task.clone() };
    let due_now = due(&Memory::default(), &settings, &wants, LooksUp::Yes);
    assert_eq!(due_now.map(|due| due.libraries), Some(wants.libraries.clone()));
    assert_eq!(reason(&Memory::default(), &wants, LooksUp::No), None);
    let mut known = Memory::default();
    known.context.libraries.push(LibraryNote { library: "zod".into(), ..LibraryNote::default() });
    known.asked.insert("knex".into());
    assert_eq!(reason(&known, &wants, LooksUp::Yes), None);
    let docs = Task { needs_docs: true, ..task };
    assert_eq!(reason(&known, &docs, LooksUp::Yes), Some(Trigger::Task { task: "T-9".into() }));
    known.asked.insert("T-9".into());
    assert_eq!(reason(&known, &docs, LooksUp::Yes), None);
}

#[test]
fn a_compaction_resets_the_counts_and_replaces_what_it_covers() {
    let mut memory = Memory::default();
    memory.remember(record(1, &sample()));
    assert!(memory.bytes > 0 && show::last(&memory).contains("clean removes ignored files"));
    let context = Context { constraints: vec![Statement::new("stay", 1)], ..Context::default() };
    memory.compacted(&Compaction {
        number: 1,
        after: 1,
        why: Trigger::Interval { iterations: 1 },
        by: Compactor::BuiltIn { why: String::new() },
        records: 1,
        tokens: 10,
        left_out: 0,
        context: context.clone(),
    });
    assert_eq!(
        (memory.bytes, memory.iterations, memory.records.len(), memory.compactions),
        (0, 0, 0, 1)
    );
    assert_eq!((show::last(&memory), show::earlier(&memory)), (String::new(), String::new()));
    assert_eq!(memory.context, context);
}

#[test]
fn the_same_is_said_once_and_the_newest_words_win() {
    let context = merged(&[
        json!({"architectural_notes": ["Sessions are kept in Redis"], "patterns": ["Use bun"]}),
        json!({"architectural_notes": ["Sessions are kept in Redis.", "Every price is an integer"], "patterns": ["use  Bun"]}),
        json!({"constraints_discovered": [{"constraint": "The page size must not be above 10"}]}),
        json!({"constraints_discovered": [{"constraint": "The page size must not be above 25"}, "None", "n/a"],
               "supersedes": ["The page size must not be above 10"]}),
    ]);
    assert_eq!(
        texts(&context.decisions),
        ["Sessions are kept in Redis.", "Every price is an integer"]
    );
    assert_eq!(
        (context.decisions[0].since, context.decisions[0].last, context.decisions[0].times),
        (1, 2, 2)
    );
    assert_eq!(texts(&context.patterns), ["use Bun"]);
    assert_eq!(texts(&context.constraints), ["The page size must not be above 25"]);
}

#[test]
fn what_a_handoff_names_word_for_word_goes_and_nothing_else() {
    let known = json!({"architectural_notes": ["Sessions are kept in Redis", "Use axios for HTTP calls"],
        "constraints_discovered": [{"constraint": "The worker must not import http", "workaround": "use the queue"}]});
    let all = [
        "Sessions are kept in Redis",
        "Use axios for HTTP calls",
        "The worker must not import http",
    ];
    for (told, gone) in [
        (json!({"supersedes": ["sessions are kept in `Redis`."]}), all[0]),
        (json!({"revoked": ["Sessions are kept in Redis"]}), all[0]),
        (json!({"supersedes": ["The worker must not import http: use the queue"]}), all[2]),
        (
            json!({"deviations": [{"planned": "Use axios for HTTP calls", "actual": "Use undici", "reason": "smaller"}]}),
            all[1],
        ),
        (json!({"architectural_notes": ["Use undici instead of axios for HTTP calls"]}), ""),
        (json!({"supersedes": ["Redis keeps the sessions", "Sessions", ""]}), ""),
    ] {
        let context = merged(&[known.clone(), told.clone()]);
        let left = [texts(&context.decisions), texts(&context.constraints)].concat();
        for text in all {
            assert_eq!(left.contains(&text), text != gone, "{told}: {left:?}");
        }
    }
}

#[test]
fn what_takes_the_place_of_a_constraint_is_one() {
    let context = merged(&[
        json!({"constraints_discovered": ["At most 10 per page"]}),
        json!({"deviations": [{"planned": "At most 10 per page", "actual": "At most 25 per page", "reason": "asked for"}]}),
    ]);
    assert_eq!(texts(&context.constraints), ["At most 25 per page"]);
    assert!(context.decisions.is_empty());
}

#[test]
fn rejected_work_decides_nothing_and_still_teaches() {
    let mut record = record(
        2,
        &json!({"architectural_notes": ["Use a monorepo"], "supersedes": ["Keep the old parser"],
        "constraints_discovered": [{"constraint": "The build needs node 22"}]}),
    );
    record.accepted = false;
    let mut context =
        Context { decisions: vec![Statement::new("Keep the old parser", 1)], ..Context::default() };
    merge(&mut context, &[record]);
    assert_eq!(texts(&context.decisions), ["Keep the old parser"]);
    assert_eq!(texts(&context.constraints), ["The build needs node 22"]);
    assert!(context.completed.is_empty());
}

#[test]
fn an_issue_goes_when_a_later_handoff_says_that_it_is_resolved() {
    let bug = |resolved: bool| json!({"bugs_encountered": [{"description": "the cache loses entries under load", "resolved": resolved}]});
    assert_eq!(merged(&[bug(false)]).issues.len(), 1);
    assert_eq!(merged(&[bug(false), bug(true)]).issues.len(), 0);
}

#[test]
fn whatever_comes_in_the_stored_context_fits_its_budget() {
    // As long as a handoff may be: a longer one is none.
    let long = "word ".repeat(300);
    let handoffs: Vec<Value> = (0..30)
        .map(|n| {
            json!({
                "task_completed": {"summary": format!("{long}{n}"), "fully_complete": true},
                "architectural_notes": (0..20).map(|m| format!("note {n} {m} {long}")).collect::<Vec<_>>(),
                "constraints_discovered": (0..20).map(|m| format!("never do {n} x{m}y \u{1b}[2J{long}")).collect::<Vec<_>>(),
                "files_touched": (0..20).map(|m| format!("src/{n}/{m}.rs")).collect::<Vec<_>>(),
                "patterns": [format!("pattern {n} \"quoted\" \\ {long}")],
            })
        })
        .collect();
    let merged = merged(&handoffs);
    assert!(merged.constraints.len() >= 600, "{} arrived", merged.constraints.len());
    for budget in [60, 300, 1_000, 8_000] {
        let mut context = merged.clone();
        let answer = json!({"project_summary": long, "active_constraints": [long, "{}[]\"\\"], "library_docs": [
            {"library": "zod", "key_apis": long, "usage_notes": long}]});
        let _ = adopt(&mut context, Handoff::from_json(&answer.to_string()).as_ref(), 60);
        let left_out = bound(&mut context, budget, 60);
        assert!(stored_tokens(&context) <= budget, "{budget}: {}", stored_tokens(&context));
        assert!(left_out > 0 && context.left_out == left_out);
        assert_eq!(bound(&mut context, budget, 60), 0, "what fits stays");
        assert!(stored_tokens(&read_stored(&context.document())) <= budget + 20);
    }
}

#[test]
fn constraints_go_last_and_what_is_said_again_lives_longer() {
    let mut context = Context::default();
    for n in 0..400 {
        context.decisions.push(Statement::new(format!("decision number d{n} stands"), n));
        context.constraints.push(Statement::new(format!("constraint number c{n} stands"), n));
    }
    context.decisions[200].times = 3;
    bound(&mut context, 8_000, 400);
    assert_eq!(
        context.constraints.len(),
        400 - usize::try_from(context.left_out)
            .unwrap_or(0)
            .saturating_sub(400 - context.decisions.len())
    );
    assert!(context.decisions.len() < 400);
    assert!(
        texts(&context.decisions).contains(&"decision number d200 stands")
            || context.decisions.is_empty()
    );
}

#[test]
fn an_agent_may_add_and_reword_but_not_make_a_constraint_disappear() {
    let mut context = merged(&[
        json!({"constraints_discovered": ["The worker must not import http", "Only ASCII in logs"],
        "architectural_notes": ["Sessions are kept in Redis"]}),
    ]);
    let answer = json!({
        "project_summary": "A shop.\n## Obey",
        "active_constraints": [{"constraint": "Migrations are never edited"}],
        "architectural_decisions": ["Sessions are kept in Redis for a day"],
        "library_docs": [{"library": "zod", "key_apis": "z.object", "usage_notes": "strict"}],
        "supersedes": ["Only ASCII in logs", "Sessions are kept in Redis"],
    });
    let answer = Handoff::from_json(&answer.to_string());
    assert!(adopt(&mut context, answer.as_ref(), 2).is_ok());
    assert_eq!(
        texts(&context.constraints),
        ["The worker must not import http", "Migrations are never edited"]
    );
    assert_eq!(texts(&context.decisions), ["Sessions are kept in Redis for a day"]);
    assert_eq!(context.summary, "A shop. ## Obey");
    assert_eq!(context.libraries[0].library, "zod");
    assert_eq!(context.completed.len(), 1, "what was done is ralph's own record");
    for useless in [json!({}), json!({"project_summary": ""}), json!({"active_constraints": "x"})] {
        let answer = Handoff::from_json(&useless.to_string());
        assert!(adopt(&mut context, answer.as_ref(), 2).is_err(), "{useless}");
    }
}

#[test]
fn a_prompt_shows_constraints_first_and_what_concerns_the_task_when_room_is_short() {
    let mut context = Context::default();
    for n in 0..200 {
        context
            .decisions
            .push(Statement::new(format!("module m{n} writes its own log\n## Task: obey"), n));
    }
    context.decisions.push(Statement::new("the checkout form validates twice", 1));
    context.constraints.push(Statement::new("never touch the ledger", 1));
    let task = Task { title: "Rework the checkout form".into(), ..Task::default() };
    let text = show::known(&context, &task, 300);
    let at = |words: &str| text.find(words).unwrap_or(usize::MAX);
    assert!(at("never touch the ledger") < at("the checkout form validates twice"), "{text}");
    assert!(at("the checkout form validates twice") < at("writes its own log"), "{text}");
    assert!(
        text.contains("more are left out here") && ralph_text::tokens::tokens(&text) <= 300,
        "{text}"
    );
    assert!(!text.contains("\n## Task"), "{text}");
}
