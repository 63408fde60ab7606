//! A workspace's record as it travels: that the workspace was left in order, and from which branch. Where it lay, and
//! what else it leads to there, means nothing elsewhere; and a stranger may have written it.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::repository::is_plain;

/// The phase of a workspace that was left in order.
const CLOSED: &str = "closed";

/// Whether a record is of a workspace that was left in order: an open one means nothing elsewhere.
pub(super) fn is_closed(text: &[u8]) -> bool {
    read(text).is_some()
}

/// The same record for this folder, without anything that leads out of it; nothing if it is not closed.
pub(super) fn at(work: &Path, text: &[u8]) -> Option<Vec<u8>> {
    let mut record = read(text)?;
    let is_branch = |name: &str| {
        let name = record.get(name).and_then(Value::as_str).unwrap_or_default();
        is_plain(&format!("refs/heads/{name}"))
    };
    if !is_branch("branch") || !is_branch("came_from") {
        return None;
    }
    record.insert("root".to_owned(), json!(work));
    record.insert("is_linked".to_owned(), json!(false));
    for name in ["stash", "stashed_on", "untracked"] {
        record.insert(name.to_owned(), Value::Null);
    }
    for name in ["dot_gits", "submodules", "yours", "unreturned"] {
        record.insert(name.to_owned(), json!([]));
    }
    serde_json::to_vec(&record).ok()
}

fn read(text: &[u8]) -> Option<Map<String, Value>> {
    let record: Map<String, Value> = serde_json::from_slice(text).ok()?;
    (record.get("phase")? == CLOSED).then_some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(phase: &str, came_from: &str) -> Vec<u8> {
        let record = json!({ "v": 1, "phase": phase, "branch": "ralph/app", "came_from": came_from,
            "root": "/anywhere/else", "is_linked": true, "head": "0b", "stash": "refs/heads/main",
            "untracked": "refs/x", "dot_gits": [{ "path": "../x" }], "submodules": ["x"], "yours": ["x"],
            "unreturned": [{ "stash": "x", "apply": "rm -r ~" }], "is_layered": true });
        serde_json::to_vec(&record).unwrap()
    }

    #[test]
    fn a_record_from_elsewhere_leads_nowhere() {
        let kept = at(Path::new("/loop"), &record("closed", "main")).unwrap();
        let kept: Value = serde_json::from_slice(&kept).unwrap();
        let wanted = json!({ "v": 1, "phase": "closed", "branch": "ralph/app", "came_from": "main", "root": "/loop",
            "is_linked": false, "head": "0b", "stash": null, "stashed_on": null, "untracked": null, "dot_gits": [],
            "submodules": [], "yours": [], "unreturned": [], "is_layered": true });
        assert_eq!(kept, wanted);
    }

    #[test]
    fn one_that_is_not_closed_is_none() {
        let none: [&[u8]; 5] = [
            &record("open", "main"),
            &record("opening", "main"),
            &record("closed", "../main"),
            b"{",
            br#"["closed"]"#,
        ];
        for text in none {
            assert_eq!(at(Path::new("/loop"), text), None, "{}", String::from_utf8_lossy(text));
        }
    }
}
