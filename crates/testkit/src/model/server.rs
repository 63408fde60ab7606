//! Serves a script to any number of CLI runs, and remembers what was asked.
//!
//! A request that offers tools uses a step; side requests (titles, probes) get a short text and use none.

use std::{
    io::{self, Read},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

use super::{
    http, script,
    script::{Answer, Step},
    wire,
};

/// A running server; it lives as long as the process.
pub struct Model {
    port: u16,
    desk: Arc<Desk>,
}

/// One request for the model's work.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Everything that was said before, without the CLI's own instructions.
    pub conversation: String,
    /// The CLI's own instructions.
    pub instructions: String,
    /// The form in which the answer must be handed over; null if there is none.
    pub schema: Value,
    /// When it came.
    pub at: SystemTime,
    /// When the answer said that the allowance comes back.
    pub resets_at: Option<SystemTime>,
}

#[derive(Default)]
struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    steps: Vec<Step>,
    asked: Vec<Asked>,
    unscripted: usize,
}

impl Model {
    /// Starts to serve on a free port of the calling thread's network.
    pub fn start(steps: Vec<Step>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let desk = Arc::new(Desk::default());
        desk.lock().steps = steps;
        let clerk = Arc::clone(&desk);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let desk = Arc::clone(&clerk);
                // A client that goes away is normal: CLIs are killed here.
                std::thread::spawn(move || desk.serve(stream));
            }
        });
        Ok(Self { port, desk })
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// All requests so far that used a step.
    pub fn asked(&self) -> Vec<Asked> {
        self.desk.lock().asked.clone()
    }

    /// Requests for which the script had no step; a test's script is right only if there are none.
    pub fn unscripted(&self) -> usize {
        self.desk.lock().unscripted
    }

    /// Steps that nobody asked for.
    pub fn left(&self) -> usize {
        self.desk.lock().steps.len()
    }

    /// Waits for the nth request, from 1.
    pub fn wait_for(&self, nth: usize, longest: Duration) -> io::Result<()> {
        let end = Instant::now() + longest;
        let mut state = self.desk.lock();
        while state.asked.len() < nth {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let came = state.asked.len();
                return Err(io::Error::other(format!("only {came} of {nth} requests came")));
            }
            let waited = self.desk.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        let request = http::read(&stream)?;
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        if request.method == "POST" && request.path.ends_with("/messages/count_tokens") {
            return wire::json(
                &mut stream,
                200,
                &[],
                &json!({"input_tokens": script::USAGE.input}),
            );
        }
        if request.method != "POST" || !request.path.ends_with("/messages") {
            return wire::error(&mut stream, 404, &[], ("not_found_error", "no such path"));
        }
        if body["tools"].as_array().is_none_or(Vec::is_empty) {
            let said = wire::Message { number: 0, text: "ok", tool: None };
            return wire::message(&mut stream, &body, &said);
        }
        let (number, answer, resets_at) = self.take(&body);
        answer_with(&mut stream, &body, number, &answer, resets_at)
    }

    /// The step for a request, and what is said of it.
    fn take(&self, body: &Value) -> (usize, Answer, Option<SystemTime>) {
        let conversation = wire::conversation(body);
        let mut state = self.lock();
        let fitting = state.steps.iter().position(|step| conversation.contains(&step.when));
        let answer = if let Some(at) = fitting {
            state.steps.remove(at).answer
        } else {
            state.unscripted += 1;
            Answer::Message { text: "The script has no step for this.".into(), tool: None }
        };
        let at = SystemTime::now();
        let resets_at = match answer {
            Answer::UsageLimit { seconds } => {
                Some(whole_seconds(at + Duration::from_secs(seconds)))
            }
            _ => None,
        };
        let instructions = body["system"].to_string();
        let schema = wire::schema(body);
        state.asked.push(Asked { conversation, instructions, schema, at, resets_at });
        self.changed.notify_all();
        (state.asked.len(), answer, resets_at)
    }
}

fn answer_with(
    stream: &mut TcpStream,
    asked: &Value,
    number: usize,
    answer: &Answer,
    resets_at: Option<SystemTime>,
) -> io::Result<()> {
    match answer {
        Answer::Message { text, tool } => {
            wire::message(stream, asked, &wire::Message { number, text, tool: tool.as_ref() })
        }
        Answer::Failure { status, kind, message } => {
            wire::error(stream, *status, &[], (kind, message))
        }
        Answer::UsageLimit { .. } => {
            let said = "This request would exceed the account's rate limit.";
            wire::error(stream, 429, &allowance(resets_at), ("rate_limit_error", said))
        }
        // The connection stays open until the client has gone.
        Answer::Hang => stream.read(&mut [0; 64]).map(drop),
    }
}

/// The headers by which a subscription's limits are told.
fn allowance(resets_at: Option<SystemTime>) -> Vec<(String, String)> {
    let seconds = resets_at.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let reset = seconds.unwrap_or_default().as_secs().to_string();
    [
        ("status", "rejected"),
        ("reset", &reset),
        ("representative-claim", "five_hour"),
        ("5h-status", "rejected"),
        ("5h-reset", &reset),
        ("5h-utilization", "1.0"),
    ]
    .map(|(name, value)| (format!("anthropic-ratelimit-unified-{name}"), value.to_owned()))
    .into()
}

fn whole_seconds(at: SystemTime) -> SystemTime {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn ask(model: &Model, path: &str, body: &Value) -> io::Result<String> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, model.port))?;
        let body = body.to_string();
        write!(stream, "POST {path} HTTP/1.1\r\ncontent-length: {}\r\n\r\n{body}", body.len())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }

    fn asks(words: &str) -> Value {
        json!({"model": "m", "tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": words}]})
    }

    #[test]
    fn the_first_step_that_fits_is_used_once_and_side_requests_use_none() -> io::Result<()> {
        let model = Model::start(vec![
            Step::runs("make two").when("task two"),
            Step::says("any"),
            Step::refuses_for(60),
        ])?;
        let side = json!({"messages": [{"role": "user", "content": "a title for task two"}]});
        assert!(ask(&model, "/v1/messages", &side)?.contains("\"ok\""));
        assert!(ask(&model, "/v1/messages/count_tokens", &side)?.contains("input_tokens"));
        assert!(ask(&model, "/elsewhere", &side)?.starts_with("HTTP/1.1 404"));
        assert_eq!((model.left(), model.asked().len()), (3, 0));
        assert!(ask(&model, "/v1/messages", &asks("task one"))?.contains("\"any\""));
        let mut streamed = asks("task two");
        streamed["stream"] = true.into();
        let answer = ask(&model, "/v1/messages", &streamed)?;
        assert!(answer.contains("make two") && answer.contains("event: message_stop"), "{answer}");
        let refused = ask(&model, "/v1/messages", &asks("task two"))?;
        assert!(refused.starts_with("HTTP/1.1 429"), "{refused}");
        assert!(refused.contains("anthropic-ratelimit-unified-reset: 1"), "{refused}");
        assert_eq!((model.left(), model.unscripted()), (0, 0));
        ask(&model, "/v1/messages", &asks("task two"))?;
        assert_eq!(model.unscripted(), 1);
        Ok(())
    }
}
