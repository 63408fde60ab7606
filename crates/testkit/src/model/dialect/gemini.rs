//! The dialect of the Gemini API (gemini).

use serde_json::{Value, json};

use super::{Asking, Dialect, Message, each, text_of};
use crate::model::{failure::Failure, script::USAGE};

pub(super) struct Gemini;

impl Dialect for Gemini {
    fn is_at(&self, path: &str) -> bool {
        path.ends_with(":streamGenerateContent") || path.ends_with(":generateContent")
    }

    fn counts(&self, path: &str) -> Option<&'static str> {
        path.ends_with(":countTokens").then_some("totalTokens")
    }

    fn read(&self, body: &Value) -> Asking {
        let functions = each(&body["tools"]).flat_map(|one| each(&one["functionDeclarations"]));
        Asking {
            tools: functions.filter_map(|one| one["name"].as_str()).map(str::to_owned).collect(),
            conversation: text_of(&body["contents"]),
            instructions: text_of(&body["systemInstruction"]),
            schema: Value::Null,
            is_schema_of_text: false,
        }
    }

    fn is_streamed(&self, path: &str, _: &Value) -> bool {
        path.ends_with(":streamGenerateContent")
    }

    fn whole(&self, _: &Value, said: &Message) -> Value {
        let mut parts = vec![json!({"text": said.text})];
        parts.extend(said.call.as_ref().map(|call| {
            json!({"functionCall": {"name": call.name, "args": call.input, "id": said.id("call")}})
        }));
        let content = json!({"role": "model", "parts": parts});
        let asked = said.input + USAGE.cache_read;
        json!({
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "modelVersion": "gemini-scripted",
            "usageMetadata": {
                "promptTokenCount": asked, "cachedContentTokenCount": USAGE.cache_read,
                "candidatesTokenCount": USAGE.output, "totalTokenCount": asked + USAGE.output,
            },
        })
    }

    fn events(&self, body: &Value, said: &Message) -> Vec<Value> {
        vec![self.whole(body, said)]
    }

    fn failure(&self, failure: Failure) -> Value {
        let (status, message) = match failure {
            Failure::UsageLimit { .. } => ("RESOURCE_EXHAUSTED", failure.message()),
            Failure::Overloaded => ("UNAVAILABLE", "The model is overloaded."),
            Failure::LoginRefused => ("UNAUTHENTICATED", "API key not valid."),
            Failure::TooLong => {
                let said = "The input token count exceeds the maximum number of tokens allowed.";
                ("INVALID_ARGUMENT", said)
            }
        };
        let mut error = json!({"code": failure.status(), "message": message, "status": status});
        if let Failure::UsageLimit { seconds } = failure {
            let kind = "type.googleapis.com/google.rpc.RetryInfo";
            error["details"] = json!([{"@type": kind, "retryDelay": format!("{seconds}s")}]);
        }
        json!({"error": error})
    }
}
