//! The typed settings, with their defaults. One struct per table of `settings.toml`.

mod agent;
mod agents;
mod attempts;
mod endings;
mod gates;
mod guard;
mod limits;
mod memory;
mod notify;
mod place;
mod prompt;
mod report;
mod review;
mod root;
mod secrets;

pub use agent::{AgentSettings, KindAgent, ResolvedAgent};
pub use agents::{CustomAgent, EndingName, MODEL_PLACE, PROMPT_PLACE};
pub use attempts::{Attempts, Escalation, MayAmend, OnReject, PlanSettings};
pub use endings::{Endings, Policy};
pub use gates::{BaselineMode, Gate, GateRoom, GatesSettings, ProtectMode, Strategy};
pub use guard::{GuardException, GuardRule, GuardSettings};
pub use limits::{Limits, Timeout, Timeouts};
pub use memory::{CompactBy, MemorySettings};
pub use notify::{ChannelKind, NotifyChannel, NotifyDetail, NotifySettings, Occasion};
pub use place::{Git, MessageSource, Sandbox, SandboxMode, Scm, WorkspaceMode};
pub use prompt::{Claims, Display, Face, PromptSettings, ThemeChoice};
pub use report::ReportSettings;
pub use review::{AtCap, Quality, Review};
pub use root::Settings;
pub use secrets::SecretSettings;
