//! `ralph replay`: merges a journal with the iterations' events and feeds the same reporters as a live run.

use std::{
    collections::VecDeque,
    io::{BufRead as _, BufReader},
    path::Path,
    sync::Arc,
};

use ralph_agents::live_event::{Chatter, News, Reporter};
use ralph_core::{
    event::{Decision, Event},
    timeline::Timeline,
};
use ralph_engine::project_file;

use crate::{
    args::commands::ReplayArgs,
    context::Context,
    diagnostics::CommandError,
    exit,
    reporters::{
        console::{Console, Options},
        json::Json,
    },
    session::run_store::RunStore,
};

/// Runs `ralph replay`.
pub(crate) fn exec(args: &ReplayArgs, context: &Context) -> Result<u8, CommandError> {
    let place = RunStore::find(&context.project_dir)?;
    let run = place.run(args.run.as_deref())?;
    let mut decisions = Vec::new();
    place.decisions(&run, |decision| decisions.push(decision))?;
    let display = decisions.iter().find_map(|decision| display(decision));
    let out = Box::new(std::io::stdout());
    let mut reporter: Box<dyn Reporter> = if context.json {
        Box::new(Json::new(out, Timeline::default()))
    } else {
        let options = Options {
            display: display.unwrap_or_default(),
            verbose: context.verbose,
            ..Options::default()
        };
        Box::new(Console::new(out, context.stdout(), options, Timeline::default()))
    };
    let mut merge = Merge::default();
    for decision in decisions {
        let started = merge.decision(decision);
        feed(merge.ready.drain(..), reporter.as_mut())?;
        if let Some(iteration) = started {
            let path = place.layout.iteration(&run, iteration).join("events.jsonl");
            merge.begin(chatter(&path, iteration)?);
        }
    }
    feed(merge.rest(), reporter.as_mut())?;
    reporter.finish()?;
    Ok(exit::DONE)
}

fn display(decision: &Decision) -> Option<ralph_core::settings::Display> {
    decision.events.iter().find_map(|event| match event {
        Event::RunStarted(start) => Some(start.settings.display.clone()),
        _ => None,
    })
}

/// Hands news to a reporter, one after the other.
pub(crate) fn feed(
    news: impl IntoIterator<Item = News>,
    reporter: &mut dyn Reporter,
) -> Result<(), CommandError> {
    for news in news {
        reporter.news(&news)?;
    }
    Ok(reporter.caught_up()?)
}

/// An iteration's events; lines that cannot be read are passed over, a missing file holds none.
pub(crate) fn chatter(path: &Path, iteration: u32) -> Result<Vec<Chatter>, CommandError> {
    let failed = CommandError::file("read", path);
    let file = match project_file::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut reader = BufReader::new(file);
    let (mut line, mut found) = (Vec::new(), Vec::new());
    while reader.read_until(b'\n', &mut line).map_err(&failed)? > 0 {
        if let Ok(chatter) = serde_json::from_slice::<Chatter>(&line)
            && chatter.iteration == iteration
        {
            found.push(chatter);
        }
        line.clear();
    }
    Ok(found)
}

/// Puts decisions and chatter into the order in which they happened.
#[derive(Debug, Default)]
pub(crate) struct Merge {
    waiting: VecDeque<Chatter>,
    iteration: u32,
    ready: Vec<News>,
}

impl Merge {
    /// A decision comes after the chatter that led to it; tells which iteration it began, once for each.
    pub(crate) fn decision(&mut self, decision: Arc<Decision>) -> Option<u32> {
        let started = decision.events.iter().find_map(|event| match event {
            Event::IterationStarted(start) => Some(start.iteration),
            _ => None,
        });
        // A retry continues in the same file, so what is left of it stays for later.
        let started = started.filter(|iteration| *iteration != self.iteration);
        while let Some(next) = self.waiting.pop_front() {
            // A new iteration ends the old one's chatter, whatever the clock said.
            if next.at <= decision.at || started.is_some() {
                self.ready.push(News::Chatter(next));
            } else {
                self.waiting.push_front(next);
                break;
            }
        }
        self.iteration = started.unwrap_or(self.iteration);
        self.ready.push(News::Decided(decision));
        started
    }

    /// The chatter of the iteration that has just begun.
    pub(crate) fn begin(&mut self, chatter: Vec<Chatter>) {
        self.waiting = chatter.into();
    }

    /// What is left at the end.
    pub(crate) fn rest(&mut self) -> Vec<News> {
        let mut rest = std::mem::take(&mut self.ready);
        rest.extend(self.waiting.drain(..).map(News::Chatter));
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporters::tests::scripts::{self, Beat};

    #[test]
    fn merging_gives_back_the_order_of_the_live_run() {
        for script in [scripts::happy, scripts::usage_limit, scripts::given_up] {
            let live: Vec<News> = script()
                .into_iter()
                .filter_map(|beat| match beat {
                    Beat::News(news) => Some(news),
                    Beat::Tick(_) => None,
                })
                .collect();
            let stored = |iteration: u32| {
                live.iter()
                    .filter_map(|news| match news {
                        News::Chatter(chatter) if chatter.iteration == iteration => {
                            Some(chatter.clone())
                        }
                        _ => None,
                    })
                    .collect::<Vec<_>>()
            };
            let mut merge = Merge::default();
            let mut merged = Vec::new();
            for news in &live {
                if let News::Decided(decision) = news {
                    let started = merge.decision(decision.clone());
                    merged.append(&mut merge.ready);
                    if let Some(iteration) = started {
                        merge.begin(stored(iteration));
                    }
                }
            }
            merged.extend(merge.rest());
            let kinds = |news: &[News]| {
                let count = |chatter: bool| {
                    news.iter().filter(|n| matches!(n, News::Chatter(_)) == chatter).count()
                };
                (count(true), count(false))
            };
            assert_eq!(kinds(&merged), kinds(&live));
            let at = |news: &News| match news {
                News::Decided(decision) => decision.at,
                News::Chatter(chatter) => chatter.at,
            };
            assert!(merged.windows(2).all(|two| at(&two[0]) <= at(&two[1])));
        }
    }
}
