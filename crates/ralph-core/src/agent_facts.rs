//! What ralph knows about an agent before it is called: for `ralph agents`, `doctor` and the brief. Names none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the machine must know of an agent, pinned when a run starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Abilities {
    /// It hands over by structured output of its own.
    pub is_structured: bool,
    /// It can be asked to compact memory.
    pub can_compact: bool,
}

/// An agent's name for people: the file name of the program, without its path and arguments.
pub fn short_name(command: &str) -> String {
    let words = shell_words::split(command).unwrap_or_default();
    let program = words.first().map_or(command, String::as_str).trim_end_matches('/');
    program.rsplit('/').next().unwrap_or(program).to_owned()
}

/// All that is known of one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an ability of its own that people are shown"
)]
pub struct Facts {
    /// The npm package that installs it; empty if there is none.
    pub package: &'static str,
    /// Version ralph was tested with; empty if with none.
    pub tested: &'static str,
    pub handoff: HandoffBy,
    pub prompt: PromptBy,
    pub spending: Spending,
    /// It can be given a most number of turns.
    pub limits_turns: bool,
    /// It can be given a most sum of money.
    pub limits_money: bool,
    /// It tells a session's id.
    pub names_session: bool,
    /// It tells when a usage limit ends.
    pub tells_reset: bool,
    /// Arguments with which the tool tells by its exit code whether it is logged in.
    pub login: Option<&'static [&'static str]>,
    /// Hosts of its service, as rules of the network: `example.org`, or `*.example.org` for all below it.
    pub hosts: &'static [&'static str],
    /// How its key can be kept out of the box.
    pub relay: Option<Relay>,
    /// Keys that it reads by itself and that no relay adds: they are in its box as they are.
    pub keys: &'static [ServiceKey],
    /// Variables of the user that set it up, and no key. One that ends in `*` stands for all that begin so.
    pub variables: &'static [&'static str],
    /// Files of its login below the home folder. It gets copies of them without refresh tokens.
    pub login_files: &'static [&'static str],
    /// Files of its configuration below the home folder. They can name programs, so that what a box made of
    /// them must never be kept.
    pub config_files: &'static [&'static str],
    /// How people move the folder of its configuration and login.
    pub config_home: Option<ConfigHome>,
    /// The command that makes a login which does not end soon, and the variable that it is for.
    pub lasting_login: Option<(&'static str, &'static str)>,
    /// No run with a real account was ever seen.
    pub is_experimental: bool,
}

impl Facts {
    /// Whether this variable of the user sets it up. A key does not, nor does one that moves its files: in a box they
    /// are where it looks first.
    pub fn is_set_up_by(&self, variable: &str) -> bool {
        let is_moved = self.config_home.is_some_and(|home| home.variable == variable);
        let is_key = self.keys.iter().any(|key| key.variable == variable);
        let is_named = self.variables.iter().any(|name| match name.strip_suffix('*') {
            Some(start) => variable.starts_with(start),
            None => *name == variable,
        });
        is_named && !is_moved && !is_key
    }
}

/// The variable that moves the folder of an agent's configuration and login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ConfigHome {
    pub variable: &'static str,
    /// The folder is this one below what the variable names; empty if it is that itself.
    pub below: &'static str,
}

/// How an agent is made to ask ralph, who adds the key, and not its service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Relay {
    /// Stands in the path of its requests.
    pub name: &'static str,
    /// Variable by which the user names another address, and by which the agent learns of the relay.
    pub base_url: &'static str,
    /// Option and setting by which it learns of it instead, if it reads no such variable.
    pub base_url_option: Option<(&'static str, &'static str)>,
    /// Variables that can hold its key; the first that is set counts.
    pub keys: &'static [Key],
    /// Where it goes if the user names no other address; `None` if it has no address of its own.
    pub upstream: Option<&'static str>,
    /// Where there is a key it is used whatever else is there, so that no login is needed.
    pub replaces_login: bool,
    /// The requests that get the key. All others are refused.
    pub requests: &'static [Request],
    /// Variable that holds headers for each request, a line each: they are added outside like the key.
    pub headers: Option<&'static str>,
}

/// One kind of request to a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Request {
    pub method: &'static str,
    /// Path below the service's address; `*` stands for one name.
    pub path: &'static str,
}

impl Request {
    /// To be read.
    pub const fn get(path: &'static str) -> Self {
        Self { method: "GET", path }
    }

    /// To be answered.
    pub const fn post(path: &'static str) -> Self {
        Self { method: "POST", path }
    }
}

/// One variable that can hold an agent's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Key {
    pub variable: &'static str,
    pub header: KeyHeader,
    /// What the agent gets in its place; opens nothing.
    pub stand_in: &'static str,
}

/// A variable that holds a key, and the host that the key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ServiceKey {
    pub variable: &'static str,
    pub host: &'static str,
}

/// The header in which a service wants its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyHeader {
    XApiKey,
    XGoogApiKey,
    /// `Authorization: Bearer`.
    Bearer,
}

impl KeyHeader {
    /// The header's name, in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::XApiKey => "x-api-key",
            Self::XGoogApiKey => "x-goog-api-key",
            Self::Bearer => "authorization",
        }
    }

    /// The header's value for this key.
    pub fn value(self, key: &str) -> String {
        match self {
            Self::XApiKey | Self::XGoogApiKey => key.to_owned(),
            Self::Bearer => format!("Bearer {key}"),
        }
    }
}

/// How an agent hands over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffBy {
    /// By structured output of its own.
    Schema,
    /// By a fenced block in its last message.
    Block,
}

/// How an agent gets its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PromptBy {
    Stdin,
    Argument,
    File,
}

/// What an agent tells of its spending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Spending {
    Money,
    Tokens,
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_the_program_and_not_its_whole_command_line() {
        for (command, name) in [
            ("claude", "claude"),
            ("'/opt/my agents/run-it' --model x --very long", "run-it"),
            ("python3 agent.py", "python3"),
            ("'unbalanced", "'unbalanced"),
            ("", ""),
        ] {
            assert_eq!(short_name(command), name, "{command}");
        }
    }
}
