//! The real server, on loopback, as long as the test program lives.

use std::{
    net::TcpListener,
    process::{Child, Command, Stdio},
    str::FromStr as _,
    sync::OnceLock,
    time::{Duration, Instant},
};

use temporalio_client::{Client, ClientOptions, Connection, ConnectionOptions, Url};

const ATTRIBUTES: [&str; 7] = [
    "RalphState=Keyword",
    "RalphTenant=Keyword",
    "RalphAccount=Keyword",
    "RalphRepo=Keyword",
    "RalphDone=Int",
    "RalphTasks=Int",
    "RalphCostMicroUsd=Int",
];

/// One for all tests of a file.
pub(crate) struct Server {
    port: u16,
    _folder: tempfile::TempDir,
    /// The shell around it ends the server when its input is closed, also by the death of the test.
    _shell: Child,
}

impl Server {
    pub(crate) fn shared() -> &'static Self {
        static SERVER: OnceLock<Server> = OnceLock::new();
        SERVER.get_or_init(Self::start)
    }

    fn start() -> Self {
        let program = std::env::var("TEMPORAL_BIN")
            .expect("TEMPORAL_BIN names the server's program (just fleet-server puts it there)");
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut words: Vec<String> =
            "server start-dev --headless --ip 127.0.0.1 --log-level error --port"
                .split(' ')
                .map(str::to_owned)
                .collect();
        words.push(port.to_string());
        for attribute in ATTRIBUTES {
            words.extend(["--search-attribute".to_owned(), attribute.to_owned()]);
        }
        let shell = Command::new("sh")
            .args(["-c", "\"$@\" >/dev/null 2>&1 & read -r _; kill $!", "sh", &program])
            .args(words)
            .current_dir(&folder)
            .env("HOME", folder.path())
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        Self { port, _folder: folder, _shell: shell }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// A client, once the server answers.
    pub(crate) async fn client(&self) -> Client {
        Self::client_at(self.port()).await
    }

    /// The same by another way.
    pub(crate) async fn client_at(port: u16) -> Client {
        let target = Url::from_str(&format!("http://127.0.0.1:{port}")).unwrap();
        let until = Instant::now() + Duration::from_mins(1);
        loop {
            let options = ConnectionOptions::new(target.clone()).identity("test").build();
            match Connection::connect(options).await {
                Ok(connection) => {
                    return Client::new(connection, ClientOptions::new("default").build()).unwrap();
                }
                Err(error) => {
                    assert!(Instant::now() < until, "the server does not come up: {error}");
                }
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}
