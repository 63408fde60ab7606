//! The token estimate against a real byte-pair tokenizer (o200k), over prompts of every kind.
//!
//! What is rendered here is this repository's code, documents, captured transcripts and logs, and texts in many
//! languages.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use ralph_core::{
    gates::report::FailAction,
    memory::{
        context::{Context, Statement},
        levels::Record,
    },
    plan::{Criterion, Task},
    planning::{PlanRequest, Spec},
    prompt::{
        Brief, CompactWork, Counter, DEFAULT_BUDGET, Feedback, HandoffForm, PlanWork, ReviewWork,
        Section, Shift, TemplateName, Work, render,
    },
    review::{Finding, FindingSeverity},
};
use ralph_text::tokens::tokens;

/// Bytes of one text in a prompt.
const WINDOW: usize = 9_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files below a folder with one of these endings, in order.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.ends_with("target") {
            files(&path, endings, found);
        } else if path.extension().is_some_and(|one| endings.iter().any(|ending| one == *ending)) {
            found.push(path);
        }
    }
}

/// Some files of a sort, spread over all of them, each at most a window long.
fn some(folder: &str, endings: &[&str], count: usize) -> Vec<String> {
    let mut found = Vec::new();
    files(&root().join(folder), endings, &mut found);
    let step = (found.len() / count).max(1);
    let chosen = found.iter().step_by(step).take(count);
    chosen.filter_map(|path| fs::read_to_string(path).ok()).map(|text| window(&text)).collect()
}

fn window(text: &str) -> String {
    text[..text.floor_char_boundary(WINDOW)].to_owned()
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Texts that no file here has much of: checksums, hex dumps, tables, JSON on one line, escape sequences.
fn made_up() -> Vec<String> {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut made: Vec<String> = Vec::new();
    let lines = |dice: &mut Dice, line: &dyn Fn(&mut Dice, usize) -> String| {
        (0..60).map(|at| line(dice, at)).collect::<Vec<_>>().join("\n")
    };
    made.push(lines(&mut dice, &|dice, at| {
        format!("{:016x}{:016x}  target/release/part-{at}.o", dice.roll(), dice.roll())
    }));
    made.push(lines(&mut dice, &|dice, at| {
        format!(
            "{:08x}  {:04x} {:04x} {:04x} {:04x}",
            at * 16,
            dice.roll() & 0xffff,
            dice.roll() & 0xffff,
            dice.roll() & 0xffff,
            dice.roll() & 0xffff
        )
    }));
    made.push(lines(&mut dice, &|dice, at| {
        format!(
            "| case-{at:<4} | {:>9}.{:02} | {:<7} |",
            dice.roll() % 100_000,
            dice.roll() % 100,
            if at % 7 == 0 { "failed" } else { "ok" }
        )
    }));
    made.push(lines(&mut dice, &|dice, at| {
        format!("{{\"id\":{at},\"user\":\"u-{:x}\",\"score\":{}.{},\"tags\":[\"new\",\"vip\"],\"ok\":true}}", dice.roll() & 0xff_ffff, dice.roll() % 90, dice.roll() % 1000)
    }));
    made.push(lines(&mut dice, &|dice, _| {
        format!(
            "\u{1b}[32m PASS \u{1b}[0m {:>4}ms worker={} heap={}MB",
            dice.roll() % 5000,
            dice.roll() % 16,
            dice.roll() % 900
        )
    }));
    made.push(lines(&mut dice, &|dice, at| {
        format!("2026-11-{:02}T{:02}:{:02}:{:02}.{:03}Z INFO http_server::router getUserById({}) -> {} in {}us", at % 28 + 1, dice.roll() % 24, dice.roll() % 60, dice.roll() % 60, dice.roll() % 1000, dice.roll() % 100_000, 200 + dice.roll() % 304, dice.roll() % 90_000)
    }));
    made
}

/// Every text that prompts are made of.
fn corpus() -> Vec<String> {
    let mut texts = some("crates", &["rs"], 24);
    texts.extend(some("docs", &["md"], 8));
    texts.extend(some("docs", &["json"], 1));
    texts.extend(some("crates/testkit/fixtures", &["jsonl", "ndjson", "json", "log"], 8));
    texts.extend(some("crates", &["snap"], 6));
    let whole = fs::read_to_string(root().join("Cargo.lock")).unwrap_or_default();
    texts.push(window(&whole));
    let folder = root().join("crates/testkit/fixtures/tokens");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let languages = read("languages.md");
    texts.extend([read("failing-tests.log"), languages.clone()]);
    texts.extend(languages.split("\n\n").map(|one| format!("{one}\n{one}\n")));
    texts.extend(made_up());
    texts
}

fn task(text: &str) -> Task {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let line = |line: Option<&str>| line.unwrap_or("Add a filter").trim().to_owned();
    Task {
        id: "STORY-0042".into(),
        title: line(lines.next()).chars().take(70).collect(),
        description: text.chars().take(700).collect(),
        acceptance_criteria: vec![
            Criterion::Sentence("The filter offers All, Active and Done.".into()),
            Criterion::Sentence(line(lines.next()).chars().take(200).collect()),
            Criterion::Checked {
                text: "the tests of the list pass".into(),
                check: "npm test -- src/list/filter.test.ts".into(),
            },
        ],
        ..Task::default()
    }
}

fn finding(text: &str) -> Finding {
    Finding {
        severity: FindingSeverity::Blocking,
        title: text.lines().next().unwrap_or_default().chars().take(90).collect(),
        detail: text.chars().take(1500).collect(),
        place: "src/list/filter.ts:88".into(),
    }
}

fn feedback(text: &str) -> Feedback {
    Feedback {
        title: "gate \"tests\" failed with exit code 1".into(),
        hint: String::new(),
        output: text.to_owned(),
        action: FailAction::Append,
    }
}

/// What a planner is told: a sentence, or specifications and a plan that exists.
fn planning(text: &str, other: &str, is_full: bool) -> PlanWork {
    let mut request =
        PlanRequest { text: text.chars().take(2000).collect(), ..PlanRequest::default() };
    if is_full {
        let spec = |path: &str, text: &str| Spec {
            path: path.into(),
            text: text.to_owned(),
            ..Spec::default()
        };
        request.specs = vec![spec("specs/list.md", text), spec("specs/sync.md", other)];
        request.existing.tasks = vec![task(other), task(text)];
        request.verify_commands = vec!["npm test".into()];
        request.prd = other.chars().take(2000).collect();
    }
    PlanWork { request, mistakes: Vec::new(), is_short: false }
}

/// What a compactor is told: the handoffs of iterations, and what was known before them.
fn compacting(text: &str, other: &str, is_full: bool) -> CompactWork {
    let lines = |text: &str| text.lines().take(12).map(str::to_owned).collect::<Vec<_>>();
    let record = |at: u32, text: &str| Record {
        iteration: at,
        task: "STORY-0042".into(),
        summary: text.chars().take(600).collect(),
        ..Record::default()
    };
    let mut work = CompactWork {
        context: Context::default(),
        records: vec![record(6, text)],
        libraries: Vec::new(),
    };
    if is_full {
        work.libraries = vec!["zod".into(), "@tanstack/react-query".into()];
        work.records.extend([record(7, other), record(8, text)]);
        let known =
            |(at, text): (usize, String)| Statement::new(text, u32::try_from(at).unwrap_or(0));
        work.context.constraints = lines(other).into_iter().enumerate().map(known).collect();
        work.context.summary = text.chars().take(600).collect();
    }
    work
}

/// A brief of every kind about a text, bare or with all that can be told.
fn briefs(text: &str, other: &str, is_full: bool) -> Vec<Brief> {
    let task = Box::new(task(text));
    let review = ReviewWork {
        range: Some(("1f0c9d27".into(), "a81b3e55".into())),
        gates: vec!["tests: exit 0, 132 tests".into(), "lint: exit 0".into()],
        touched: vec!["tests/list.rs (tests)".into()],
        claims: other.chars().take(2500).collect(),
        ..ReviewWork::new((*task).clone())
    };
    let works = [
        Work::Task(task.clone()),
        Work::Task(task.clone()),
        Work::Fix(task, vec![finding(text), finding(other)]),
        Work::Review(review),
        Work::Plan(Box::new(planning(text, other, is_full))),
        Work::Compact(Box::new(compacting(text, other, is_full))),
        Work::Prompt(text.to_owned()),
    ];
    let mut briefs: Vec<Brief> = works.map(Brief::new).into();
    briefs[1].is_first = true;
    for brief in briefs.iter_mut().filter(|_| is_full) {
        brief.counter = Some(Counter { iteration: 7, of: 30, is_told: true });
        brief.handoff = HandoffForm::Block;
        brief.feedback = vec![feedback(other), feedback(text)];
        brief.skills = vec![("conventions".into(), other.chars().take(3000).collect())];
        brief.directive = Some(Shift {
            failed_approach: vec!["patched the parser with a regular expression".into()],
            why: "the same failure came 3 times".into(),
        });
        brief.background = vec![
            (Section::Project, "A shop for people who repair bicycles.".into()),
            (Section::LastHandoff, text.chars().take(1500).collect()),
            (Section::Memory, other.to_owned()),
            (Section::Earlier, "5: schema added\n6: import of orders begun".into()),
        ];
    }
    briefs
}

/// The estimate divided by the real count, for prompts of every kind about one text: bare, and full beside others.
fn measure(texts: &[String], at: usize) -> Vec<(&'static str, f64, usize)> {
    let tokenizer = bpe_openai::o200k_base();
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let mut measured = Vec::new();
    for (step, is_full) in [(3, false), (3, true), (20, true)] {
        let other = &texts[(at * 7 + step) % texts.len()];
        for brief in briefs(&texts[at], other, is_full) {
            let prompt = render(&brief, DEFAULT_BUDGET);
            let ratio = number(tokens(&prompt.text)) / number(tokenizer.count(&prompt.text));
            measured.push((prompt.template.name(), ratio, at));
        }
    }
    measured
}

#[test]
fn phase_5_the_estimate_is_within_30_percent_for_200_prompts_of_every_kind() {
    let texts = corpus();
    let all: Vec<usize> = (0..texts.len()).collect();
    let mut ratios: BTreeMap<&str, Vec<(f64, usize)>> = BTreeMap::new();
    std::thread::scope(|scope| {
        let measured: Vec<_> = all
            .chunks(texts.len().div_ceil(4))
            .map(|part| scope.spawn(|| part.iter().flat_map(|&at| measure(&texts, at)).collect()))
            .collect();
        for part in measured {
            let part: Vec<(&str, f64, usize)> = part.join().unwrap_or_default();
            for (kind, ratio, at) in part {
                ratios.entry(kind).or_default().push((ratio, at));
            }
        }
    });
    let all: usize = ratios.values().map(Vec::len).sum();
    println!("{all} prompts over {} texts; estimate divided by tokens of o200k:", texts.len());
    for (kind, found) in &mut ratios {
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at = |nth: usize| found.get(nth).map_or(0.0, |one| one.0);
        let (least, middle, most) = (at(0), at(found.len() / 2), at(found.len() - 1));
        println!("{kind:<10} {:>4} prompts: {least:.3} {middle:.3} {most:.3}", found.len());
    }
    for name in TemplateName::ALL.map(TemplateName::name) {
        let prompts = ratios.get(name).map_or(0, Vec::len);
        assert!(prompts >= 200, "{prompts} prompts of the kind {name}");
    }
    let off: Vec<_> =
        ratios.values().flatten().filter(|(ratio, _)| (ratio - 1.0).abs() > 0.3).collect();
    let shown: Vec<_> =
        off.iter().map(|(ratio, at)| format!("{ratio:.3} {:.60}", texts[*at])).collect();
    assert!(off.is_empty(), "{} of {all}: {shown:#?}", off.len());
}

#[test]
fn a_prompt_that_is_cut_stays_within_its_budget_by_the_real_count_too() {
    let tokenizer = bpe_openai::o200k_base();
    let texts = corpus();
    for (at, text) in texts.iter().enumerate() {
        let other = &texts[(at * 5 + 1) % texts.len()];
        let long = other.repeat(4);
        for brief in briefs(text, &long, true).iter().take(3) {
            let prompt = render(brief, DEFAULT_BUDGET);
            assert!(prompt.tokens() <= DEFAULT_BUDGET, "{} {text:.60}", prompt.tokens());
            let real = tokenizer.count(&prompt.text);
            assert!(real * 5 <= DEFAULT_BUDGET * 6, "{real} {text:.60}");
        }
    }
}
