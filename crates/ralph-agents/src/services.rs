//! The services of models that tools know by the variable of their key. Agents that speak to any of them read these.

use ralph_core::agent_facts::ServiceKey;

/// Each variable and the host of its service.
pub(super) const ALL: &[ServiceKey] = &[
    key("ANTHROPIC_API_KEY", "api.anthropic.com"),
    key("CEREBRAS_API_KEY", "api.cerebras.ai"),
    key("CLINE_API_KEY", "api.cline.bot"),
    key("DASHSCOPE_API_KEY", "dashscope.aliyuncs.com"),
    key("DEEPSEEK_API_KEY", "api.deepseek.com"),
    key("FIREWORKS_API_KEY", "api.fireworks.ai"),
    key("GEMINI_API_KEY", "generativelanguage.googleapis.com"),
    key("GOOGLE_GENERATIVE_AI_API_KEY", "generativelanguage.googleapis.com"),
    key("GROQ_API_KEY", "api.groq.com"),
    key("MISTRAL_API_KEY", "api.mistral.ai"),
    key("MOONSHOT_API_KEY", "api.moonshot.ai"),
    key("OPENAI_API_KEY", "api.openai.com"),
    key("OPENCODE_API_KEY", "opencode.ai"),
    key("OPENROUTER_API_KEY", "openrouter.ai"),
    key("TOGETHER_API_KEY", "api.together.xyz"),
    key("XAI_API_KEY", "api.x.ai"),
];

const fn key(variable: &'static str, host: &'static str) -> ServiceKey {
    ServiceKey { variable, host }
}

/// The service whose key this variable holds.
pub fn service_of(variable: &str) -> Option<&'static ServiceKey> {
    ALL.iter().find(|key| key.variable == variable)
}
