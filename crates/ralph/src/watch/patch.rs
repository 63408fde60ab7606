//! Which files of a patch run on this machine, by their names and what the patch shows of them.

use std::collections::BTreeMap;

use ralph_core::gates::protect::{Change, Content, Rules, exposures};

/// The files that need a second look, each with the reason.
pub(super) fn exposed(patch: &str, protect: &[String]) -> BTreeMap<String, String> {
    let mut changes: Vec<Change<'_>> = Vec::new();
    for line in patch.lines() {
        if let Some(path) = path(line) {
            let content = Content::File { is_executable: false, begins: b"" };
            changes.push(Change { path, content });
        }
        let Some(Change { content: Content::File { is_executable, begins }, .. }) =
            changes.last_mut()
        else {
            continue;
        };
        *is_executable |= line.starts_with("new ") && line.ends_with("mode 100755");
        if let Some(added) = line.strip_prefix('+').filter(|_| begins.is_empty()) {
            *begins = if added.starts_with("++ ") { b"" } else { added.as_bytes() };
        }
    }
    let found = exposures(changes.into_iter(), &Rules { protect, hooks: None });
    found.touched.into_iter().map(|one| (one.path, one.exposure.describe())).collect()
}

/// The path of the file whose changes begin with this line.
pub(super) fn path(line: &str) -> Option<&str> {
    line.strip_prefix("diff --git ")?.rsplit_once(" b/").map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_by_its_name_or_its_mode_is_found() {
        let patch = "diff --git a/src/a.rs b/src/a.rs\n@@ -1 +1 @@\n-a\n+b\n\
                     diff --git a/package.json b/package.json\n@@ -1 +1 @@\n-a\n+b\n\
                     diff --git a/run b/run\nnew file mode 100755\n+++ b/run\n+#!/bin/sh\n";
        let found: Vec<String> = exposed(patch, &[]).into_keys().collect();
        assert_eq!(found, ["package.json", "run"]);
    }
}
