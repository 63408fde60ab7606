//! The hard bound: whatever came in, the stored context fits its budget. What is worth least goes first.

use std::collections::BTreeSet;

use ralph_text::{cut, tokens::tokens};

use super::context::{Context, FileNote, LibraryNote, Statement};

/// Most bytes of an agent's summary.
const SUMMARY: usize = 1_200;
/// What a list may take of the budget before it must give room to others, in percent.
const SHARES: [(Class, usize); 5] = [
    (Class::Libraries, 25),
    (Class::Files, 10),
    (Class::Completed, 10),
    (Class::Issues, 12),
    (Class::Patterns, 8),
];
/// In which order lists give way where even that is too much.
const ORDER: [Class; 8] = [
    Class::Libraries,
    Class::Files,
    Class::Completed,
    Class::Notes,
    Class::Decisions,
    Class::Patterns,
    Class::Issues,
    Class::Constraints,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Libraries,
    Files,
    Completed,
    /// Reasons and workarounds, without their statements.
    Notes,
    Decisions,
    Patterns,
    Issues,
    Constraints,
}

/// Tokens of the stored form.
pub fn stored_tokens(context: &Context) -> usize {
    tokens(&context.document().to_string())
}

/// Makes the stored form fit the budget; says how many facts had to go.
pub fn bound(context: &mut Context, budget: usize, now: u32) -> u32 {
    let before = context.left_out;
    context.summary = cut::ellipsis(&context.summary, SUMMARY.min(budget));
    for (class, percent) in SHARES {
        let over = used(context, class).saturating_sub(budget * percent / 100);
        evict(context, class, over, now);
    }
    for class in ORDER {
        loop {
            let over = stored_tokens(context).saturating_sub(budget);
            if over == 0 || evict(context, class, over, now) == 0 {
                break;
            }
        }
    }
    if stored_tokens(context) > budget {
        let left_out = context.left_out;
        *context = Context { left_out, ..Context::default() };
    }
    context.left_out.saturating_sub(before)
}

fn used(context: &Context, class: Class) -> usize {
    match class {
        Class::Libraries => context.libraries.iter().map(library).sum(),
        Class::Files => context.files.iter().map(file).sum(),
        Class::Completed => context.completed.iter().map(statement).sum(),
        Class::Patterns => context.patterns.iter().map(statement).sum(),
        Class::Issues => context.issues.iter().map(statement).sum(),
        Class::Notes | Class::Decisions | Class::Constraints => 0,
    }
}

fn statement(one: &Statement) -> usize {
    tokens(&one.line()) + 2
}

fn library(one: &LibraryNote) -> usize {
    tokens(&one.library) + tokens(&one.key_apis) + tokens(&one.usage_notes) + 12
}

fn file(one: &FileNote) -> usize {
    tokens(&one.path) + tokens(&one.purpose) + 8
}

/// Lets go of what is worth least of a class, about so many tokens of it; says how many pieces that was.
fn evict(context: &mut Context, class: Class, over: usize, now: u32) -> usize {
    let worth = |one: &Statement| worth(one, now);
    let gone = match class {
        Class::Libraries => {
            least(&mut context.libraries, over, |one| i64::from(one.last), library).len()
        }
        Class::Files => {
            let worth = |one: &FileNote| i64::from(one.last) + i64::from(one.times) * 10;
            least(&mut context.files, over, worth, file).len()
        }
        Class::Completed => {
            // Only counted from now on.
            let gone = least(&mut context.completed, over, |one| i64::from(one.last), statement);
            context.folded.iterations += gone.iter().map(|one| one.times).sum::<u32>();
            context.folded.tasks += u32::try_from(gone.len()).unwrap_or(u32::MAX);
            return gone.len();
        }
        Class::Notes => return forget_notes(context, over, now),
        Class::Decisions => least(&mut context.decisions, over, worth, statement).len(),
        Class::Patterns => least(&mut context.patterns, over, worth, statement).len(),
        Class::Issues => least(&mut context.issues, over, worth, statement).len(),
        Class::Constraints => least(&mut context.constraints, over, worth, statement).len(),
    };
    context.left_out = context.left_out.saturating_add(u32::try_from(gone).unwrap_or(u32::MAX));
    gone
}

/// Reasons and workarounds go, their statements stay.
fn forget_notes(context: &mut Context, over: usize, now: u32) -> usize {
    let lists = [&mut context.decisions, &mut context.issues, &mut context.constraints];
    let mut noted: Vec<&mut Statement> =
        lists.into_iter().flatten().filter(|one| !one.note.is_empty()).collect();
    noted.sort_by_key(|one| worth(one, now));
    let (mut freed, mut gone) = (0, 0);
    for one in noted {
        if freed >= over {
            break;
        }
        freed += tokens(&one.note) + 1;
        one.note.clear();
        gone += 1;
    }
    gone
}

/// Takes those of a list that are worth least, until they make up so many tokens.
fn least<T>(
    list: &mut Vec<T>,
    over: usize,
    worth: impl Fn(&T) -> i64,
    cost: impl Fn(&T) -> usize,
) -> Vec<T> {
    let mut order: Vec<(i64, usize)> =
        list.iter().enumerate().map(|(at, one)| (worth(one), at)).collect();
    order.sort_unstable();
    let (mut freed, mut gone) = (0, BTreeSet::new());
    for (_, at) in order {
        if freed >= over {
            break;
        }
        freed += cost(&list[at]);
        gone.insert(at);
    }
    let mut at = 0..;
    list.extract_if(.., |_| at.next().is_some_and(|at| gone.contains(&at))).collect()
}

/// What is said again and again, what was said just now, and what has held for long is worth most; what tells of
/// one place in the code, least: the code tells it too.
fn worth(one: &Statement, now: u32) -> i64 {
    let repeated = i64::from(one.times.min(5)) * 30;
    let recent = match now.saturating_sub(one.last) {
        0..=10 => 40,
        11..=30 => 20,
        _ => 0,
    };
    let lasting = i64::from(now.saturating_sub(one.since) / 10).min(30);
    let local = if names_a_place(&one.text) { -60 } else { 0 };
    repeated + recent + lasting + local
}

/// Whether a text names a file or a piece of code.
fn names_a_place(text: &str) -> bool {
    let is_file = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.contains('/') && word.rsplit('/').next().is_some_and(|name| name.contains('.'))
    };
    text.contains('`') || text.contains("::") || text.split_whitespace().any(is_file)
}
