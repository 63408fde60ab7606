//! What people want of a run, as files in its inbox: put there whole, by the wish's own name, so that ralph obeys each
//! once.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, Result, bail};
use ralph_core::input;

use crate::{truth::sound::is_file_name, wire::Wish};

/// Wishes on their way into an inbox, by the names of their files.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    all: BTreeMap<String, Vec<u8>>,
}

/// The name of a wish's file.
pub(crate) fn file_name(wish: &Wish) -> Result<String> {
    let id = &wish.id;
    if !is_file_name(id) {
        bail!("{id:?} cannot be the name of a wish");
    }
    let is_named = Path::new(id).extension().is_some_and(|end| end == "json");
    Ok(if is_named { id.clone() } else { format!("{id}.json") })
}

/// Puts one wish into the inbox of the run in this folder.
pub(crate) fn put(work: &Path, wish: &Wish) -> Result<()> {
    put_text(work, &file_name(wish)?, &serde_json::to_vec(&wish.wish)?)
}

fn put_text(work: &Path, name: &str, text: &[u8]) -> Result<()> {
    let inbox = work.join(".git/ralph/inbox");
    let half = inbox.join(format!(".{name}.new"));
    fs::create_dir_all(&inbox)
        .and_then(|()| fs::write(&half, text))
        .and_then(|()| fs::rename(&half, inbox.join(name)))
        .with_context(|| format!("cannot put a wish into {}", inbox.display()))
}

impl Wishes {
    /// Those that an earlier stint left and those that came since.
    pub(crate) fn new(left: &BTreeMap<String, Vec<u8>>, new: &[Wish]) -> Result<Self> {
        let mut all = left.clone();
        for wish in new {
            all.insert(file_name(wish)?, serde_json::to_vec(&wish.wish)?);
        }
        Ok(Self { all })
    }

    /// Puts what is for the run: a ralph that begins takes the rest for an earlier process's and clears it away.
    pub(crate) fn put_for_the_run(&self, work: &Path) -> Result<()> {
        let mut those = self.all.iter().filter(|(_, text)| !is_for_a_process(text));
        those.try_for_each(|(name, text)| put_text(work, name, text))
    }

    /// Puts what is for the process that works now.
    pub(crate) fn put_for_the_process(&self, work: &Path) -> Result<()> {
        let mut those = self.all.iter().filter(|(_, text)| is_for_a_process(text));
        those.try_for_each(|(name, text)| put_text(work, name, text))
    }
}

/// Whether ralph clears it away when it begins.
fn is_for_a_process(text: &[u8]) -> bool {
    use input::Wish::{Pause, Resume, Stop, StopNow};
    let wish = serde_json::from_slice(text);
    matches!(wish, Ok(Stop | StopNow | Pause { .. } | Resume))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_files_that_ralph_reads_and_nothing_else() -> Result<()> {
        let wish = |id: &str| Wish { id: id.to_owned(), wish: input::Wish::Stop };
        assert_eq!(file_name(&wish("17-a"))?, "17-a.json");
        assert_eq!(file_name(&wish("17-a.json"))?, "17-a.json");
        for odd in ["", "../x", ".hidden", "a/b", "a\nb"] {
            assert!(file_name(&wish(odd)).is_err(), "{odd}");
        }
        Ok(())
    }

    #[test]
    fn what_is_for_a_process_waits_until_there_is_one() -> Result<()> {
        let work = tempfile::tempdir()?;
        let steer = input::Wish::Steer { task: None, text: "tabs".into(), now: false };
        let new = [
            Wish { id: "1".into(), wish: input::Wish::Stop },
            Wish { id: "2".into(), wish: steer },
        ];
        let wishes = Wishes::new(&BTreeMap::new(), &new)?;
        let there = |name: &str| work.path().join(".git/ralph/inbox").join(name).is_file();
        wishes.put_for_the_run(work.path())?;
        assert!(there("2.json") && !there("1.json"));
        wishes.put_for_the_process(work.path())?;
        assert!(there("1.json"));
        Ok(())
    }
}
