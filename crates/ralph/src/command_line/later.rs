//! Commands that other versions have: what to do instead, in this one.

/// What to do instead of a command that is not there.
pub(crate) fn instead(word: &str) -> Option<&'static str> {
    Some(match word {
        "plan" => "write .ralph/plan.json yourself; ralph init --example-plan shows its format",
        "watch" => "ralph status shows where the run stands, ralph replay shows it again",
        "steer" => "ralph stop, make the task clearer in .ralph/plan.json, then ralph run",
        "pause" => "ralph stop ends the run after this iteration, ralph resume goes on",
        "trust" => "nothing to do: project agent configuration is not loaded in this version",
        "hook" | "guard" => "nothing to do: no hooks are installed in this version",
        "archive" => "move .ralph/plan.json away, then write the next one",
        "fleet" => "start ralph run in each repository",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_of_later_versions_is_answered() {
        let words =
            ["plan", "steer", "pause", "watch", "trust", "hook", "guard", "archive", "fleet"];
        for word in words {
            assert!(instead(word).is_some(), "{word}");
        }
        assert_eq!(instead("walk"), None);
    }
}
