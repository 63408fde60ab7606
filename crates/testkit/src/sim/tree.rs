//! What a tree of files is in the simulation, and what gates truly say about it.
//!
//! A tree is a set of up to 64 "files"; its id is its content, so that nothing can be looked up wrongly.

use ralph_core::ids::{TaskId, TreeId};

use super::rng::mix;

/// Files per task: three of the feature, one that breaks a test.
const PER_TASK: u32 = 4;
/// Files of a task's feature.
pub const PARTS: u32 = 3;
/// Most tasks that have files of their own.
pub const MAX_TASKS: usize = 10;

/// A set of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Tree(pub u64);

impl Tree {
    /// A test that failed before the run.
    pub const OLD_A: Self = Self(1 << 40);
    /// Another one.
    pub const OLD_B: Self = Self(1 << 41);
    /// All tests were deleted.
    pub const NO_TESTS: Self = Self(1 << 42);
    /// It does not compile.
    pub const NO_BUILD: Self = Self(1 << 43);
    /// Ugly, which only a soft gate minds.
    pub const UGLY: Self = Self(1 << 44);
    /// There from the start.
    pub const BASE: Self = Self(1 << 45);
    /// A file that the settings protect was changed.
    pub const LOCKED: Self = Self(1 << 46);

    pub fn id(self) -> TreeId {
        TreeId(format!("{:016x}", self.0))
    }

    pub fn read(id: &TreeId) -> Option<Self> {
        u64::from_str_radix(id.as_str(), 16).ok().map(Self)
    }

    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// How many files differ.
    pub fn distance(self, other: Self) -> u64 {
        u64::from((self.0 ^ other.0).count_ones())
    }
}

/// Which files belong to a task: the number in its name says so, wherever the plan has it.
pub fn slot(id: &TaskId) -> usize {
    number_in(id.as_str()) % MAX_TASKS
}

fn number_in(text: &str) -> usize {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// One file of a task's feature.
pub fn part(task: usize, part: u32) -> Tree {
    Tree(1 << (offset(task) + part % PARTS))
}

/// All files of a task's feature.
pub fn feature(task: usize) -> Tree {
    Tree(0b111 << offset(task))
}

/// The file that breaks the task's test.
pub fn broken(task: usize) -> Tree {
    Tree(1 << (offset(task) + PARTS))
}

fn offset(task: usize) -> u32 {
    u32::try_from(task % MAX_TASKS).unwrap_or(0) * PER_TASK
}

/// Which gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    Tests,
    Build,
    Lint,
}

impl Which {
    pub fn name(self) -> &'static str {
        match self {
            Self::Tests => "tests",
            Self::Build => "build",
            Self::Lint => "lint",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        [Self::Tests, Self::Build, Self::Lint].into_iter().find(|which| which.name() == name)
    }
}

/// What a gate gives on a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    pub green: bool,
    /// Failed at first, then passed.
    pub flaky: bool,
    /// Tests that ran, where the gate counts them.
    pub ran: Option<u64>,
    /// Failing tests, where the gate names them.
    pub failing: Option<Vec<String>>,
}

/// Runs a gate: a function of the tree, a salt (the seed, unless tests flap) and how often it may be run again.
pub fn run_gate(which: Which, tree: Tree, salt: u64, retries: u32) -> Truth {
    let shaky = mix(&[salt, tree.0, which as u64]).is_multiple_of(16) && which != Which::Lint;
    let mut failing = match which {
        Which::Tests => failing_tests(tree),
        Which::Build if tree.has(Tree::NO_BUILD) => vec!["build".to_owned()],
        Which::Lint if tree.has(Tree::UGLY) => vec!["ugly".to_owned()],
        Which::Build | Which::Lint => Vec::new(),
    };
    let flaky = shaky && failing.is_empty() && retries > 0;
    if shaky && failing.is_empty() && retries == 0 {
        failing.push("shaky".to_owned());
    }
    let ran = match (which, tree.has(Tree::NO_TESTS)) {
        (Which::Tests, true) => Some(0),
        (Which::Tests, false) => Some(9),
        _ => None,
    };
    Truth {
        green: failing.is_empty(),
        flaky,
        ran,
        failing: (which == Which::Tests).then_some(failing),
    }
}

fn failing_tests(tree: Tree) -> Vec<String> {
    if tree.has(Tree::NO_TESTS) {
        return Vec::new();
    }
    let mut names: Vec<String> = (0..MAX_TASKS)
        .filter(|&task| tree.has(broken(task)))
        .map(|task| format!("unit_{task}"))
        .collect();
    for (file, name) in [(Tree::OLD_A, "old_a"), (Tree::OLD_B, "old_b")] {
        if tree.has(file) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Whether a criterion's command passes: `check <task> <part>`. `None` if it is no such command.
pub fn check_passes(tree: Tree, command: &str) -> Option<bool> {
    let mut words = command.split(' ').skip(1).map(str::parse);
    let (Some(Ok(task)), Some(Ok(number))) = (words.next(), words.next()) else {
        return None;
    };
    Some(tree.has(part(usize::try_from(task).ok()?, number)))
}

/// Whether what a sentence asks for is really there: `part <number>`, or all of it.
pub fn sentence_holds(tree: Tree, task: usize, sentence: &str) -> bool {
    if sentence.starts_with("part ") {
        let number = u32::try_from(number_in(sentence)).unwrap_or(0);
        return tree.has(part(task, number));
    }
    tree.has(feature(task)) && tree.without(broken(task)) == tree
}
