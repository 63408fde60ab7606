//! The services of models that tools know by the variable of their key. Agents that speak to any of them read these.

use ralph_core::agent_facts::ServiceKey;

/// Each variable and the host of its service.
pub(super) const ALL: &[ServiceKey] = &[
    ServiceKey { variable: "ANTHROPIC_API_KEY", host: "api.anthropic.com" },
    ServiceKey { variable: "CEREBRAS_API_KEY", host: "api.cerebras.ai" },
    ServiceKey { variable: "CLINE_API_KEY", host: "api.cline.bot" },
    ServiceKey { variable: "DASHSCOPE_API_KEY", host: "dashscope.aliyuncs.com" },
    ServiceKey { variable: "DEEPSEEK_API_KEY", host: "api.deepseek.com" },
    ServiceKey { variable: "FIREWORKS_API_KEY", host: "api.fireworks.ai" },
    ServiceKey { variable: "GEMINI_API_KEY", host: "generativelanguage.googleapis.com" },
    ServiceKey {
        variable: "GOOGLE_GENERATIVE_AI_API_KEY",
        host: "generativelanguage.googleapis.com",
    },
    ServiceKey { variable: "GROQ_API_KEY", host: "api.groq.com" },
    ServiceKey { variable: "MISTRAL_API_KEY", host: "api.mistral.ai" },
    ServiceKey { variable: "MOONSHOT_API_KEY", host: "api.moonshot.ai" },
    ServiceKey { variable: "OPENAI_API_KEY", host: "api.openai.com" },
    ServiceKey { variable: "OPENCODE_API_KEY", host: "opencode.ai" },
    ServiceKey { variable: "OPENROUTER_API_KEY", host: "openrouter.ai" },
    ServiceKey { variable: "TOGETHER_API_KEY", host: "api.together.xyz" },
    ServiceKey { variable: "XAI_API_KEY", host: "api.x.ai" },
];

/// The service whose key this variable holds.
pub fn service_of(variable: &str) -> Option<&'static ServiceKey> {
    ALL.iter().find(|key| key.variable == variable)
}
