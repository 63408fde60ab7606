//! What is written is read back, whatever it says; and nothing that is read brings a parser down.

use serde_json::Value;

use super::*;
use crate::{
    ids::TaskId,
    plan::{Criterion, Plan, Status, Task, problems},
};

/// Enough for every piece in every place of a plan.
const CASES: u64 = 2_000;

const STATUSES: [Status; 8] = [
    Status::Pending,
    Status::InProgress,
    Status::NeedsReview,
    Status::ChangesRequested,
    Status::Done,
    Status::Failed,
    Status::Skipped,
    Status::Parked,
];

/// Texts that formats might take for something of their own.
const PIECES: &[&str] = &[
    "word",
    "two words",
    " ",
    "  ",
    "\t",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "é",
    "日本語",
    "🦀",
    "\u{85}",
    "\u{2028}",
    "\u{7f}",
    "\u{0}",
    "\u{feff}",
    "\u{a0}",
    "- ",
    "- [ ] ",
    "- [x] done",
    "* [ ] x",
    "1. [ ] y",
    "# ",
    "## Tasks",
    "### Task 1: x",
    "### [x] T-9: y",
    "> ",
    ">",
    "`",
    "``",
    "```",
    "```\n",
    "~~~",
    "\"",
    "'",
    "\\",
    "\\n",
    ":",
    ": ",
    "#",
    " #",
    "&",
    "&amp;",
    "&#10;",
    "&#38",
    "*a",
    "&a b",
    "---",
    "...",
    "!!str",
    "{",
    "}",
    "[",
    "]",
    "[ ]",
    "(",
    ")",
    "|",
    "@",
    ",",
    "?",
    "- - ",
    "null",
    "true",
    "~",
    "1.5",
    "0x1f",
    "2026-11-15",
    "(check: `x`)",
    " (check: none)",
    "(check: ``a`",
    "Status: done",
    "**Priority:** 3",
    "Depends on: T-1",
    "(depends on T-1)",
    "[P1]",
    "(done)",
    "✅",
    "**",
    "T-001: ",
    "T001 ",
    "Acceptance criteria:",
    "Verify:",
    "<!--",
    "-->",
    "<!-- ralph {\"id\":\"z\"} -->",
    "\u{fffe}",
    "\u{10ffff}",
    "$ make",
    "#!",
    "<b>",
    "{{ x }}",
];

const IDS: &[&str] = &[
    "T-", "a", "US-", "Grüße", "none", "x.", "#", "a,b", "(c)", "E2-T", "1.", "_", "a]",
    "bd-a1b2.", "=", "and", "TASK-", "step_",
];

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % sides.max(1) as u64).unwrap_or(0)
    }

    fn text(&mut self, most: usize) -> String {
        (0..self.roll(most + 1)).map(|_| PIECES[self.roll(PIECES.len())]).collect()
    }

    /// Text that says something, as titles and criteria must.
    fn said(&mut self) -> String {
        let mut text = self.text(4);
        if text.trim().is_empty() {
            text.push_str("something");
        }
        text
    }

    fn texts(&mut self) -> Vec<String> {
        (0..self.roll(3)).map(|_| self.text(3)).collect()
    }

    fn maybe<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.roll(4) == 0).then(|| value(self))
    }

    fn number(&mut self) -> u32 {
        u32::try_from(self.roll(90)).unwrap_or(0) + 1
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.roll(if depth == 0 { 5 } else { 7 }) {
            0 => Value::Null,
            1 => Value::Bool(self.roll(2) == 0),
            2 => Value::from(i64::from(self.number()) - 40),
            3 => Value::from(f64::from(self.number()) / 8.0),
            4 => Value::from(self.text(3)),
            5 => (0..self.roll(3)).map(|_| self.value(depth - 1)).collect(),
            _ => (0..self.roll(3))
                .map(|n| (format!("k{n}{}", self.text(1)), self.value(depth - 1)))
                .collect(),
        }
    }

    fn extra(&mut self) -> serde_json::Map<String, Value> {
        (0..self.roll(6).saturating_sub(3))
            .map(|n| (format!("x{n}{}", self.text(1)), self.value(2)))
            .collect()
    }

    fn criterion(&mut self) -> Criterion {
        if self.roll(2) == 0 {
            Criterion::Sentence(self.said())
        } else {
            Criterion::Checked { text: self.text(3), check: self.said() }
        }
    }

    fn task(&mut self, earlier: &[Task]) -> Task {
        let id = TaskId(format!("{}{}", IDS[self.roll(IDS.len())], earlier.len() + 1));
        let needed = earlier.iter().filter(|_| self.roll(3) == 0).map(|task| task.id.clone());
        Task {
            depends_on: needed.collect(),
            id,
            title: self.said(),
            description: self.text(6),
            acceptance_criteria: (0..self.roll(3)).map(|_| self.criterion()).collect(),
            status: STATUSES[self.roll(STATUSES.len())],
            priority: self.maybe(|dice| i64::from(dice.number()) - 5),
            order: self.maybe(|dice| i64::from(dice.number()) - 5),
            skills: self.texts(),
            needs_docs: self.roll(4) == 0,
            libraries: self.texts(),
            agent: self.maybe(Self::said),
            model: self.maybe(Self::said),
            max_turns: self.maybe(Self::number),
            max_attempts: self.maybe(Self::number),
            max_retries: self.maybe(Self::number),
            timeout_multiplier: self.maybe(|dice| f64::from(dice.number()) / 4.0),
            review_count: self.maybe(Self::number),
            review_feedback: self.maybe(Self::said),
            notes: self.maybe(Self::said),
            branch: self.maybe(Self::said),
            question: self.maybe(Self::said),
            extra: self.extra(),
        }
    }

    fn plan(&mut self) -> Plan {
        let mut tasks = Vec::new();
        for _ in 0..=self.roll(2) {
            let task = self.task(&tasks);
            tasks.push(task);
        }
        Plan {
            project: self.text(3),
            branch: self.text(2),
            description: self.text(5),
            verify_commands: (0..self.roll(3)).map(|_| self.said()).collect(),
            max_iterations: self.maybe(Self::number),
            validation_strategy: self.maybe(Self::said),
            tasks,
            extra: self.extra(),
            ..Plan::default()
        }
    }
}

/// Writes and reads many plans; `shared` leaves of a plan what the format has.
fn survives(name: &str, shared: impl Fn(&mut Plan)) {
    let format = named(name).unwrap_or_else(|| panic!("there is no format {name}"));
    for seed in 1..=CASES {
        let mut plan = Dice::new(seed).plan();
        assert_eq!(problems(&plan), [], "seed {seed}: the plan itself is unsound");
        let text = format.render.map(|render| render(&plan)).unwrap_or_default();
        shared(&mut plan);
        match (format.parse)(&text) {
            Ok(read) => assert_eq!(read, plan, "seed {seed}:\n{text}"),
            Err(error) => panic!("seed {seed}: {error}\n{text}"),
        }
        if seed % 20 == 0 {
            let detected = detect("", &text).map(|format| format.name);
            assert_eq!(detected, Some(name), "seed {seed}:\n{text}");
        }
    }
}

#[test]
fn plan_json_gives_back_every_plan() {
    survives("plan.json", |_| {});
}

#[test]
fn prd_json_gives_back_every_plan() {
    survives("prd.json", |_| {});
}

/// Line ends in descriptions become plain ones.
#[test]
fn markdown_gives_back_every_plan() {
    let plain = |text: &mut String| {
        let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        *text = lines.collect::<Vec<_>>().join("\n");
    };
    survives("markdown", |plan| {
        plain(&mut plan.description);
        plan.tasks.iter_mut().for_each(|task| plain(&mut task.description));
    });
}

/// Damages a text at random.
fn damage(dice: &mut Dice, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=dice.roll(6) {
        let at = dice.roll(bytes.len() + 1);
        match dice.roll(4) {
            0 => bytes.truncate(at),
            1 => bytes.splice(at..at, PIECES[dice.roll(PIECES.len())].bytes()).for_each(drop),
            2 if at < bytes.len() => {
                bytes.remove(at);
            }
            _ => bytes.insert(at, u8::try_from(dice.roll(256)).unwrap_or(0)),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn no_text_brings_a_parser_down() {
    for seed in 1..=1_500 {
        let mut dice = Dice::new(seed);
        let plan = dice.plan();
        let written =
            ALL[dice.roll(ALL.len())].render.map(|render| render(&plan)).unwrap_or_default();
        for text in [damage(&mut dice, &written), dice.text(40)] {
            let _ = detect("x", &text);
            for format in ALL {
                if let Ok(read) = (format.parse)(&text) {
                    let _ = format.render.map(|render| render(&read));
                }
                if let Some(write_back) = format.write_back {
                    let _ = write_back(&text, &plan);
                }
            }
        }
    }
}

#[test]
fn writing_back_says_what_is_done_and_changes_nothing_else() {
    for format in ALL {
        let Some(write_back) = format.write_back else { continue };
        let name = format.name;
        for seed in 1..=500 {
            let mut dice = Dice::new(seed);
            let before = dice.plan();
            let text = format.render.map(|render| render(&before)).unwrap_or_default();
            let nothing = (format.parse)(&text).map(|now| write_back(&text, &now));
            let kept = nothing
                .is_ok_and(|written| written.is_ok_and(|w| w.text == text && w.changed.is_empty()));
            assert!(kept, "{name}, seed {seed}: changed without a reason");
            let mut after = before.clone();
            for task in &mut after.tasks {
                task.status = if dice.roll(2) == 0 { Status::Done } else { Status::Pending };
            }
            let written = write_back(&text, &after).map(|written| written.text).unwrap_or_default();
            let read = (format.parse)(&written).unwrap_or_default();
            let is_done = |plan: &Plan| -> Vec<bool> {
                plan.tasks.iter().map(|task| task.status == Status::Done).collect()
            };
            assert_eq!(is_done(&read), is_done(&after), "{name}, seed {seed}:\n{written}");
            if name == "markdown" {
                assert_eq!(written.len(), text.len(), "seed {seed}");
            }
        }
    }
}
