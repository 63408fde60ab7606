//! How many tokens each section of a prompt may have. Numbers only, no text.

use super::brief::Section;

/// Tokens of a whole prompt where nothing else is said.
pub const DEFAULT_BUDGET: usize = 8000;

/// What feedback keeps even beside a task that fills the prompt: a retry must not be blind.
const LEAST_FEEDBACK: usize = 500;

/// An estimate of a text's tokens.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// Most tokens of a section; `None` for what is never trimmed.
pub(super) fn cap(section: Section) -> Option<usize> {
    match section {
        Section::Task | Section::Instructions => None,
        Section::Feedback | Section::Memory => Some(3000),
        Section::Skills => Some(1500),
        Section::Project => Some(1000),
        Section::LastHandoff => Some(500),
        Section::Earlier => Some(150),
    }
}

/// What each section gets of the total, given what it wants; the least important go short first.
pub(super) fn allot(wants: &[(Section, usize)], total: usize) -> Vec<usize> {
    let fixed: usize =
        wants.iter().filter(|(section, _)| cap(*section).is_none()).map(|(_, want)| want).sum();
    let mut left = total.saturating_sub(fixed);
    let mut order: Vec<usize> = (0..wants.len()).collect();
    order.sort_by_key(|&i| wants[i].0);
    let mut given = vec![0; wants.len()];
    for i in order {
        let (section, want) = wants[i];
        let Some(cap) = cap(section) else {
            given[i] = want;
            continue;
        };
        let least = if section == Section::Feedback { LEAST_FEEDBACK } else { 0 };
        given[i] = want.min(cap).min(left.max(least));
        left = left.saturating_sub(given[i]);
    }
    given
}

/// The length at which the longest texts must be cut so that all of them fit into the room.
pub(super) fn level(sizes: &[usize], room: usize) -> usize {
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    let mut left = room;
    for (done, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - done);
        if *size > share {
            return share;
        }
        left -= size;
    }
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTS: [(Section, usize); 5] = [
        (Section::Task, 2000),
        (Section::Earlier, 400),
        (Section::Feedback, 4000),
        (Section::Project, 900),
        (Section::Instructions, 600),
    ];

    #[test]
    fn with_room_for_all_only_the_caps_cut() {
        assert_eq!(allot(&WANTS, 20_000), [2000, 150, 3000, 900, 600]);
    }

    #[test]
    fn the_least_important_go_short_first_and_task_and_instructions_never() {
        assert_eq!(allot(&WANTS, 6000), [2000, 0, 3000, 400, 600]);
        assert_eq!(allot(&WANTS, 4000), [2000, 0, 1400, 0, 600]);
        assert_eq!(allot(&WANTS, 100), [2000, 0, 500, 0, 600]);
    }

    #[test]
    fn short_texts_leave_their_room_to_long_ones() {
        assert_eq!(level(&[10, 500, 20, 400], 430), 200);
        assert_eq!(level(&[10, 90, 30], 100), 60);
        assert_eq!(level(&[10, 20], 30), usize::MAX);
        assert_eq!(level(&[10, 20], 0), 0);
        assert_eq!(level(&[], 0), usize::MAX);
    }
}
