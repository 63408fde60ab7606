//! `ralph replay`: feeds a run, as it was written down, to the same reporters as a live run.

use std::{thread, time::Duration};

use ralph_agents::live_event::{News, Reporter};
use ralph_core::{event::Event, ids::RunId, timeline::Timeline};
use ralph_engine::{
    follow::Follower,
    journal::{self, Lock},
    layout::Layout,
};

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

/// How often a run is looked at for something new.
const LOOK: Duration = Duration::from_millis(200);

/// Runs `ralph replay`.
pub(crate) fn exec(args: &ReplayArgs, context: &Context) -> Result<u8, CommandError> {
    let place = RunStore::find(&context.project_dir)?;
    let run = place.run(args.run.as_deref())?;
    let out = Box::new(std::io::stdout());
    let mut reporter: Box<dyn Reporter> = if context.json {
        Box::new(Json::new(out, Timeline::default()))
    } else {
        let start = journal::recover(&place.layout.journal(&run))?.state.start;
        let options = Options {
            display: start.settings.display.clone(),
            verbose: context.verbose,
            ..Options::default()
        };
        Box::new(Console::new(out, context.stdout(), options, Timeline::default()))
    };
    follow(&mut Follower::new(&place.layout, &run), reporter.as_mut())?;
    reporter.finish()?;
    Ok(exit::DONE)
}

/// Hands everything that is new to a reporter; tells whether the run came to its end in it.
pub(crate) fn follow(
    follower: &mut Follower,
    reporter: &mut dyn Reporter,
) -> Result<bool, CommandError> {
    let (mut shown, mut is_over) = (Ok(()), false);
    follower.look(|news| {
        is_over = ends(&news).unwrap_or(is_over);
        if shown.is_ok() {
            shown = reporter.news(&news);
        }
    })?;
    shown?;
    reporter.caught_up()?;
    Ok(is_over)
}

/// Hands everything to a reporter until the run ends. One whose process dies is said to have none; tells whether it died
/// meanwhile. Of a run on another machine nobody knows that here.
pub(crate) fn follow_to_end(
    (layout, run): (&Layout, &RunId),
    follower: &mut Follower,
    reporter: &mut dyn Reporter,
    context: &Context,
) -> Result<bool, CommandError> {
    let mut was_active = false;
    loop {
        // Asked first: what a run writes before it lets go is then read below.
        let owner = Lock::peek(&layout.lock());
        let is_elsewhere = owner.as_ref().is_some_and(|owner| owner.elsewhere().is_some());
        let is_over = follow(follower, reporter)?;
        if is_over || owner.and_then(|owner| owner.run).as_ref() != Some(run) {
            reporter.finish()?;
            let has_ended = || {
                Ok::<_, CommandError>(
                    journal::recover(&layout.journal(run))?.state.outcome().is_some(),
                )
            };
            if is_over || is_elsewhere || has_ended()? {
                return Ok(false);
            }
            context.warn(gone(run))?;
            return Ok(was_active);
        }
        was_active = true;
        thread::sleep(LOOK);
    }
}

fn gone(run: &RunId) -> String {
    format!("run {run} has no process and no end: it was killed; ralph resume continues it")
}

/// Whether the run is over with this, or goes on after an end.
fn ends(news: &News) -> Option<bool> {
    let News::Decided(decision) = news else { return None };
    decision.events.iter().find_map(|event| match event {
        Event::RunFinished { .. } => Some(true),
        Event::RunResumed { .. } => Some(false),
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

#[cfg(test)]
mod tests {
    use std::{fs, io::Write as _, path::Path};

    use ralph_agents::live_event::Said;
    use ralph_engine::{journal::Writer, layout::Layout};

    use super::*;
    use crate::reporters::tests::scripts::{self, Beat};

    fn append(path: &Path, line: &str) -> std::io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
        writeln!(file, "{line}")
    }

    #[test]
    fn a_run_is_read_in_the_order_in_which_it_happened_at_once_and_bit_by_bit()
    -> std::io::Result<()> {
        for script in [scripts::happy, scripts::usage_limit, scripts::given_up] {
            let live: Vec<News> = script()
                .into_iter()
                .filter_map(|beat| match beat {
                    Beat::News(news) => Some(news),
                    Beat::Tick(_) => None,
                })
                .collect();
            let folder = tempfile::tempdir()?;
            let layout = Layout::new(&folder.path().join("git"), folder.path());
            let run = "r1".into();
            fs::create_dir_all(layout.run(&run))?;
            let mut journal =
                Writer::create(&layout.journal(&run)).map_err(std::io::Error::other)?;
            let mut read = Vec::new();
            let mut follower = Follower::new(&layout, &run);
            let mut call = (0, 0);
            for news in &live {
                match news {
                    News::Decided(decision) => {
                        journal.append(decision).map_err(std::io::Error::other)?;
                        for event in &decision.events {
                            if let Event::IterationStarted(start) = event {
                                call = (start.iteration, start.retry);
                            }
                        }
                    }
                    News::Chatter(said) => {
                        let path = match said.said {
                            Said::Agent(_) => layout.events(&run, call.0, call.1),
                            _ => layout.gate_notices(&run, said.iteration),
                        };
                        append(&path, &serde_json::to_string(said)?)?;
                    }
                }
                follower.look(|news| read.push(news)).map_err(std::io::Error::other)?;
            }
            assert_eq!(read, live, "as it is written");
            let mut at_once = Vec::new();
            let mut later = Follower::new(&layout, &run);
            later.look(|news| at_once.push(news)).map_err(std::io::Error::other)?;
            // What has the same time may have come in another order.
            let at = |news: &News| match news {
                News::Decided(decision) => decision.at,
                News::Chatter(chatter) => chatter.at,
            };
            assert!(at_once.windows(2).all(|two| at(&two[0]) <= at(&two[1])), "afterwards");
            assert!(live.iter().all(|news| at_once.contains(news)) && at_once.len() == live.len());
        }
        Ok(())
    }
}
