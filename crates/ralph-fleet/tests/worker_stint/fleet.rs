//! Real workers in this process, each on a thread of its own.

use std::{
    fs,
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread::JoinHandle,
    time::Duration,
};

use ralph_fleet::{
    stint::Host,
    wire::{BRAIN_QUEUE, Carry, LoopEnd, LoopInput, LoopSpec},
    worker::{self, Asked, HandsRole, Manner, Role, SelfTest},
    workflow::looping::LoopRun,
};
use temporalio_client::{
    Client, WorkflowFetchHistoryOptions, WorkflowGetResultOptions, WorkflowHandle,
    WorkflowStartOptions,
};
use temporalio_common::HasWorkflowDefinition;
use tokio::sync::watch;

use crate::{server::Server, site::Site};

/// The workers of one account.
pub(crate) struct Fleet {
    account: &'static str,
    pub(crate) client: Client,
    /// Where those who are hired next find the server.
    pub(crate) port: u16,
    /// Where they serve their metrics.
    pub(crate) metrics: Option<SocketAddr>,
    /// What they said to their logs.
    pub(crate) said: Arc<Mutex<Vec<String>>>,
    workers: Vec<Hired>,
}

struct Hired {
    ask: watch::Sender<u32>,
    thread: Option<JoinHandle<anyhow::Result<()>>>,
}

/// A worker that is killed when it is no longer needed.
pub(crate) struct Process(Child);

impl Process {
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Megabytes in memory: its own, and those of all processes below it.
    pub(crate) fn memory(&self) -> (u64, u64) {
        let own = self.0.id();
        let all: Vec<(u32, u32, u64)> = fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| status(&entry.ok()?.path()))
            .collect();
        let mut below = vec![own];
        let mut seen = 0;
        while let Some(parent) = below.get(seen).copied() {
            below.extend(all.iter().filter(|one| one.1 == parent).map(|one| one.0));
            seen += 1;
        }
        let of = |pid: u32| all.iter().find(|one| one.0 == pid).map_or(0, |one| one.2);
        (of(own) / 1024, below.iter().skip(1).map(|pid| of(*pid)).sum::<u64>() / 1024)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A process, its parent, and its kilobytes in memory, those included that it shares.
fn status(folder: &Path) -> Option<(u32, u32, u64)> {
    let text = fs::read_to_string(folder.join("status")).ok()?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let number = |name: &str| u32::try_from(field(name)?).ok();
    Some((number("Pid:")?, number("PPid:")?, field("VmRSS:")?))
}

/// One of the workers.
#[derive(Clone, Copy)]
pub(crate) struct Which(usize);

impl Fleet {
    pub(crate) async fn new(account: &'static str) -> Self {
        let server = Server::shared();
        let (client, port) = (server.client().await, server.port());
        Self { account, client, port, metrics: None, said: Arc::default(), workers: Vec::new() }
    }

    pub(crate) fn brain(&mut self) -> Which {
        self.hire(Role { decides: true, hands: None })
    }

    pub(crate) fn hands(&mut self, site: &Site, name: &str) -> Which {
        self.hands_of(site.host(name), name)
    }

    /// Hands on an account whose limit the agents meet as `limited_agent.sh` says.
    pub(crate) fn limited_hands(&mut self, site: &Site, name: &str) -> Which {
        let host = site.host(name);
        let settings = host.home.as_ref().unwrap().join(".config/ralph/settings.toml");
        let text = fs::read_to_string(&settings).unwrap();
        let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
        let text = text
            .replace("stint_work/agent.sh", "worker_stint/limited_agent.sh")
            .replace("readable = [", &format!("readable = [\"{tests}\", "))
            .replace("[agent]", "endings.usage_limit = 'quota used up'\n[agent]");
        fs::write(settings, text).unwrap();
        self.hands_of(host, name)
    }

    pub(crate) fn hands_of(&mut self, mut host: Host, name: &str) -> Which {
        // No two hosts of one server share a name.
        host.name = format!("{}-{name}", self.account);
        let account = self.account.to_owned();
        self.hire(Role {
            decides: false,
            hands: Some(HandsRole { account, host, slots: 2, self_test: SelfTest::Needed }),
        })
    }

    /// Hands in a process of their own, which can be killed.
    pub(crate) fn process(&self, site: &Site, name: &str) -> Process {
        let host = site.host(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_ralph-fleet"));
        command.args(["worker", "--role", "hands", "--slots", "2", "--probe", "200ms"]);
        command.args(["--account", self.account, "--host", &format!("{}-{name}", self.account)]);
        command
            .arg("--local")
            .arg(&host.local[0])
            .arg("--root")
            .arg(&host.root)
            .arg("--ralph")
            .arg(&host.ralph);
        command.arg("--home").arg(host.home.as_ref().unwrap());
        command.env("TEMPORAL_ADDRESS", format!("127.0.0.1:{}", self.port));
        Process(command.stderr(Stdio::null()).spawn().unwrap())
    }

    fn hire(&mut self, role: Role) -> Which {
        let (ask, asked) = watch::channel(0);
        let (port, said) = (self.port, Arc::clone(&self.said));
        let manner = Manner {
            grace: Duration::ZERO,
            probe: Duration::from_millis(200),
            metrics: self.metrics,
            say: Arc::new(move |text: &str| said.lock().unwrap().push(text.to_owned())),
        };
        let thread = std::thread::spawn(move || {
            let tokio = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            tokio.block_on(async {
                // Two workers of one process may share a queue, but not a connection.
                let client = Server::client_at(port).await;
                worker::run(client, role, manner, Asked::new(asked)).await
            })
        });
        self.workers.push(Hired { ask, thread: Some(thread) });
        Which(self.workers.len() - 1)
    }

    /// Asks a worker to end, and waits until it has.
    pub(crate) async fn drain(&mut self, which: Which) {
        let hired = self.workers.get_mut(which.0).unwrap();
        hired.ask.send_modify(|times| *times += 1);
        self.ended(which).await.unwrap();
    }

    /// Waits until a worker has ended by itself.
    pub(crate) async fn ended(&mut self, which: Which) -> anyhow::Result<()> {
        let thread = self.workers.get_mut(which.0).unwrap().thread.take().unwrap();
        tokio::task::spawn_blocking(|| thread.join().unwrap()).await.unwrap()
    }

    pub(crate) async fn submit(&self, spec: LoopSpec) -> WorkflowHandle<Client, LoopRun> {
        let spec = LoopSpec { account: self.account.to_owned(), ..spec };
        let id = format!("loop/{}/{}", self.account, spec.branch);
        let options = WorkflowStartOptions::new(BRAIN_QUEUE, id).build();
        let input = LoopInput { spec, carry: Carry::default() };
        let started = self.client.start_workflow(LoopRun::run, input, options).await.unwrap();
        self.client.get_workflow_handle(started.info().workflow_id.clone())
    }

    /// Keeps a workflow's history for `replay.rs`, if that is wanted.
    pub(crate) async fn keep<W: HasWorkflowDefinition>(&self, id: &str, name: &str) {
        if std::env::var_os("RECORD_HISTORIES").is_none() {
            return;
        }
        let own = self.client.get_workflow_handle::<W>(id);
        let json =
            own.fetch_history(WorkflowFetchHistoryOptions::default()).to_json().await.unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/histories");
        fs::write(format!("{folder}/{name}.json"), json).unwrap();
    }

    pub(crate) async fn end(&self, of: &WorkflowHandle<Client, LoopRun>) -> LoopEnd {
        let result = of.get_result(WorkflowGetResultOptions::default());
        tokio::time::timeout(Duration::from_mins(2), result)
            .await
            .expect("the loop does not end")
            .unwrap()
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        self.workers.iter().for_each(|hired| hired.ask.send_modify(|times| *times += 2));
    }
}
