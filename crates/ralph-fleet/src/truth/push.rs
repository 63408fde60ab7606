//! The one way anything reaches the remote: an atomic push that swaps every ref against the value its author saw.
//! Never with a `+`, which would force what the lease refuses, and never by a name, which may have moved since.

use std::collections::BTreeMap;

use super::{git, repository::Repository};

/// A ref's change, from the value that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Swap {
    pub(crate) name: String,
    pub(crate) was: Option<String>,
    /// None deletes it.
    pub(crate) now: Option<String>,
}

/// What became of a push.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    Yes,
    /// The truth is somebody else's; this is its value.
    Fenced(Option<String>),
    /// The truth is as it was, but these refs are not: their values now.
    Moved(BTreeMap<String, Option<String>>),
    /// Everything is as it was, or nobody knows: it can be tried again.
    NotYet {
        why: String,
        has_answered: bool,
    },
}

impl Repository {
    /// Swaps the truth and everything that goes with it, all or nothing. If the push fails, what the remote has then
    /// decides what became of it.
    pub(crate) fn push(&self, truth: &Swap, others: &[Swap]) -> Pushed {
        let all: Vec<&Swap> = [truth].into_iter().chain(others).collect();
        let mut args: Vec<String> =
            ["push", "--atomic", "--porcelain", "--no-verify"].map(str::to_owned).into();
        args.extend(all.iter().map(|swap| {
            format!("--force-with-lease={}:{}", swap.name, swap.was.as_deref().unwrap_or_default())
        }));
        args.extend(["--".to_owned(), self.url.clone()]);
        args.extend(
            all.iter()
                .map(|swap| format!("{}:{}", swap.now.as_deref().unwrap_or_default(), swap.name)),
        );
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let why = match self.git.run(&args, b"") {
            Ok(left) if left.status.success() => return Pushed::Yes,
            Ok(left) => git::said(&left),
            Err(error) => format!("{error:#}"),
        };
        self.judge(&all, why)
    }

    fn judge(&self, all: &[&Swap], why: String) -> Pushed {
        let names: Vec<&str> = all.iter().map(|swap| swap.name.as_str()).collect();
        let now = match self.advertised(&names) {
            Ok(known) => known.refs,
            Err(error) => {
                return Pushed::NotYet { why: format!("{why}; {error:#}"), has_answered: false };
            }
        };
        let Some((truth, others)) = all.split_first() else {
            return Pushed::Yes;
        };
        let value = now.get(&truth.name);
        if value == truth.now.as_ref() {
            return Pushed::Yes;
        }
        if value != truth.was.as_ref() {
            return Pushed::Fenced(value.cloned());
        }
        let moved: BTreeMap<_, _> = others
            .iter()
            .filter(|swap| now.get(&swap.name) != swap.was.as_ref())
            .map(|swap| (swap.name.clone(), now.get(&swap.name).cloned()))
            .collect();
        if moved.is_empty() {
            Pushed::NotYet { why, has_answered: true }
        } else {
            Pushed::Moved(moved)
        }
    }
}
