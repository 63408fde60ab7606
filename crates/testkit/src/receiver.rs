//! An HTTP server on loopback that keeps what it is sent and answers as a test wants: with a status, elsewhere, never.

use std::{
    io::{self, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

/// What a request is answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Status(u16),
    /// A redirect to this address.
    Elsewhere(String),
    /// Nothing, and the connection stays open.
    Never,
}

/// A request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `POST /path HTTP/1.1`.
    pub line: String,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Request {
    /// The value of a header; empty if it has none.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// The body as JSON; null if it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// The server. Its threads end with the process.
pub struct Receiver {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Receiver {
    /// Answers one request after the other like this; the last answer holds for all that follow.
    pub fn start(answers: Vec<Answer>) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, answers) = (Arc::clone(&kept), answers.clone());
                thread::spawn(move || serve(stream, &kept, &answers));
            }
        });
        Ok(Self { address, requests })
    }

    /// Its address with this path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Everything it was sent so far.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.requests).clone()
    }
}

fn lock(requests: &Mutex<Vec<Request>>) -> MutexGuard<'_, Vec<Request>> {
    requests.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(stream: TcpStream, requests: &Mutex<Vec<Request>>, answers: &[Answer]) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut stream = stream;
    let request = read(&mut reader)?;
    let nth = {
        let mut requests = lock(requests);
        requests.push(request);
        requests.len() - 1
    };
    match answers.get(nth).or(answers.last()) {
        Some(Answer::Status(code)) => {
            write!(stream, "HTTP/1.1 {code} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        }
        Some(Answer::Elsewhere(url)) => write!(
            stream,
            "HTTP/1.1 307 X\r\nlocation: {url}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        ),
        Some(Answer::Never) | None => {
            // Until the other side gives up.
            let _ = reader.read(&mut [0]);
            Ok(())
        }
    }
}

fn read(reader: &mut impl io::BufRead) -> io::Result<Request> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut request =
        Request { line: line.trim_end().to_owned(), headers: Vec::new(), body: String::new() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = request.header("content-length").parse().unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    request.body = String::from_utf8_lossy(&body).into_owned();
    Ok(request)
}
