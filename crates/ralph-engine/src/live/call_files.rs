//! Files that a call itself needs: as they are while it runs, without secrets once it is over.

use std::{fs, io, path::Path};

use crate::{project_file::read_plain, sink::RedactedFiles};

/// Places the files where the call looks for them.
pub(super) fn place(
    redacted: &RedactedFiles,
    folder: &Path,
    files: &[(String, String)],
) -> io::Result<()> {
    files.iter().try_for_each(|(name, text)| redacted.lend(&folder.join(name), text.as_bytes()))
}

/// Takes the secrets out of what lies there now, whoever wrote it. A file that cannot be written anew is removed.
pub(super) fn redact(redacted: &RedactedFiles, folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(text) = read_plain(&path).filter(|_| !path.is_symlink()) else {
            continue;
        };
        let is_clean = redacted.redactor().bytes(&text).as_ref() == text.as_slice();
        if !is_clean && redacted.write(&path, &text).is_err() {
            let _ = fs::remove_file(&path);
        }
    }
}
