//! How a worker ends: nothing new is begun, stints get their grace, then they are asked to leave, and the worker goes
//! when the last has published and handed over. Asked a second time, it grants no more grace.

use futures::future::try_join_all;
use temporalio_sdk::Worker;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use super::manner::Manner;
use crate::{hands::Floor, words::count};

/// Who works in one process.
pub(super) struct Crew {
    /// Those who take up something new.
    pub(super) polling: Vec<Worker>,
    /// Who hears what is said to the stints under way.
    pub(super) hearing: Option<Worker>,
    pub(super) floor: Floor,
}

/// How often the worker was asked to end.
pub struct Asked(watch::Receiver<u32>);

impl Asked {
    /// Whoever holds the other end asks.
    pub fn new(times: watch::Receiver<u32>) -> Self {
        Self(times)
    }

    /// Asked by SIGTERM and SIGINT.
    pub fn by_signals() -> anyhow::Result<Self> {
        let (mut term, mut int) =
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let (ask, asked) = watch::channel(0);
        tokio::spawn(async move {
            loop {
                tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
                ask.send_modify(|times| *times += 1);
            }
        });
        Ok(Self(asked))
    }

    async fn times(&mut self, least: u32) {
        if self.0.wait_for(|times| *times >= least).await.is_err() {
            // Nobody is left who could ask.
            std::future::pending::<()>().await;
        }
    }
}

pub(super) async fn run_until_drained(
    crew: Crew,
    manner: &Manner,
    asked: Asked,
) -> anyhow::Result<()> {
    let Crew { mut polling, mut hearing, floor } = crew;
    let stop_polling: Vec<_> = polling.iter().map(Worker::shutdown_handle).collect();
    let stop_hearing = hearing.as_ref().map(Worker::shutdown_handle);
    let end = async {
        leave(&floor, manner, asked, || stop_polling.iter().for_each(|stop| stop())).await;
        if let Some(stop) = stop_hearing {
            stop();
        }
        Ok(())
    };
    let heard = async {
        match &mut hearing {
            Some(worker) => worker.run().await,
            None => Ok(()),
        }
    };
    let polls = try_join_all(polling.iter_mut().map(Worker::run));
    let ended = tokio::try_join!(polls, heard, end);
    if let Err(error) = &ended {
        // Nobody hears of its stints any more, and none must go on without that.
        let stints = count(floor.count(), "stint");
        (manner.say)(&format!("cannot poll: {error}; asking {stints} to end"));
        floor.drain();
        floor.ask_all_to_leave();
        floor.emptied().await;
    }
    ended?;
    (manner.say)("everything is handed over; exiting");
    Ok(())
}

async fn leave(floor: &Floor, manner: &Manner, mut asked: Asked, stop_polling: impl Fn()) {
    asked.times(1).await;
    floor.drain();
    stop_polling();
    let grace = manner.grace.as_secs();
    (manner.say)(&match floor.count() {
        0 => "draining: no stint is running".to_owned(),
        many => format!(
            "draining: {} may continue for {grace} s; a second signal ends them now",
            count(many, "stint")
        ),
    });
    tokio::select! {
        () = floor.emptied() => return,
        () = tokio::time::sleep(manner.grace) => {}
        () = asked.times(2) => {}
    }
    (manner.say)("asking the stints to end");
    floor.ask_all_to_leave();
    floor.emptied().await;
}
