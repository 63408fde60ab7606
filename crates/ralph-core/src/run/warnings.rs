//! What a run warned of, for its report: each text once, with how often and where it began. Decides nothing.

use ralph_text::cut;
use serde::{Deserialize, Serialize};

/// Most texts that are kept: an agent that provokes a new one each time must not fill the snapshot.
const MOST: usize = 200;
/// Most bytes of one.
const LONGEST: usize = 600;

/// Everything that was warned of, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Warnings {
    pub all: Vec<Warning>,
    /// How many more there were than are kept.
    #[serde(default)]
    pub left_out: u64,
}

/// One warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    pub text: String,
    /// Iteration it first came up in; 0 before the first.
    pub iteration: u32,
    pub times: u32,
}

impl Warnings {
    pub(super) fn add(&mut self, text: &str, iteration: u32) {
        let text = cut::ellipsis(text, LONGEST);
        if let Some(known) = self.all.iter_mut().find(|known| known.text == text) {
            known.times = known.times.saturating_add(1);
        } else if self.all.len() < MOST {
            self.all.push(Warning { text, iteration, times: 1 });
        } else {
            self.left_out += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_kept_once_and_their_number_is_bounded() {
        let mut warnings = Warnings::default();
        for nth in 0..300 {
            warnings.add(&format!("file {nth} was deleted"), nth);
            warnings.add("the plan was changed", nth);
        }
        assert_eq!(warnings.all.len(), MOST);
        assert_eq!(warnings.left_out, 101);
        assert_eq!((warnings.all[1].iteration, warnings.all[1].times), (0, 300));
    }
}
