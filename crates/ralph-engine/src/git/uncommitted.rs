//! What a person has not committed. Only looks.

use super::{error::GitError, repository::Repository, scan::Status};

impl Repository {
    /// Every file that differs from the last commit or is new, in order; ralph's own and ignored ones are left out.
    pub fn uncommitted(&self) -> Result<Vec<String>, GitError> {
        let status = Status::read(&self.git, None, &[])?;
        let mut files = status.dirty();
        files.extend(status.unknown);
        Ok(files.iter().map(|file| String::from_utf8_lossy(file).into_owned()).collect())
    }
}
