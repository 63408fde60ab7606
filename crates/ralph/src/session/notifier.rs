//! Notifications of a run: follows it as a reporter does, and hands what is due to the channels.
//!
//! Nothing here can hold up a run or change how it ends.

use std::{
    ffi::OsString,
    path::Path,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use ralph_agents::live_event::{Chatter, News, Reporter, Said};
use ralph_core::{
    ids::RunId,
    notify::{Detector, Due, Message, Notice, Schedule, Standing},
    settings::{NotifyChannel, NotifyDetail, NotifySettings, Occasion},
    time::Timestamp,
    timeline::Timeline,
};
use ralph_engine::{
    clock,
    git::agents_folders,
    layout::Layout,
    notify::{Deliver, Lanes, Surroundings, Undelivered, open},
    outside::Outside,
    ports::Publish,
};
use ralph_text::redact::Redactor;

use super::{project::Project, run_store::redactor, terminal_notice::TerminalNotice};
use crate::context::variable;

/// The channels of a run, from its start to the last delivery.
pub(crate) struct Notifications {
    lanes: Arc<Lanes>,
    trouble: Arc<TroubleLog>,
    timeout: Duration,
}

impl Notifications {
    /// Opens every channel; `None` where there is none. What follows the run is the second.
    pub(super) fn start(
        settings: &NotifySettings,
        (run, layout): (&RunId, &Layout),
        (past, redactor): (&Timeline, Redactor),
    ) -> std::io::Result<Option<(Self, Notifier)>> {
        let channels = settings.channels();
        if channels.is_empty() {
            return Ok(None);
        }
        let (opened, channels) = Self::open(settings, channels, (run, layout))?;
        let schedules = channels.iter().map(|channel| Schedule::new(settings, channel)).collect();
        let detector = Detector::new(past.clone());
        let lanes = Arc::clone(&opened.lanes);
        Ok(Some((
            opened,
            Notifier { detector, schedules, detail: settings.detail, lanes, redactor },
        )))
    }

    /// Opens these channels, and gives back the ones that can be used.
    fn open(
        settings: &NotifySettings,
        channels: Vec<NotifyChannel>,
        (run, layout): (&RunId, &Layout),
    ) -> std::io::Result<(Self, Vec<NotifyChannel>)> {
        let (attention, folder) = (layout.attention(run), layout.views().parent());
        let around = surroundings(&channels, folder.unwrap_or(layout.views()), run.clone());
        let trouble = Arc::new(TroubleLog::default());
        let (mut opened, mut usable) = (Vec::new(), Vec::new());
        for channel in channels {
            let name = channel.kind.as_str().to_owned();
            match ready(&channel, settings, (&around, Some(&attention))) {
                Ok(deliver) => {
                    opened.push((name, deliver));
                    usable.push(channel);
                }
                Err(why) => trouble.add(format!("notifications by {name} are off: {why}")),
            }
        }
        let log = Arc::clone(&trouble);
        let lanes = Arc::new(Lanes::start(opened, &(Arc::new(move |text| log.add(text)) as _))?);
        let timeout = Duration::from_millis(settings.timeout.0.0);
        Ok((Self { lanes, trouble, timeout }, usable))
    }

    /// Says that a run's process is gone, by every channel whose own list does not leave that out.
    pub(crate) fn died(timeline: &Timeline, layout: &Layout) -> std::io::Result<Option<Self>> {
        let Some(state) = timeline.state() else { return Ok(None) };
        let settings = &state.start.settings.notify;
        let wants = |one: &NotifyChannel| one.on.is_empty() || one.on.contains(&Occasion::Died);
        let channels: Vec<NotifyChannel> = settings.channels().into_iter().filter(wants).collect();
        let (opened, channels) = Self::open(settings, channels, (&state.run, layout))?;
        let (now, standing) = (clock::now(), Standing::of(timeline));
        let redactor = redactor(&state.start.settings);
        for nth in 0..channels.len() {
            let notices = vec![Notice::died(now)];
            let due = Due { occasion: Occasion::Died, notices, left_out: 0 };
            let message = Message::new(due, &standing, settings.detail, now);
            opened.lanes.send(nth, message.map_texts(|text| redactor.text(text).into_owned()));
        }
        Ok(Some(opened))
    }

    /// Says from now on what does not work.
    pub(super) fn say_to(&self, publish: &Publish) {
        self.trouble.say_to(publish);
    }

    /// The run is over: waits for deliveries unless it was abandoned, and gives back what the console could not say.
    pub(crate) fn finish(self, is_abandoned: bool) -> Vec<String> {
        self.trouble.is_over.store(true, Ordering::SeqCst);
        let undone = self.lanes.finish(if is_abandoned { Duration::ZERO } else { self.timeout });
        let mut unsaid = std::mem::take(&mut *self.trouble.unsaid());
        let late = |name| format!("notifications by {name} were not all delivered");
        unsaid.extend(undone.into_iter().map(late));
        unsaid
    }
}

/// A channel that can deliver.
pub(crate) fn ready(
    channel: &NotifyChannel,
    settings: &NotifySettings,
    (around, attention): (&Surroundings, Option<&Path>),
) -> Result<Box<dyn Deliver>, Undelivered> {
    let opened = open(channel, settings.timeout.0, around)?;
    Ok(opened.unwrap_or_else(|| Box::new(TerminalNotice::new(&variable, attention))))
}

/// How channels start programs: with no variable of ralph's own, and nothing of what agents write.
pub(crate) fn surroundings(channels: &[NotifyChannel], folder: &Path, run: RunId) -> Surroundings {
    let is_named =
        |name: &str| channels.iter().any(|one| one.url_env == name || one.secret_env == name);
    let is_ours = |name: &OsString| {
        let name = name.to_string_lossy();
        name.starts_with("RALPH_") && !is_named(&name)
    };
    let environment = std::env::vars_os().filter(|(name, _)| !is_ours(name)).collect();
    let agents = agents_folders(folder, &Project::state_home());
    Surroundings { outside: Outside::new(environment, agents), run }
}

/// What channels could not do, for the console while there is one.
#[derive(Default)]
struct TroubleLog {
    publish: OnceLock<Publish>,
    unsaid: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

impl TroubleLog {
    fn unsaid(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.unsaid.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, text: String) {
        match self.publish.get().filter(|_| !self.is_over.load(Ordering::SeqCst)) {
            Some(publish) => publish(noted(text)),
            None => self.unsaid().push(text),
        }
    }

    fn say_to(&self, publish: &Publish) {
        let _ = self.publish.set(Arc::clone(publish));
        for text in std::mem::take(&mut *self.unsaid()) {
            publish(noted(text));
        }
    }
}

fn noted(text: String) -> News {
    News::Chatter(Chatter { at: clock::now(), iteration: 0, said: Said::Noted { text } })
}

/// Follows a run for its channels.
pub(super) struct Notifier {
    detector: Detector,
    schedules: Vec<Schedule>,
    detail: NotifyDetail,
    lanes: Arc<Lanes>,
    redactor: Redactor,
}

impl Notifier {
    fn announce(&mut self, notices: &[Notice]) {
        let now = clock::now();
        for channel in 0..self.schedules.len() {
            let Some(schedule) = self.schedules.get_mut(channel) else { continue };
            for notice in notices {
                schedule.offer(notice.clone());
            }
            if let Some(due) = schedule.due(now) {
                self.send(channel, due, now.0);
            }
        }
    }

    /// Sends a message, without anything that must not leave this machine.
    fn send(&self, channel: usize, due: Due, seq: i64) {
        let standing = Standing::of(self.detector.timeline());
        let mut message = Message::new(due, &standing, self.detail, clock::now());
        message.seq = seq;
        self.lanes.send(channel, message.map_texts(|text| self.redactor.text(text).into_owned()));
    }
}

impl Reporter for Notifier {
    fn news(&mut self, news: &News) -> std::io::Result<()> {
        if let News::Decided(decision) = news {
            let notices = self.detector.decided(decision);
            self.announce(&notices);
        }
        Ok(())
    }

    fn tick(&mut self, now: Timestamp) -> std::io::Result<()> {
        let notices = self.detector.tick(now);
        self.announce(&notices);
        Ok(())
    }

    fn finish(&mut self) -> std::io::Result<()> {
        // Another name than that of a message of this very moment.
        let seq = clock::now().0 + 1;
        for channel in 0..self.schedules.len() {
            let Some(schedule) = self.schedules.get_mut(channel) else { continue };
            if let Some(due) = schedule.finish() {
                self.send(channel, due, seq);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use ralph_core::{event::Event, plan::Status};
    use testkit::secrets;

    use super::*;
    use crate::reporters::tests::scripts::{Script, play};

    /// Keeps everything that would be sent.
    struct Kept(Sender<String>);

    impl Deliver for Kept {
        fn deliver(&mut self, message: &Message) -> Result<(), Undelivered> {
            let json = serde_json::to_string(message).map_err(|_| Undelivered::lasting("?"))?;
            self.0.send(json + &message.words()).map_err(|_| Undelivered::lasting("?"))
        }
    }

    #[test]
    fn none_of_a_thousand_planted_secrets_is_sent() {
        let planted = secrets::planted();
        let named = |n: usize| format!("planted-{n:04}-Xk7R{}", n * 7919);
        let values: Vec<(String, String)> =
            (0..900).map(|n| (format!("KEY_{n}"), named(n))).collect();
        let shown = values.iter().map(|(_, value)| format!("the key is {value}"));
        let shown: Vec<String> = shown.chain(planted.iter().map(|one| one.shown.clone())).collect();
        assert!(shown.len() >= 1000, "{}", shown.len());
        let mut script = Script::new();
        for text in &shown {
            let question = text.clone();
            let moved =
                |from, to| Event::TaskMoved { task: "T-001".into(), from, to, why: text.clone() };
            script.decide(vec![
                Event::QuestionAsked { task: "T-001".into(), question, in_passing: false },
                moved(Status::InProgress, Status::Parked),
            ]);
            script.decide(vec![moved(Status::Parked, Status::Failed)]);
        }
        let settings = NotifySettings {
            min_gap: ralph_core::settings::Length::default(),
            ..NotifySettings::default()
        };
        let schedule = Schedule::new(&settings, &NotifyChannel::default());
        let (sender, sent) = channel();
        let quiet: ralph_engine::notify::Trouble = Arc::new(|_| ());
        let kept: Box<dyn Deliver> = Box::new(Kept(sender));
        let lanes = Arc::new(Lanes::start(vec![("kept".into(), kept)], &quiet).unwrap());
        let mut notifier = Notifier {
            detector: Detector::new(Timeline::default()),
            schedules: vec![schedule],
            detail: NotifyDetail::Text,
            lanes: Arc::clone(&lanes),
            redactor: Redactor::new(
                values.iter().map(|(name, value)| (name.as_str(), value.as_str())),
            ),
        };
        let mut heard = Vec::new();
        // The run's own first decisions are no news; every other is one message.
        for (nth, beat) in script.beats().into_iter().enumerate() {
            play(&[beat], &mut notifier).unwrap();
            if nth >= 3 {
                heard.push(sent.recv().unwrap());
            }
        }
        assert!(lanes.finish(Duration::from_mins(1)).is_empty());
        let heard = heard.concat();
        assert!(
            heard.matches("[redacted:").count() >= 1000,
            "{}",
            heard.matches("[redacted").count()
        );
        let secrets =
            values.iter().map(|(_, value)| value).chain(planted.iter().map(|one| &one.value));
        let found: Vec<&String> =
            secrets.filter(|secret| heard.contains(secret.as_str())).collect();
        assert_eq!(found, [""; 0]);
    }
}
