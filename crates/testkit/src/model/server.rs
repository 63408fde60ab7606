//! Serves a script to any number of CLI runs, and remembers what was asked.
//!
//! A request that offers tools uses a step; side requests (titles, probes) get a short text and use none.

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpListener},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use serde_json::{Value, json};

use super::{
    dialect::{self, Asking, Dialect, Message},
    http::{self, Request},
    offer,
    script::{self, Answer, Deed, Step},
    tls,
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
            for mut stream in listener.incoming().flatten() {
                let desk = Arc::clone(&clerk);
                // A client that goes away is normal: CLIs are killed here.
                std::thread::spawn(move || desk.serve(&mut stream));
            }
        });
        Ok(Self { port, desk })
    }

    /// Serves the same script in TLS at another address too.
    pub fn serves_tls(&self, at: SocketAddr) -> io::Result<()> {
        let (listener, config) = (TcpListener::bind(at)?, tls::config()?);
        let clerk = Arc::clone(&self.desk);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (desk, config) = (Arc::clone(&clerk), Arc::clone(&config));
                std::thread::spawn(move || tls::over(config, stream, |stream| desk.serve(stream)));
            }
        });
        Ok(())
    }

    /// Goes on with another script.
    pub fn goes_on(&self, steps: Vec<Step>) {
        self.desk.lock().steps = steps;
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

    /// Steps that nobody asked for, without those that never run out.
    pub fn left(&self) -> usize {
        self.desk.lock().steps.iter().filter(|step| !step.is_endless).count()
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

    fn serve(&self, stream: &mut (impl Read + Write)) -> io::Result<()> {
        let request = http::read(stream)?;
        if request.method == "GET" && request.path.ends_with("/models") {
            let none = json!({"object": "list", "data": [], "models": [], "has_more": false});
            return http::json(stream, 200, &[], &none);
        }
        if let Some(name) = dialect::counter(&request.path) {
            return http::json(stream, 200, &[], &json!({name: script::USAGE.input}));
        }
        let spoken = dialect::of(&request.path).filter(|_| request.method == "POST");
        let Some(dialect) = spoken else {
            let error = json!({"type": "not_found_error", "message": "no such path"});
            return http::json(stream, 404, &[], &json!({"type": "error", "error": error}));
        };
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let asking = dialect.read(&body);
        if asking.tools.is_empty() {
            let input = script::USAGE.input;
            let said = Message { number: 0, text: "ok".into(), call: None, input };
            return say(stream, (dialect, &request, &body), &said);
        }
        let (number, answer, resets_at) = self.take(&asking);
        match answer {
            Answer::Message { text, deed, asked } => {
                let said = Message { input: asked, ..message(number, &asking, text, deed) };
                say(stream, (dialect, &request, &body), &said)
            }
            Answer::Failure(failure) => {
                let headers = failure.headers(resets_at);
                http::json(stream, failure.status(), &headers, &dialect.failure(failure))
            }
            // The connection stays open until the client has gone.
            Answer::Hang => stream.read(&mut [0; 64]).map(drop),
        }
    }

    /// The step for a request, and what is said of it.
    fn take(&self, asking: &Asking) -> (usize, Answer, Option<SystemTime>) {
        let mut state = self.lock();
        let fits = |step: &Step| asking.conversation.contains(&step.when);
        let answer = match state.steps.iter().position(fits) {
            Some(nth) if state.steps[nth].is_endless => state.steps[nth].answer.clone(),
            Some(nth) => state.steps.remove(nth).answer,
            None => {
                state.unscripted += 1;
                let text = "The script has no step for this.".into();
                Answer::Message { text, deed: None, asked: script::USAGE.input }
            }
        };
        let at = SystemTime::now();
        let resets_at = match answer {
            Answer::Failure(failure) => failure.resets_at(at),
            _ => None,
        };
        state.asked.push(Asked {
            conversation: asking.conversation.clone(),
            instructions: asking.instructions.clone(),
            schema: asking.schema.clone(),
            at,
            resets_at,
        });
        self.changed.notify_all();
        (state.asked.len(), answer, resets_at)
    }
}

/// The word that the newest prompt wants a review to carry, after a space; empty if it wants none.
fn seal(conversation: &str) -> &str {
    let asked = conversation.rsplit_once("`ralph-handoff").map_or("", |(_, rest)| rest);
    asked
        .split_once("`, holding")
        .map(|(word, _)| word)
        .filter(|word| word.len() < 20)
        .unwrap_or("")
}

/// An answer with the means that the asking CLI has. A report for which it has no tool is the answer's text:
/// alone where a form of the text was asked for, else in a block.
fn message(number: usize, asking: &Asking, text: String, deed: Option<Deed>) -> Message {
    let call = deed.as_ref().and_then(|deed| offer::call(deed, &asking.tools));
    let text = match deed {
        Some(Deed::Report { report }) if call.is_none() && asking.is_schema_of_text => {
            report.to_string()
        }
        Some(Deed::Report { report }) if call.is_none() => {
            format!("{text}\n\n```ralph-handoff{}\n{report}\n```\n", seal(&asking.conversation))
        }
        _ => text,
    };
    Message { number, text, call, input: script::USAGE.input }
}

/// Answers with a message in the way that was asked for.
fn say(
    stream: &mut impl Write,
    (dialect, request, body): (&dyn Dialect, &Request, &Value),
    said: &Message,
) -> io::Result<()> {
    if !dialect.is_streamed(&request.path, body) {
        return http::json(stream, 200, &[], &dialect.whole(body, said));
    }
    http::head(stream, 200, "text/event-stream", &[])?;
    for event in dialect.events(body, said) {
        http::event(stream, &event)?;
    }
    write!(stream, "{}", dialect.last_line())
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;
    use crate::model::Failure;

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
            Step::fails(Failure::UsageLimit { seconds: 60 }),
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

    #[test]
    fn every_dialect_gives_the_same_script_in_its_own_words() -> io::Result<()> {
        let report = || Step::reports(json!({"question": "why"}));
        let words = |text: &str| json!([{"role": "user", "content": text}]);
        let function = |name: &str| json!([{"type": "function", "function": {"name": name}}]);
        let form = json!({"format": {"type": "json_schema", "schema": {"type": "object"}}});
        for (path, body, call, told) in [
            (
                "/v1/responses",
                json!({"stream": true, "tools": [{"name": "exec_command"}], "input": words("do it"), "text": form}),
                r#""arguments":"{\"cmd\":\"make\"}""#,
                r#""text":"{\"question\":\"why\"}""#,
            ),
            (
                "/v1/chat/completions",
                json!({"stream": true, "tools": function("bash"), "messages": words("do it")}),
                r#""name":"bash""#,
                r#"```ralph-handoff\n{\"question\""#,
            ),
            (
                "/v1/chat/completions",
                json!({"tools": function("structured_output"), "messages": words("do it")}),
                "I run a command.",
                r#""arguments":"{\"question\":\"why\"}""#,
            ),
            (
                "/v1beta/models/m:streamGenerateContent",
                json!({
                    "tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}],
                    "contents": [{"role": "user", "parts": [{"text": "do it"}]}],
                }),
                r#""functionCall":{"#,
                r#"```ralph-handoff\n{\"question\""#,
            ),
        ] {
            let model = Model::start(vec![Step::runs("make").when("do it"), report()])?;
            for expected in [call, told] {
                let answer = ask(&model, path, &body)?;
                assert!(answer.contains(expected), "{path}: {expected}: {answer}");
            }
            assert_eq!((model.left(), model.unscripted()), (0, 0));
        }
        Ok(())
    }

    #[test]
    fn an_endless_step_is_there_for_every_request() -> io::Result<()> {
        let model = Model::start(vec![Step::fails(Failure::Overloaded).always()])?;
        for path in ["/v1/messages", "/v1/messages"] {
            assert!(ask(&model, path, &asks("x"))?.starts_with("HTTP/1.1 529"));
        }
        assert_eq!((model.left(), model.unscripted(), model.asked().len()), (0, 0, 2));
        Ok(())
    }
}
