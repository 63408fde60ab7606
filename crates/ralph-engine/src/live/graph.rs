//! The knowledge graph of a call: a copy before it, back if it is whole. A call that fails leaves it as it was.

use std::{
    io::{self, Write as _},
    path::Path,
};

use ralph_core::memory::mcp::GRAPH;

use super::login;
use crate::{project_file::read_plain, safe_files, sink::RedactedFiles};

/// Most bytes of a knowledge graph that is taken over.
const MAX_GRAPH: usize = 8 << 20;

/// Places a copy of the graph where the call's server finds it.
pub(super) fn lend(kept: &Path, folder: &Path) -> io::Result<()> {
    let text = read_plain(kept).filter(|text| is_whole(text)).unwrap_or_default();
    safe_files::begin(folder, &folder.join(GRAPH))?.write_all(&text)
}

/// Takes the graph over as the call left it; says what became of it if it cannot be.
pub(super) fn take_back(folder: &Path, kept: &Path, redacted: &RedactedFiles) -> Option<String> {
    // The call could put anything in its place: a link to another file of the user's would be shown to later calls.
    let text = match login::plain(&folder.join(GRAPH)) {
        Ok(text) => text?,
        Err(why) => return Some(format!("the knowledge graph was not kept: {why}")),
    };
    if !is_whole(&text) {
        return Some(
            "the knowledge graph was damaged or too large; the previous one was kept".into(),
        );
    }
    if read_plain(kept).as_deref() == Some(text.as_slice()) || (text.is_empty() && !kept.exists()) {
        return None;
    }
    let failed = redacted.replace(kept, &text).err()?;
    Some(format!("the knowledge graph cannot be kept: {failed}"))
}

/// Every line is JSON, and it is not too large.
fn is_whole(text: &[u8]) -> bool {
    let is_json = |line: &[u8]| serde_json::from_slice::<serde_json::Value>(line).is_ok();
    let mut lines = text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    text.len() <= MAX_GRAPH && lines.all(is_json)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use ralph_text::redact::Redactor;

    use super::*;

    #[test]
    fn a_graph_comes_back_only_whole() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let (kept, call) = (folder.path().join("memory/graph.jsonl"), folder.path().join("call"));
        let redacted = RedactedFiles::new(folder.path(), Redactor::default());
        lend(&kept, &call)?;
        assert_eq!(take_back(&call, &kept, &redacted), None);
        assert!(!kept.exists());
        fs::write(call.join(GRAPH), "{\"type\":\"entity\"}\n{\"type\":\"relation\"}")?;
        assert_eq!(take_back(&call, &kept, &redacted), None);
        let whole = fs::read(&kept)?;
        for damaged in ["{\"type\":", "words", "{}\n{"] {
            fs::write(call.join(GRAPH), damaged)?;
            assert!(take_back(&call, &kept, &redacted).is_some(), "{damaged}");
            assert_eq!(fs::read(&kept)?, whole);
        }
        // The user's login, in one line.
        let login = folder.path().join("login.json");
        fs::write(&login, "{\"token\":\"secret\"}")?;
        fs::remove_file(call.join(GRAPH))?;
        std::os::unix::fs::symlink(&login, call.join(GRAPH))?;
        assert!(take_back(&call, &kept, &redacted).is_some());
        assert_eq!(fs::read(&kept)?, whole);
        fs::remove_file(call.join(GRAPH))?;
        assert_eq!(take_back(&call, &kept, &redacted), None);
        lend(&kept, &call)?;
        assert_eq!(fs::read(call.join(GRAPH))?, whole);
        Ok(())
    }
}
