//! Which files hold keys, tokens and passwords.

use super::super::{marks, paths, walk::Frame};

/// Files below a home that hold secrets.
const IN_HOME: &[&str] = &[
    ".ssh",
    ".aws",
    ".gnupg",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".docker/config.json",
    ".kube",
    ".config/gh",
    ".config/gcloud",
    ".azure",
    ".git-credentials",
    ".config/git/credentials",
    ".codex/auth.json",
    ".claude/.credentials.json",
    ".claude.json",
    ".gemini",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".password-store",
    ".vault-token",
    ".config/op",
    "Library/Keychains",
    ".mozilla",
    ".config/google-chrome",
    ".terraform.d",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".pgpass",
    ".my.cnf",
    ".boto",
    ".s3cfg",
    ".config/rclone",
    ".config/hub",
    ".local/share/keyrings",
    ".config/doctl",
    ".fly",
    ".yarnrc.yml",
    ".config/gh/hosts.yml",
    ".local/share/opencode/auth.json",
    ".gem/credentials",
    ".config/glab-cli",
    ".config/github-copilot",
    ".config/netlify",
    ".netlify",
    ".vercel",
    ".config/vercel",
    ".local/share/com.vercel.cli",
    ".config/heroku",
    ".config/stripe",
    ".config/ngrok",
    ".ngrok2",
    ".oci",
    ".bluemix",
    ".databricks",
    ".databrickscfg",
    ".snowflake",
    ".snowsql",
    ".dbt",
    ".kaggle",
    ".huggingface",
    ".cache/huggingface/token",
    ".config/openai",
    ".openai",
    ".anthropic",
    ".config/anthropic",
    ".config/claude",
    ".codex",
    ".config/solana",
    ".bitcoin",
    ".ethereum",
    ".electrum",
    ".config/sops",
    ".config/age",
    ".age",
    ".putty",
    ".config/filezilla",
    ".filezilla",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/Code/User/globalStorage",
    ".config/Slack",
    ".config/discord",
    ".config/Signal",
    ".config/1Password",
    ".config/Bitwarden",
    ".config/Bitwarden CLI",
    ".config/keepassxc",
    ".local/share/kwalletd",
    ".thunderbird",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    "Library/Cookies",
    "Library/Messages",
    ".subversion/auth",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".nuget/NuGet",
    ".bundle/config",
    ".pulumi",
    ".terraformrc",
    ".config/containers/auth.json",
    ".config/helm",
    ".minikube",
    ".rancher",
    ".sentryclirc",
    ".config/configstore",
    ".expo",
    ".chef",
    ".ec2",
    ".authinfo",
    ".authinfo.gpg",
    ".msmtprc",
    ".fetchmailrc",
    ".smbcredentials",
    ".influxdbv2",
    ".config/restic",
    ".config/borg",
    ".config/syncthing",
    ".config/wrangler",
    ".wrangler",
    ".config/firebase",
    ".config/supabase",
    ".supabase",
    ".railway",
    ".render",
    ".config/atlassian",
    ".config/jira",
    ".jira.d",
    ".config/linode-cli",
    ".config/hcloud",
    ".config/scw",
    ".config/exercism",
    ".config/hetzner",
    ".local/share/fish/fish_history",
    ".local/share/direnv",
    ".lesshst",
    ".viminfo",
    ".Xauthority",
    ".ICEauthority",
    ".docker/contexts",
    ".cargo/registry/credentials",
    ".hex/hex.config",
    ".pub-cache/credentials.json",
    ".config/dart/pub-credentials.json",
    ".android/debug.keystore",
    ".twurlrc",
    ".config/twilio-cli",
    ".config/circleci",
    ".circleci",
    ".travis",
    ".buildkite",
];

/// Names of files that hold secrets wherever they lie.
const NAMES: [&str; 19] = [
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ed25519_sk",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    "master.key",
    "wallet.dat",
    "credentials.json",
    "service-account.json",
    "serviceAccountKey.json",
    "client_secret.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "terraform.tfstate",
];

/// Endings of files that hold keys: the first outside the worktree only, the others wherever they lie.
const ENDINGS: [&str; 8] = ["key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "ovpn"];

/// Whether a file in the worktree holds secrets by its name; those of tests are made up.
fn is_secret_name_of_file(full: &str) -> bool {
    let made_up = [
        "test", "tests", "fixture", "fixtures", "spec", "example", "examples", "mock", "mocks",
        "testdata", "docs", "src", "lib", "i18n", "locales",
    ];
    let mut parts: Vec<&str> = full.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    let lower = name.to_lowercase();
    let is_made_up = parts.iter().any(|part| made_up.contains(part))
        || made_up.iter().take(12).any(|word| lower.contains(word));
    !is_made_up
        && (NAMES.contains(&name) || ENDINGS.iter().skip(1).any(|ending| has_ending(name, ending)))
}

const HARMLESS: [&str; 3] = [".ssh/known_hosts", ".ssh/config", ".kube/cache"];

/// Whether a path with wildcards may mean a secret one; a lone `*` chooses nothing.
fn may_lead_below(path: &str, secret: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let wanted: Vec<&str> = secret.split('/').collect();
    let is_fit = |(part, name): (&&str, &&str)| {
        let is_chosen = part.starts_with('.') || !name.starts_with('.');
        *part == *name
            || is_chosen && part.chars().any(char::is_alphabetic) && marks::fits(part, name)
    };
    marks::has_glob(path) && parts.len() >= wanted.len() && parts.iter().zip(&wanted).all(is_fit)
}

/// Whether a path is a file of secrets.
pub(in super::super) fn is_secret_file(path: &str, frame: &Frame) -> bool {
    if let Some(rest) = frame.in_home(path) {
        let is_history = rest.ends_with("_history") && !rest.contains('/');
        let listed = IN_HOME
            .iter()
            .any(|secret| paths::below(&rest, secret).is_some() || may_lead_below(&rest, secret));
        let harmless = has_ending(&rest, "pub") || HARMLESS.contains(&rest.as_str());
        let name = rest.rsplit('/').next().unwrap_or_default();
        let is_key = has_ending(&rest, "pem")
            || NAMES.contains(&name)
            || ENDINGS.iter().any(|ending| has_ending(name, ending))
            || is_dotenv(&rest);
        return (listed && !harmless) || is_history || is_key;
    }
    let Some(full) = frame.resolve(path) else { return false };
    let in_proc = full.starts_with("/proc/")
        && ["environ", "mem", "maps", "auxv"].iter().any(|end| full.ends_with(end));
    let system = [
        "/etc/shadow",
        "/etc/gshadow",
        "/etc/sudoers",
        "/run/secrets",
        "/var/run/secrets",
        "/etc/ssl/private",
        "/etc/krb5.keytab",
        "/etc/sudoers.d",
        "/etc/security/opasswd",
        "/etc/letsencrypt",
        "/etc/kubernetes",
        "/etc/rancher",
        "/etc/wireguard",
        "/etc/openvpn",
        "/etc/ipsec.secrets",
        "/etc/NetworkManager/system-connections",
        "/etc/wpa_supplicant",
        "/etc/ppp/chap-secrets",
        "/etc/ppp/pap-secrets",
        "/etc/docker/key.json",
        "/etc/mysql/debian.cnf",
        "/etc/pki/tls/private",
        "/etc/vault.d",
        "/etc/netrc",
        "/var/backups/shadow.bak",
        "/var/lib/kubelet",
        "/var/lib/docker",
        "/var/lib/rancher",
        "/proc/kcore",
        "/dev/mem",
        "/dev/kmem",
        "/var/spool/mail",
        "/var/mail",
        "/Library/Keychains",
    ];
    in_proc
        || system
            .iter()
            .any(|secret| paths::below(&full, secret).is_some() || full == format!("{secret}-"))
        || (full.starts_with("/etc/ssh/") && full.ends_with("_key"))
        || is_dotenv(&full)
        || is_secret_name_of_file(&full)
}

fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, found)| found.eq_ignore_ascii_case(ending))
}

pub(super) fn is_dotenv(full: &str) -> bool {
    let name = full.rsplit('/').next().unwrap_or_default();
    let kind = name.strip_prefix(".env");
    let harmless = [".example", ".sample", ".template", ".test", ".dist", ".defaults", ".ci", "rc"];
    kind.is_some_and(|kind| (kind.is_empty() || kind.starts_with('.')) && !harmless.contains(&kind))
}
