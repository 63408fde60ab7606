//! An HTTP server on loopback that keeps what it is sent and answers as a test wants: with a status, elsewhere, never.

use std::{
    io::{self, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Command, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

/// Signs as Standard Webhooks wants it: secret, id and time are arguments, the body is the input.
const SIGN: &str = "import base64, hashlib, hmac, sys\n\
                    key = base64.b64decode(sys.argv[1].removeprefix('whsec_'))\n\
                    text = (sys.argv[2] + '.' + sys.argv[3] + '.').encode() + sys.stdin.buffer.read()\n\
                    print('v1,' + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode())";

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

    /// The signature that it should have, as another language computes it.
    pub fn signature(&self, secret: &str) -> io::Result<String> {
        let (id, at) = (self.header("webhook-id"), self.header("webhook-timestamp"));
        let mut child = Command::new("python3")
            .args(["-c", SIGN, secret, id, at])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(self.body.as_bytes())?;
        }
        let output = child.wait_with_output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
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
