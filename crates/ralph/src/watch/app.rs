//! The loop on a terminal: looks for news, draws at most twenty times a second, and does what keys say.

use std::{
    io,
    time::{Duration, Instant},
};

use crossterm::event::{self, Event, KeyCode, KeyEvent, MouseEvent};
use nix::{
    poll::PollTimeout,
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use ralph_core::time::Timestamp;
use ralph_engine::{clock, signals::Signals};

use super::{
    keys::{self, Action},
    log_search::Search,
    model::Life,
    pager,
    presence::Presence,
    tab::Tab,
    terminal::{self, Screen},
    view,
    watched::Watched,
};
use crate::{
    args::commands::WatchArgs,
    ask::Key,
    context::{Context, variable},
    diagnostics::CommandError,
    exit,
    session::notifier::Notifications,
};

/// No two frames are closer than this.
const FRAME: Duration = Duration::from_millis(50);
/// How long files are looked at often after something new.
const LIVELY: Duration = Duration::from_secs(5);
const OFTEN: Duration = Duration::from_millis(100);
const SELDOM: Duration = Duration::from_millis(500);

/// Watches runs until a person leaves, or with `--exit` until the first one is over.
pub(super) fn exec(
    watched: Vec<Watched>,
    args: &WatchArgs,
    context: &Context,
) -> Result<u8, CommandError> {
    let mut signals = Signals::catch()?;
    let tabs = watched.into_iter().map(|one| Tab::open(one, context));
    let mut app = App::new(tabs.collect::<Result<_, _>>()?, context);
    terminal::end_with_it();
    let mut screen = Screen::take()?;
    let left = app.until_left(args, &mut signals, &mut screen);
    drop(screen);
    // The next write to a terminal that is gone can fail before the thread or the signal reports it.
    if left.is_err() && terminal::is_gone(PollTimeout::ZERO) {
        return Ok(exit::HUNG_UP);
    }
    for text in app.deaths.into_iter().flat_map(|death| death.finish(false)) {
        context.warn(text)?;
    }
    left
}

struct App<'a> {
    tabs: Vec<Tab>,
    at: usize,
    context: &'a Context,
    is_dirty: bool,
    drawn: Option<Instant>,
    looked: Instant,
    news: Instant,
    size: (u16, u16),
    has_mouse: bool,
    presence: Presence,
    /// Notifications of runs that died meanwhile, some of them still on their way.
    deaths: Vec<Notifications>,
}

impl<'a> App<'a> {
    fn new(tabs: Vec<Tab>, context: &'a Context) -> Self {
        let now = Instant::now();
        Self {
            tabs,
            at: 0,
            context,
            is_dirty: true,
            drawn: None,
            looked: now,
            news: now,
            size: (80, 24),
            has_mouse: false,
            presence: Presence::new(),
            deaths: Vec::new(),
        }
    }

    fn until_left(
        &mut self,
        args: &WatchArgs,
        signals: &mut Signals,
        screen: &mut Screen,
    ) -> Result<u8, CommandError> {
        self.draw(screen)?;
        loop {
            self.draw(screen)?;
            if let Some((signal, _)) = signals.take() {
                return Ok(128_u8.saturating_add(u8::try_from(signal).unwrap_or_default()));
            }
            let mut has_more = event::poll(self.pause())?;
            while has_more {
                self.typed(event::read()?, screen)?;
                has_more = event::poll(Duration::ZERO)?;
            }
            self.look();
            self.seek()?;
            if args.notify {
                self.notify()?;
            }
            let Some(tab) = self.tabs.get(self.at) else { return Ok(exit::DONE) };
            self.presence.attend(tab.attention(), tab.model.life);
            if tab.model.is_leaving {
                return Ok(exit::DONE);
            }
            if args.exit && self.tabs.iter().all(|tab| tab.model.life == Life::Ended) {
                return Ok(tab.exit_code());
            }
        }
    }

    /// Tells the channels of runs that died since it was asked last.
    fn notify(&mut self) -> io::Result<()> {
        for tab in &mut self.tabs {
            if tab.has_died() {
                let death = Notifications::died(&tab.model.timeline, tab.layout())?;
                self.deaths.extend(death);
            }
        }
        Ok(())
    }

    /// How often files are looked at now.
    fn every(&self) -> Duration {
        let is_going = self.tabs.iter().any(|tab| tab.model.life == Life::Going);
        match is_going {
            _ if self.news.elapsed() < LIVELY => OFTEN,
            true => SELDOM,
            false => SELDOM * 2,
        }
    }

    /// How long there is nothing to do, if no key comes. Signals are seen in between.
    fn pause(&self) -> Duration {
        if self.is_seeking() {
            return Duration::ZERO;
        }
        let left = self.every().saturating_sub(self.looked.elapsed());
        let frame = self.drawn.map_or(Duration::ZERO, |at| FRAME.saturating_sub(at.elapsed()));
        if self.is_dirty { left.min(frame) } else { left }
    }

    fn look(&mut self) {
        if self.looked.elapsed() < self.every() {
            return;
        }
        self.looked = Instant::now();
        for tab in &mut self.tabs {
            if tab.look() {
                (self.is_dirty, self.news) = (true, Instant::now());
            }
        }
    }

    fn is_seeking(&self) -> bool {
        let search = self.tabs.get(self.at).and_then(|tab| tab.model.search.as_ref());
        search.is_some_and(Search::is_going)
    }

    /// Searches a part of the log between two looks at the keys.
    fn seek(&mut self) -> Result<(), CommandError> {
        if self.is_seeking()
            && let Some(tab) = self.tabs.get_mut(self.at)
        {
            tab.source.seek(&mut tab.model)?;
            self.is_dirty = true;
        }
        Ok(())
    }

    fn draw(&mut self, screen: &mut Screen) -> io::Result<()> {
        let needs_you: Vec<bool> = self.tabs.iter().map(Tab::needs_you).collect();
        let Some(tab) = self.tabs.get_mut(self.at) else { return Ok(()) };
        let now = clock::now();
        let has_moved = seconds(now) != seconds(tab.model.now) && tab.model.life == Life::Going;
        let is_early = self.drawn.is_some_and(|at| at.elapsed() < FRAME);
        if is_early || !(self.is_dirty || has_moved) {
            return Ok(());
        }
        fall(tab.model.is_zoomed);
        (tab.model.now, tab.model.tabs, tab.model.tab) = (now, needs_you, self.at);
        self.size = screen.draw(|frame| view::draw(&tab.model, frame.buffer_mut()))?;
        (self.is_dirty, self.drawn) = (false, Some(Instant::now()));
        Ok(())
    }

    fn typed(&mut self, event: Event, screen: &mut Screen) -> Result<(), CommandError> {
        self.presence.saw(&event);
        // Whoever types does not wait for the next frame's turn.
        (self.is_dirty, self.drawn) = (true, None);
        let Some(tab) = self.tabs.get_mut(self.at) else { return Ok(()) };
        let deed = match event {
            Event::Paste(text) if tab.model.prompt.is_some() => tab.model.answer(&Key::Paste(text)),
            Event::Key(key) if tab.model.prompt.is_some() => {
                let deed = keys::typed(key).and_then(|key| tab.model.answer(&key));
                if !tab.model.sought.is_empty() && tab.model.prompt.is_none() && is_enter(key) {
                    tab.model.find(1, self.size);
                }
                deed
            }
            Event::Key(key) => match keys::action(key) {
                Some(action) => {
                    tab.model.measure(self.size);
                    return self.act(action, screen);
                }
                None => None,
            },
            Event::Mouse(MouseEvent { kind, column, row, .. }) if tab.model.prompt.is_none() => {
                tab.model.measure(self.size);
                tab.model.point(kind, (column, row), self.size);
                None
            }
            _ => None,
        };
        if let Some(deed) = deed {
            tab.perform(&deed, self.context);
        }
        tab.look();
        Ok(())
    }

    fn act(&mut self, action: Action, screen: &mut Screen) -> Result<(), CommandError> {
        let count = self.tabs.len();
        let Some(tab) = self.tabs.get_mut(self.at) else { return Ok(()) };
        match action {
            // The whole group, as the terminal does it: the console under a watcher stops with it.
            Action::Suspend => screen.lend(|| Ok(kill(Pid::from_raw(0), Signal::SIGTSTP)?))?,
            Action::Redraw => screen.clear()?,
            Action::Runs => tab.offer_runs(),
            Action::Found(by) => tab.model.find(by, self.size),
            Action::Tab(nth) if nth < count => self.at = nth,
            Action::Mouse => {
                self.has_mouse = !self.has_mouse;
                screen.mouse(self.has_mouse)?;
            }
            Action::Copy => {
                if let Some(task) = tab.model.task() {
                    screen.copy(task.as_str())?;
                    tab.model.note = Some(format!("~ copied {task}"));
                }
            }
            Action::Whole => pager::open(tab, screen)?,
            action => {
                if let Some(deed) = tab.model.act(action) {
                    tab.perform(&deed, self.context);
                }
            }
        }
        let Some(tab) = self.tabs.get_mut(self.at) else { return Ok(()) };
        if tab.look() {
            self.news = Instant::now();
        }
        Ok(())
    }
}

/// Falls over on a zoomed pane if a test of a debug build asks for it, to see what becomes of the terminal.
fn fall(is_zoomed: bool) {
    if cfg!(debug_assertions) && is_zoomed && variable("WATCH_FALLS_OVER").is_some() {
        std::panic::panic_any("a test asked for it");
    }
}

fn is_enter(key: KeyEvent) -> bool {
    key.code == KeyCode::Enter
}

fn seconds(at: Timestamp) -> i64 {
    at.0.div_euclid(1000)
}
