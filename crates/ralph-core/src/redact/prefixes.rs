//! Kinds of tokens that are told by how they begin: prefix, alphabet and shortest length.

use super::window::{is_alphanumeric, is_base64, is_hex, is_token};

/// A token that begins with a fixed prefix.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prefix {
    pub(super) kind: &'static str,
    pub(super) begins: &'static str,
    pub(super) is_in: fn(u8) -> bool,
    /// Fewest bytes after the prefix.
    pub(super) least: usize,
}

const fn one(
    kind: &'static str,
    begins: &'static str,
    is_in: fn(u8) -> bool,
    least: usize,
) -> Prefix {
    Prefix { kind, begins, is_in, least }
}

fn is_upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_dotted(byte: u8) -> bool {
    is_token(byte) || byte == b'.'
}

/// Every known prefix. The first that fits a text names its kind.
pub(super) const PREFIXES: &[Prefix] = &[
    one("anthropic-key", "sk-ant-", is_token, 20),
    one("openrouter-key", "sk-or-v1-", is_hex, 32),
    one("openai-key", "sk-proj-", is_token, 20),
    one("openai-key", "sk-svcacct-", is_token, 20),
    one("openai-key", "sk-admin-", is_token, 20),
    one("openai-key", "sk-", is_alphanumeric, 20),
    one("github-token", "ghp_", is_alphanumeric, 30),
    one("github-token", "gho_", is_alphanumeric, 30),
    one("github-token", "ghu_", is_alphanumeric, 30),
    one("github-token", "ghs_", is_alphanumeric, 30),
    one("github-token", "ghr_", is_alphanumeric, 30),
    one("github-token", "github_pat_", is_word, 36),
    one("aws-access-key", "AKIA", is_upper, 16),
    one("aws-access-key", "ASIA", is_upper, 16),
    one("slack-token", "xoxa-", is_token, 16),
    one("slack-token", "xoxb-", is_token, 16),
    one("slack-token", "xoxe-", is_token, 16),
    one("slack-token", "xoxe.xox", is_dotted, 16),
    one("slack-token", "xoxp-", is_token, 16),
    one("slack-token", "xoxr-", is_token, 16),
    one("slack-token", "xoxs-", is_token, 16),
    one("slack-token", "xoxc-", is_token, 16),
    one("slack-token", "xoxd-", is_token, 16),
    one("slack-token", "xapp-", is_token, 16),
    one("google-oauth-token", "ya29.", is_dotted, 20),
    one("google-client-secret", "GOCSPX-", is_token, 20),
    one("npm-token", "npm_", is_alphanumeric, 30),
    one("gitlab-token", "glpat-", is_dotted, 18),
    one("gitlab-token", "gldt-", is_token, 18),
    one("gitlab-token", "glrt-", is_token, 18),
    one("gitlab-token", "glptt-", is_token, 18),
    one("gitlab-token", "glcbt-", is_token, 18),
    one("stripe-key", "sk_live_", is_alphanumeric, 16),
    one("stripe-key", "rk_live_", is_alphanumeric, 16),
    one("stripe-key", "sk_test_", is_alphanumeric, 16),
    one("stripe-key", "rk_test_", is_alphanumeric, 16),
    one("stripe-webhook-secret", "whsec_", is_base64, 24),
    one("huggingface-token", "hf_", is_alphanumeric, 30),
    one("digitalocean-token", "dop_v1_", is_hex, 40),
    one("digitalocean-token", "doo_v1_", is_hex, 40),
    one("digitalocean-token", "dor_v1_", is_hex, 40),
    one("pypi-token", "pypi-AgE", is_token, 30),
    one("docker-token", "dckr_pat_", is_token, 20),
    one("shopify-token", "shpat_", is_hex, 30),
    one("shopify-token", "shpss_", is_hex, 30),
    one("linear-key", "lin_api_", is_alphanumeric, 30),
    one("notion-token", "ntn_", is_alphanumeric, 40),
    one("sentry-token", "sntrys_", is_base64, 30),
    one("sentry-token", "sntryu_", is_hex, 40),
    one("vault-token", "hvs.", is_token, 24),
    one("tailscale-key", "tskey-", is_token, 20),
    one("rubygems-key", "rubygems_", is_hex, 40),
    one("postman-key", "PMAK-", is_token, 40),
    one("groq-key", "gsk_", is_alphanumeric, 40),
    one("xai-key", "xai-", is_alphanumeric, 60),
    one("replicate-token", "r8_", is_alphanumeric, 36),
    one("nvidia-key", "nvapi-", is_token, 40),
    one("perplexity-key", "pplx-", is_alphanumeric, 40),
    one("grafana-token", "glsa_", is_word, 32),
    one("grafana-token", "glc_", is_base64, 32),
    one("newrelic-key", "NRAK-", is_upper, 24),
    one("doppler-token", "dp.pt.", is_alphanumeric, 32),
    one("fly-token", "fo1_", is_token, 40),
    one("figma-token", "figd_", is_token, 32),
    one("supabase-key", "sbp_", is_hex, 36),
    one("supabase-key", "sb_secret_", is_token, 20),
    one("databricks-token", "dapi", is_hex, 32),
    one("age-key", "AGE-SECRET-KEY-1", is_upper, 40),
    one("mailgun-key", "key-", is_hex, 32),
    one("twilio-key", "SK", is_hex, 32),
];
