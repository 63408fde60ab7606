//! Every face of a run: console on stderr, wire events on stdout if asked for, the session log in a file.

use std::{io::BufWriter, sync::Arc};

use ralph_agents::live_event::Reporter;
use ralph_core::{ids::RunId, settings::Display, timeline::Timeline};
use ralph_engine::{layout::Layout, ports::Publish, safe_files};

use crate::{
    context::Context,
    diagnostics::CommandError,
    reporters::{
        console::{Console, Options, Progress},
        fan_out::FanOut,
        json::Json,
        session_log::SessionLog,
    },
};

/// The reporters of one run, and the way news reach them.
pub(crate) struct Outputs {
    fan_out: FanOut,
}

impl Outputs {
    /// Starts them; `past` is what a resumed run has behind it.
    pub(crate) fn start(
        context: &Context,
        (display, progress): (Display, Progress),
        (layout, run): (&Layout, &RunId),
        past: &Timeline,
    ) -> Result<Self, CommandError> {
        let options = Options { display, progress, verbose: context.verbose };
        let stderr = Box::new(std::io::stderr());
        let console = Console::new(stderr, context.stderr(), options, past.clone());
        let mut faces: Vec<Box<dyn Reporter>> = vec![Box::new(console)];
        if context.json {
            faces.push(Box::new(Json::new(Box::new(std::io::stdout()), past.clone())));
        }
        let log = Box::new(BufWriter::new(open(layout, run)?));
        faces.push(Box::new(SessionLog::new(log, past.clone())));
        Ok(Self { fan_out: FanOut::start(faces)? })
    }

    /// What the engine publishes through.
    pub(crate) fn publish(&self) -> Publish {
        let publisher = self.fan_out.publisher();
        Arc::new(move |news| publisher.publish(news))
    }

    /// Lets them finish what they have to say, for a bounded time.
    pub(crate) fn finish(self) {
        self.fan_out.finish();
    }
}

fn open(layout: &Layout, run: &RunId) -> Result<std::fs::File, CommandError> {
    let path = layout.session_log(run);
    safe_files::append(layout.base_of(&path), &path).map_err(|source| CommandError::File {
        doing: "write",
        path,
        source,
    })
}
