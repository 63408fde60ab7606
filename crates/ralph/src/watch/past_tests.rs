//! A log far longer than what is kept of it: read back to its beginning, and searched from end to end.

use std::{fs, io::Write as _};

use ralph_agents::{
    event::AgentEvent,
    live_event::{Chatter, News, Said},
};
use ralph_core::{event::Event, ids::RunId, time::Timestamp};
use ralph_engine::{journal::Writer, layout::Layout};

use super::{
    follow::Source,
    keys::Action,
    log_search::Search,
    model::{Focus, Model, Pane},
    stream::{Item, KEPT},
    watched::Watched,
};
use crate::{
    diagnostics::CommandError,
    reporters::tests::scripts::{self, Beat},
};

const LINES: usize = 30_000;
/// Rows of a step, a row for each line: fewer than are read ahead.
const STEP: usize = 90;
const SIZE: (u16, u16) = (120, 40);

/// A run whose last iteration said so many lines.
fn talkative(folder: &std::path::Path) -> Result<(Source, Model), CommandError> {
    let layout = Layout::new(&folder.join("git"), folder);
    let run = RunId::from("261114-0042-k3f");
    fs::create_dir_all(layout.run(&run))?;
    let mut journal = Writer::create(&layout.journal(&run))?;
    let mut iteration = 0;
    for beat in scripts::given_up() {
        if let Beat::News(News::Decided(decision)) = beat {
            for event in &decision.events {
                if let Event::IterationStarted(start) = event {
                    iteration = start.iteration;
                }
            }
            journal.append(&decision)?;
        }
    }
    let events = layout.events(&run, iteration, 0);
    fs::create_dir_all(events.parent().unwrap_or(folder))?;
    let mut file = std::io::BufWriter::new(fs::File::create(&events)?);
    for nth in 0..LINES {
        let needle = if [5, 10_000, LINES - 1].contains(&nth) { "NEEDLE" } else { "" };
        let text = format!("line {nth} {needle}{}", "x".repeat(50));
        let said = Said::Agent(AgentEvent::Text { text });
        serde_json::to_writer(&mut file, &Chatter { at: Timestamp(7), iteration, said })
            .map_err(std::io::Error::from)?;
        file.write_all(b"\n")?;
    }
    file.flush()?;
    let watched = Watched { folder: folder.to_owned(), layout, run };
    let mut model = Model { pane: Pane::Stream, focus: Focus::Pane, ..Model::default() };
    let source = Source::open(&watched, &mut model)?;
    let chosen = model.state().and_then(|state| {
        let has_it = |at: &usize| {
            let task = model.timeline.tasks.get(&state.task_id(*at));
            task.is_some_and(|task| task.steps.iter().any(|step| step.iteration == iteration))
        };
        (0..state.tasks.len()).find(has_it)
    });
    model.chosen = chosen.unwrap_or_default();
    Ok((source, model))
}

/// The number of the line that is chosen.
fn chosen(model: &Model) -> Option<usize> {
    let place = model.pick?.key.0;
    let (_, item) = model.shown.part().items.iter().find(|(at, _)| *at == place)?;
    let Item::Text(text) = item else { return None };
    text.split(' ').nth(1)?.parse().ok()
}

fn act(source: &mut Source, model: &mut Model, action: Action) -> Result<(), CommandError> {
    model.measure(SIZE);
    model.act(action);
    source.poll(model)?;
    assert!(model.shown.part().items.len() <= KEPT);
    Ok(())
}

#[test]
fn reading_back_reaches_the_first_line_and_skips_none() -> Result<(), CommandError> {
    let folder = tempfile::tempdir()?;
    let (mut source, mut model) = talkative(folder.path())?;
    source.poll(&mut model)?;
    model.measure(SIZE);
    assert!(model.shown.stream.is_cut && model.keys.len() < LINES);
    let by = isize::try_from(STEP).unwrap_or(1);
    act(&mut source, &mut model, Action::Move(-by))?;
    let mut before = chosen(&model).unwrap_or(LINES);
    while before > STEP {
        act(&mut source, &mut model, Action::Move(-by))?;
        let now = chosen(&model).unwrap_or(LINES);
        assert_eq!(now + STEP, before);
        before = now;
    }
    act(&mut source, &mut model, Action::First)?;
    assert_eq!(chosen(&model), Some(0));
    act(&mut source, &mut model, Action::Move(by))?;
    assert_eq!(chosen(&model), Some(STEP));
    act(&mut source, &mut model, Action::Last)?;
    assert!(model.pick.is_none() && model.shown.past.is_none());
    Ok(())
}

#[test]
fn a_search_goes_through_the_whole_log() -> Result<(), CommandError> {
    let folder = tempfile::tempdir()?;
    let (mut source, mut model) = talkative(folder.path())?;
    source.poll(&mut model)?;
    model.sought = "needle".into();
    model.find(1, SIZE);
    let mut notes = Vec::new();
    while model.search.as_ref().is_some_and(Search::is_going) {
        source.seek(&mut model)?;
        notes.extend(model.note.clone());
    }
    assert!(notes.iter().any(|note| note.contains(" MB searched")), "{notes:?}");
    assert_eq!(notes.last().map(String::as_str), Some("needle: 1 of 3   n N"));
    for (by, line) in [(1, 10_000), (1, LINES - 1), (1, 5), (-1, LINES - 1)] {
        model.find(by, SIZE);
        source.poll(&mut model)?;
        assert_eq!(chosen(&model), Some(line));
    }
    model.sought = "nowhere".into();
    model.find(1, SIZE);
    while model.search.as_ref().is_some_and(Search::is_going) {
        source.seek(&mut model)?;
    }
    assert_eq!(model.note.as_deref(), Some("nowhere: not in this log   n N"));
    Ok(())
}
