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

/// The name of the file of the wish with this id.
pub(crate) fn file_name(id: &str) -> Result<String> {
    if !is_file_name(id) {
        bail!("{id:?} is not a valid name for a request");
    }
    let is_named = Path::new(id).extension().is_some_and(|end| end == "json");
    Ok(if is_named { id.to_owned() } else { format!("{id}.json") })
}

/// Puts one wish into the inbox of the run in this folder.
pub(crate) fn put(work: &Path, wish: &Wish) -> Result<()> {
    put_text(work, &file_name(&wish.id)?, &serde_json::to_vec(&wish.wish)?)
}

fn put_text(work: &Path, name: &str, text: &[u8]) -> Result<()> {
    let inbox = work.join(".git/ralph/inbox");
    let half = inbox.join(format!(".{name}.new"));
    fs::create_dir_all(&inbox)
        .and_then(|()| fs::write(&half, text))
        .and_then(|()| fs::rename(&half, inbox.join(name)))
        .with_context(|| format!("cannot put a request into {}", inbox.display()))
}

impl Wishes {
    /// Those that an earlier stint left and those that came since. What a process did not take was not for the next one:
    /// the loop knows whether it still is.
    pub(crate) fn new(left: &BTreeMap<String, Vec<u8>>, new: &[Wish]) -> Result<Self> {
        let mut all = left.clone();
        all.retain(|_, text| !is_for_a_process(text));
        for wish in new {
            // One with an id that no command gives would fail every stint.
            let Ok(name) = file_name(&wish.id) else { continue };
            all.insert(name, serde_json::to_vec(&wish.wish)?);
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
        assert_eq!(file_name("17-a")?, "17-a.json");
        assert_eq!(file_name("17-a.json")?, "17-a.json");
        for odd in ["", "../x", ".hidden", "a/b", "a\nb"] {
            assert!(file_name(odd).is_err(), "{odd}");
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

    #[test]
    fn what_an_earlier_process_did_not_take_comes_from_the_loop_or_not_at_all() -> Result<()> {
        let steer = serde_json::to_vec(&input::Wish::Steer {
            task: None,
            text: "tabs".into(),
            now: false,
        })?;
        let stop = serde_json::to_vec(&input::Wish::Stop)?;
        let left = [("1.json".to_owned(), stop), ("2.json".to_owned(), steer)].into();
        let again = Wish { id: "3".into(), wish: input::Wish::Stop };
        let wishes = Wishes::new(&left, &[again])?;
        let names: Vec<&String> = wishes.all.keys().collect();
        assert_eq!(names, ["2.json", "3.json"]);
        Ok(())
    }
}
