//! A run and all that shows it: console on stderr, wire events on stdout if asked for, the session log in a file; and the
//! watcher over the console.

use std::{io::BufWriter, sync::Arc};

use ralph_agents::live_event::Reporter;
use ralph_core::{ids::RunId, outcome::Outcome, settings::Face, timeline::Timeline};
use ralph_engine::{
    DriveError, journal,
    layout::Layout,
    ports::Publish,
    run::{RunError, Site},
    run_reports, safe_files,
    sandbox::Enclosure,
    sink::RedactedFiles,
};

use super::{
    engine,
    held_output::{HeldOutput, Hold},
    live_report::LiveReport,
    notifier::Notifications,
    project::Project,
    run_store::redactor,
    watch_key::WatchKey,
};
use crate::{
    context::Context,
    diagnostics::CommandError,
    reporters::{
        console::{Console, Options, Progress},
        fan_out::FanOut,
        json::Json,
        session_log::SessionLog,
    },
    words,
};

/// Does a run's work while reporters show it, and lets them finish; `past` is what a resumed run has behind it.
pub(super) fn shown(
    run: &RunId,
    (project, enclosure): (Project, Enclosure),
    (context, progress, past): (&Context, Progress, &Timeline),
    work: impl FnOnce(Site) -> Result<Outcome, RunError>,
) -> Result<Result<Outcome, RunError>, CommandError> {
    let display = project.resolved.settings.display.clone();
    let layout = project.layout.clone();
    let at_once = display.face == Face::Watch;
    let has_keys = !run.is_planning() && WatchKey::is_possible(context);
    let options = Options { display, progress, verbose: context.verbose, has_keys };
    let hold = Hold::default();
    let stderr = Box::new(HeldOutput(hold.clone()));
    let console = Console::new(stderr, context.stderr(), options, past.clone());
    let mut reporters: Vec<Box<dyn Reporter>> = vec![Box::new(console)];
    if context.json {
        reporters.push(Box::new(Json::new(Box::new(std::io::stdout()), past.clone())));
    }
    let path = project.layout.session_log(run);
    let log = safe_files::append(project.layout.base_of(&path), &path)
        .map_err(CommandError::file("write", &path))?;
    reporters.push(Box::new(SessionLog::new(Box::new(BufWriter::new(log)), past.clone())));
    let settings = &project.resolved.settings;
    let every = settings.report.live.0;
    if !every.is_zero() {
        let page = project.layout.report_page(run);
        let files = RedactedFiles::new(project.layout.base_of(&page), redactor(settings));
        reporters.push(Box::new(LiveReport::new(
            past.clone(),
            every,
            (files, page),
            project.repository.clone(),
        )));
    }
    let about = (past, redactor(settings));
    let notifications = Notifications::start(&settings.notify, (run, &project.layout), about)?;
    let notifications = notifications.map(|(notifications, notifier)| {
        reporters.push(Box::new(notifier));
        notifications
    });
    let fan_out = FanOut::start(reporters)?;
    let publisher = fan_out.publisher();
    let publish: Publish = Arc::new(move |news| publisher.publish(news));
    if let Some(notifications) = &notifications {
        notifications.say_to(&publish);
    }
    let watched = (run, context);
    let key = has_keys.then(|| WatchKey::listen(watched, hold, at_once)).transpose()?;
    let ended = work(engine::site(project, publish, enclosure));
    let is_abandoned = matches!(&ended, Err(RunError::Drive(DriveError::Abandoned)));
    match (key, &ended) {
        (Some(key), Err(_) | Ok(Outcome::Interrupted { .. })) => drop(key),
        (Some(key), Ok(_)) => key.finish(),
        (None, _) => {}
    }
    fan_out.finish();
    for text in notifications.into_iter().flat_map(|one| one.finish(is_abandoned)) {
        context.warn(text)?;
    }
    if !run.is_planning() && ended.is_ok() {
        name_rules(run, &layout, context)?;
    }
    Ok(ended)
}

/// Says that the run left lasting rules, where the project has a file for them.
fn name_rules(run: &RunId, layout: &Layout, context: &Context) -> Result<(), CommandError> {
    let Ok(recovered) = journal::recover(&layout.journal(run)) else { return Ok(()) };
    let Some(rules) = run_reports::rules_here(layout, &recovered.state) else { return Ok(()) };
    let count = words::count_of(&rules.lines, "lasting rule");
    context.note(format!("{count} for {}: ralph report --rules shows and adds them", rules.file))
}
