//! Commands that other versions have: what to do instead, in this one.

/// What to do instead of a command that is not there.
pub(crate) fn instead(word: &str) -> Option<&'static str> {
    Some(match word {
        "watch" => "ralph status shows where the run stands, ralph replay shows it again",
        "fleet" => "start ralph run in each repository",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_of_later_versions_is_answered() {
        let words = ["watch", "fleet"];
        for word in words {
            assert!(instead(word).is_some(), "{word}");
        }
        assert_eq!(instead("walk"), None);
    }
}
