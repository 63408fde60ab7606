//! The hard bound: whatever came in, the stored context fits its budget. What is worth least goes first.

use std::collections::BTreeSet;

use ralph_text::{cut, tokens::tokens};

use super::context::{Context, FileNote, LibraryNote, Statement};

/// Most bytes of an agent's summary.
const SUMMARY: usize = 1_200;

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

/// What a class may take of the budget, in percent, before it must give room to others; and in which order all of them
/// give way where even that is too much.
const SHARES: [(Class, usize); 8] = [
    (Class::Libraries, 25),
    (Class::Files, 10),
    (Class::Completed, 10),
    (Class::Notes, 100),
    (Class::Decisions, 100),
    (Class::Patterns, 8),
    (Class::Issues, 12),
    (Class::Constraints, 100),
];

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
    for (class, _) in SHARES {
        loop {
            let over = stored_tokens(context).saturating_sub(budget);
            if over == 0 || evict(context, class, over, now) == 0 {
                break;
            }
        }
    }
    if stored_tokens(context) > budget {
        let (left_out, notes) = (context.left_out, std::mem::take(&mut context.notes));
        *context = Context { notes, left_out, ..Context::default() };
    }
    context.left_out.saturating_sub(before)
}

/// Something that takes room.
trait Fact {
    fn tokens(&self) -> usize;
}

impl Fact for Statement {
    fn tokens(&self) -> usize {
        tokens(&self.line()) + 2
    }
}

impl Fact for LibraryNote {
    fn tokens(&self) -> usize {
        tokens(&self.library) + tokens(&self.key_apis) + tokens(&self.usage_notes) + 12
    }
}

impl Fact for FileNote {
    fn tokens(&self) -> usize {
        tokens(&self.path) + tokens(&self.purpose) + 8
    }
}

fn used(context: &Context, class: Class) -> usize {
    fn sum<T: Fact>(list: &[T]) -> usize {
        list.iter().map(Fact::tokens).sum()
    }
    match class {
        Class::Libraries => sum(&context.libraries),
        Class::Files => sum(&context.files),
        Class::Completed => sum(&context.completed),
        Class::Notes => 0,
        Class::Decisions => sum(&context.decisions),
        Class::Patterns => sum(&context.patterns),
        Class::Issues => sum(&context.issues),
        Class::Constraints => sum(&context.constraints),
    }
}

/// Lets go of what is worth least of a class, about so many tokens of it; says how many pieces that was.
fn evict(context: &mut Context, class: Class, over: usize, now: u32) -> usize {
    let worth = |one: &Statement| worth(one, now);
    let gone = match class {
        Class::Libraries => least(&mut context.libraries, over, |one| one.last).len(),
        Class::Files => {
            least(&mut context.files, over, |one| one.last.saturating_add(one.times * 10)).len()
        }
        Class::Completed => {
            // Only counted from now on.
            let gone = least(&mut context.completed, over, |one| one.last);
            context.folded.iterations += gone.iter().map(|one| one.times).sum::<u32>();
            context.folded.tasks += u32::try_from(gone.len()).unwrap_or(u32::MAX);
            return gone.len();
        }
        Class::Notes => return forget_notes(context, over, now),
        Class::Decisions => least(&mut context.decisions, over, worth).len(),
        Class::Patterns => least(&mut context.patterns, over, worth).len(),
        Class::Issues => least(&mut context.issues, over, worth).len(),
        Class::Constraints => least(&mut context.constraints, over, worth).len(),
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
fn least<T: Fact>(list: &mut Vec<T>, over: usize, worth: impl Fn(&T) -> u32) -> Vec<T> {
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by_key(|at| worth(&list[*at]));
    let (mut freed, mut gone) = (0, BTreeSet::new());
    for at in order {
        if freed >= over {
            break;
        }
        freed += list[at].tokens();
        gone.insert(at);
    }
    let mut at = 0..;
    list.extract_if(.., |_| at.next().is_some_and(|at| gone.contains(&at))).collect()
}

/// What is said again and again, what was said just now, and what has held for long is worth most.
fn worth(one: &Statement, now: u32) -> u32 {
    let repeated = one.times.min(5) * 30;
    let recent = match now.saturating_sub(one.last) {
        0..=10 => 40,
        11..=30 => 20,
        _ => 0,
    };
    repeated + recent + (now.saturating_sub(one.since) / 10).min(30)
}
