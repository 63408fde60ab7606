//! The context monitor: five thresholds, each announced once, and what the agent is advised to do.

use std::collections::BTreeSet;

use ralph_core::vocabulary::Kind;

/// Tokens of a context window of unknown size.
pub const WINDOW: u64 = 200_000;

const THRESHOLDS: [u8; 5] = [50, 60, 70, 80, 90];

/// How full a context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    pub used: u64,
    pub window: u64,
    /// Usage or window are guessed.
    pub is_guess: bool,
}

impl Fill {
    fn percent(self) -> u64 {
        self.used.saturating_mul(100) / self.window.max(1)
    }
}

/// What to say about a context that is this full; nothing if it was said before.
///
/// Of thresholds that were passed together only the highest is announced.
pub(super) fn notice(
    fill: Fill,
    kind: Option<Kind>,
    announced: &mut BTreeSet<u8>,
) -> Option<String> {
    let percent = fill.percent();
    let passed = THRESHOLDS.into_iter().filter(|threshold| u64::from(*threshold) <= percent);
    let new: Vec<u8> = passed.filter(|threshold| announced.insert(*threshold)).collect();
    let highest = *new.last()?;
    let (level, advice) = match highest {
        ..=69 => ("Notice", early(kind)),
        70..=89 => ("Warning", late(kind)),
        _ => ("Critical", last(kind)),
    };
    let about = if fill.is_guess { "about " } else { "" };
    let percent = percent.min(100);
    Some(format!("{level} from ralph: {about}{percent} % of your context window is used. {advice}"))
}

fn early(kind: Option<Kind>) -> &'static str {
    match kind {
        None => {
            "Plan to finish your current work in this session, and note anything else that comes up."
        }
        Some(Kind::Review) => "Read what your judgement still needs, and no more than that.",
        Some(Kind::Prompt) => "Plan to finish this piece of work in the remaining context.",
        Some(_) => {
            "Plan to finish this task in the remaining context. Propose further work that you find as tasks in \
             `plan_amendments` of your handoff, and leave it for a later iteration."
        }
    }
}

fn late(kind: Option<Kind>) -> &'static str {
    match kind {
        None => "Finish this piece of work and commit it; start nothing new.",
        Some(Kind::Review) => {
            "Judge the criteria with what you have read; say of those you could not judge that they are not met, and why."
        }
        Some(Kind::Prompt) => {
            "Finish this step and start nothing new: a fresh agent continues from the files."
        }
        Some(_) => {
            "Finish this task and start nothing new. List what will remain in `unfinished_business` of your \
             handoff, propose tasks for it in `plan_amendments`, and write down what the next agent must know. The files \
             stay as you leave them: ralph commits, not you."
        }
    }
}

fn last(kind: Option<Kind>) -> &'static str {
    match kind {
        None => {
            "Stop working: write down what is left where it will be found, commit, and end the session."
        }
        Some(Kind::Review) => "Hand your review over now.",
        Some(Kind::Prompt) => "Stop working now and say in your last message what is left.",
        Some(_) => {
            "Stop working now and hand over: what is left in `unfinished_business` with its reason, tasks for it in \
             `plan_amendments`, `fully_complete` false unless all of it is done. The next agent continues from your files."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(used: u64) -> Fill {
        Fill { used, window: 1_000, is_guess: false }
    }

    #[test]
    fn each_threshold_is_told_once_and_the_words_grow_sharper() {
        let mut told = BTreeSet::new();
        let mut heard = Vec::new();
        for used in [0, 499, 500, 510, 599, 600, 700, 790, 800, 899, 900, 2_000, 500] {
            heard.extend(notice(fill(used), Some(Kind::Implement), &mut told));
        }
        let levels: Vec<_> = heard.iter().filter_map(|text| text.split(' ').next()).collect();
        assert_eq!(levels, ["Notice", "Notice", "Warning", "Warning", "Critical"]);
        assert!(heard[0].contains("50 %") && heard[0].contains("plan_amendments"), "{}", heard[0]);
        assert!(heard[4].contains("unfinished_business"), "{}", heard[4]);
    }

    #[test]
    fn thresholds_passed_in_one_step_are_told_by_the_highest() {
        let mut told = BTreeSet::new();
        let text = notice(fill(850), None, &mut told).unwrap_or_default();
        assert!(text.starts_with("Warning") && text.contains("85 %"), "{text}");
        assert_eq!(notice(fill(850), None, &mut told), None);
        assert!(notice(fill(900), None, &mut told).is_some());
    }

    #[test]
    fn a_guess_is_called_one() {
        let guess = Fill { is_guess: true, ..fill(500) };
        let text = notice(guess, Some(Kind::Review), &mut BTreeSet::new()).unwrap_or_default();
        assert!(text.contains("about 50 %"), "{text}");
    }
}
