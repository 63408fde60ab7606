//! How many tokens each section of a prompt may have. Numbers only, no text.

use super::brief::Section;

/// Tokens of a whole prompt where nothing else is said.
pub const DEFAULT_BUDGET: usize = 8000;

/// What feedback keeps even beside a task that fills the prompt: a retry must not be blind.
const LEAST_FEEDBACK: usize = 500;
/// The same for what a person said.
const LEAST_STEERING: usize = 500;

/// What a section should have of a prompt of so many tokens.
pub fn share(section: Section, total: usize) -> usize {
    let of_default = match section {
        Section::Feedback | Section::Memory => 3000,
        Section::Skills | Section::Steering => 1500,
        Section::Task | Section::Project => 1000,
        Section::Instructions | Section::LastHandoff => 500,
        Section::Earlier => 150,
    };
    of_default * total / DEFAULT_BUDGET
}

/// Most tokens of a section; `None` for what is never trimmed.
fn cap(section: Section, total: usize) -> Option<usize> {
    match section {
        Section::Task | Section::Instructions => None,
        other => Some(share(other, total)),
    }
}

/// What each section gets of the total, given what it wants; the least important go short first.
pub(super) fn allot(wants: &[(Section, usize)], total: usize) -> Vec<usize> {
    let fixed: usize =
        wants.iter().filter(|(one, _)| cap(*one, total).is_none()).map(|(_, want)| want).sum();
    let mut left = total.saturating_sub(fixed);
    let mut order: Vec<usize> = (0..wants.len()).collect();
    order.sort_by_key(|&i| wants[i].0);
    let mut given = vec![0; wants.len()];
    let mut steered = 0;
    for i in order {
        let (section, want) = wants[i];
        let Some(cap) = cap(section, total) else {
            given[i] = want;
            continue;
        };
        let least = match section {
            Section::Steering => LEAST_STEERING,
            Section::Feedback => LEAST_FEEDBACK,
            _ => 0,
        };
        // Both share one budget; a person's word comes before what programs printed.
        let cap = if section == Section::Feedback { cap - steered.min(cap) } else { cap };
        given[i] = want.min(cap.max(least)).min(left.max(least));
        if section == Section::Steering {
            steered = given[i];
        }
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
        assert_eq!(allot(&WANTS, 8_000), [2000, 150, 3000, 900, 600]);
    }

    #[test]
    fn the_least_important_go_short_first_and_task_and_instructions_never() {
        assert_eq!(allot(&WANTS, 6000), [2000, 112, 2250, 750, 600]);
        assert_eq!(allot(&WANTS, 4000), [2000, 0, 1400, 0, 600]);
        assert_eq!(allot(&WANTS, 100), [2000, 0, 500, 0, 600]);
    }

    #[test]
    fn what_a_person_said_comes_out_of_the_room_of_feedback_and_before_it() {
        let wants = [(Section::Feedback, 9000), (Section::Steering, 9000), (Section::Task, 100)];
        assert_eq!(allot(&wants, 8_000), [1500, 1500, 100]);
        assert_eq!(allot(&wants, 1_100), [500, 500, 100]);
        assert_eq!(allot(&wants, 100), [500, 500, 100]);
        let few = [(Section::Feedback, 9000), (Section::Steering, 40), (Section::Task, 100)];
        assert_eq!(allot(&few, 8_000), [2960, 40, 100]);
    }

    #[test]
    fn another_total_scales_every_share() {
        assert_eq!(allot(&WANTS, 16_000), [2000, 300, 4000, 900, 600]);
        assert_eq!(share(Section::Skills, 4_000), 750);
        assert_eq!(share(Section::Task, DEFAULT_BUDGET), 1000);
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
