//! Programs that files go through on their way into and out of a repository: only those that the user named run.
//!
//! Must be asked before anything is taken in or written: without its filter a file would be committed as it is on disk.

use std::collections::BTreeMap;

use super::{
    error::GitError,
    files::{RelPath, join_nul, sample, split_nul},
    repository::Repository,
};

/// So many files are named.
const SAMPLE: usize = 3;

/// Of the named files those with a filter, whichever.
const WITH_FILTER: [&str; 2] = [":(top,exclude,attr:!filter)", ":(top,exclude,attr:-filter)"];

impl Repository {
    /// Refuses if tracked files go through a filter that may not run.
    pub fn check_filters(&self) -> Result<(), GitError> {
        self.check_filters_of(&[":(top)"])
    }

    /// The same for the files that these pathspecs name.
    pub(crate) fn check_filters_of(&self, files: &[&str]) -> Result<(), GitError> {
        let unnamed = self.git.configuration()?.unnamed_filters(&self.git.manner().filters);
        if unnamed.is_empty() {
            return Ok(());
        }
        let args = [&["ls-files", "-z", "--"], files, &WITH_FILTER].concat();
        let files: Vec<RelPath> = self.git.call(&args).reads().paths()?;
        if files.is_empty() {
            return Ok(());
        }
        let args = ["check-attr", "-z", "--stdin", "filter"];
        let told = self.git.call(&args).reads().stdin(join_nul(&files)).ok()?;
        let mut by_filter: BTreeMap<String, Vec<RelPath>> = BTreeMap::new();
        let mut parts = split_nul(&told);
        while let (Some(path), Some(_), Some(filter)) = (parts.next(), parts.next(), parts.next()) {
            let filter = String::from_utf8_lossy(filter).into_owned();
            if unnamed.contains(&filter) {
                by_filter.entry(filter).or_default().push(path.to_vec());
            }
        }
        match by_filter.into_iter().next() {
            Some((filter, files)) => {
                let sample = sample(&files, SAMPLE);
                Err(GitError::Filter { filter, total: files.len(), sample })
            }
            None => Ok(()),
        }
    }
}
