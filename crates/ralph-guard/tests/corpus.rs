//! The release gate of the command guard: how many commands of two corpora it judges as their authors did.
//! The first corpus is in two halves (the last bit of the SHA-256 of "guard" and the command); rules were
//! written with only the half called `seen` in view, and `held` was measured before anybody looked at it.

use std::fmt::Write as _;

use ralph_guard::{Scene, judge};

/// Categories in which only tokens of other languages can be looked at.
const INTERPRETERS: [&str; 2] = ["interpreter", "interp"];

#[derive(Default)]
struct Tally {
    right: usize,
    all: usize,
}

impl Tally {
    fn count(&mut self, is_right: bool) {
        self.all += 1;
        self.right += usize::from(is_right);
    }

    /// In hundredths of a per cent, so that no rounding decides.
    fn rate(&self) -> usize {
        (self.right * 10_000).checked_div(self.all).unwrap_or(10_000)
    }

    fn tell(&self, what: &str) -> String {
        let rate = self.rate();
        format!("{what}: {}/{} ({}.{:02} %)\n", self.right, self.all, rate / 100, rate % 100)
    }
}

struct Line {
    half: String,
    category: String,
    command: String,
    is_block: bool,
}

fn corpus() -> Vec<Line> {
    let text = include_str!("data/guard-corpus.tsv");
    let line = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields.as_slice() {
            [half, category, command, verdict, ..] => Some(Line {
                half: (*half).to_owned(),
                category: (*category).to_owned(),
                command: command.replace('⏎', "\n"),
                is_block: *verdict == "block",
            }),
            _ => None,
        }
    };
    text.lines().skip(1).filter_map(line).collect()
}

fn own() -> Vec<Line> {
    let text = include_str!("data/guard-own.tsv");
    let line = |line: &str| {
        let mut fields = line.splitn(3, '\t');
        Some(Line {
            half: "own".into(),
            category: fields.next()?.to_owned(),
            is_block: fields.next()? == "block",
            command: fields.next()?.replace('⏎', "\n"),
        })
    };
    text.lines().skip(1).filter_map(line).collect()
}

fn is_right(line: &Line) -> bool {
    let scene = Scene::at_root("/home/user/proj", "/home/user");
    judge(&line.command, &scene).is_allowed() != line.is_block
}

#[test]
fn the_guard_judges_both_corpora_well_enough_to_release() {
    let lines: Vec<Line> = corpus().into_iter().chain(own()).collect();
    assert!(lines.len() > 1_400, "only {} lines were read", lines.len());
    let (mut everyday, mut allowed) = (Tally::default(), Tally::default());
    let (mut outside, mut inside) = (Tally::default(), Tally::default());
    let (mut report, mut wrong) = (String::new(), String::new());
    for half in ["seen", "held", "own"] {
        let (mut block, mut allow) = (Tally::default(), Tally::default());
        for line in lines.iter().filter(|line| line.half == half) {
            let right = is_right(line);
            if !right {
                let _ = writeln!(wrong, "{half} {}: {}", line.category, line.command);
            }
            if line.is_block {
                block.count(right);
                let interpreter = INTERPRETERS.contains(&line.category.as_str());
                if interpreter { inside.count(right) } else { outside.count(right) }
            } else {
                allow.count(right);
                allowed.count(right);
                if line.category == "everyday" {
                    everyday.count(right);
                }
            }
        }
        report.push_str(&block.tell(&format!("{half} blocked")));
        report.push_str(&allow.tell(&format!("{half} allowed")));
    }
    report.push_str(&everyday.tell("everyday allowed"));
    report.push_str(&outside.tell("blocked outside interpreters"));
    report.push_str(&inside.tell("blocked inside interpreters"));
    println!("{report}{wrong}");
    assert_eq!(everyday.right, everyday.all, "{wrong}");
    assert!(allowed.rate() >= 9_900, "{report}{wrong}");
    assert!(outside.rate() >= 9_500, "{report}{wrong}");
    assert!(inside.rate() >= 8_500, "{report}{wrong}");
}
