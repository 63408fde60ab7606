//! Which files hold keys, tokens and passwords; most are listed in `secret_files.txt`.

use crate::{call::one_of, frame::Frame, paths::below};

const LISTED: &str = include_str!("secret_files.txt");

/// Names of files that hold secrets wherever they lie.
const NAMES: &str = "id_rsa id_dsa id_ecdsa id_ed25519 id_ed25519_sk .netrc .pgpass .git-credentials .htpasswd master.key \
    wallet.dat credentials.json service-account.json serviceAccountKey.json client_secret.json secrets.yml secrets.yaml \
    secrets.json terraform.tfstate";

/// Endings of files that hold keys.
const ENDINGS: &str = "p12 pfx jks keystore kdbx ppk ovpn";

/// Folders in which keys are made up.
const MADE_UP: &str = "test tests fixture fixtures spec example examples mock mocks testdata docs src lib i18n locales";

const HARMLESS: &str = ".ssh/known_hosts .ssh/config .kube/cache";

/// Whether a path is a file of secrets.
pub(crate) fn is_secret_file(path: &str, frame: &Frame) -> bool {
    let listed =
        || LISTED.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
    if let Some(rest) = frame.in_home(path) {
        let name = rest.rsplit('/').next().unwrap_or_default();
        let is_listed = listed().any(|secret| below(&rest, secret).is_some());
        let is_harmless = ending(&rest) == "pub" || one_of(HARMLESS, &rest);
        let is_key = one_of("pem key", &ending(&rest)) || one_of(ENDINGS, &ending(&rest));
        let is_history = rest.ends_with("_history") && !rest.contains('/');
        return is_listed && !is_harmless
            || is_history
            || is_key
            || one_of(NAMES, name)
            || is_dotenv(&rest);
    }
    let Some(full) = frame.resolve(path) else { return false };
    let in_process = full.starts_with("/proc/")
        && one_of("environ mem maps auxv", full.rsplit('/').next().unwrap_or_default());
    let of_machine = |secret: &str| {
        secret.starts_with('/') && below(full.trim_end_matches('-'), secret).is_some()
    };
    in_process
        || listed().any(of_machine)
        || full.starts_with("/etc/ssh/") && full.ends_with("_key")
        || is_dotenv(&full)
        || is_named_secret(&full)
}

/// Whether a file in the worktree holds secrets by its name; those of tests are made up.
fn is_named_secret(full: &str) -> bool {
    let (folders, name) = full.rsplit_once('/').unwrap_or(("", full));
    let is_made_up = folders.split('/').any(|part| one_of(MADE_UP, part))
        || MADE_UP.split(' ').take(9).any(|word| name.to_lowercase().contains(word));
    !is_made_up && (one_of(NAMES, name) || one_of(ENDINGS, &ending(name)))
}

fn ending(path: &str) -> String {
    path.rsplit_once('.').map_or_else(String::new, |(_, ending)| ending.to_ascii_lowercase())
}

/// Whether a file holds the variables of a project.
pub(super) fn is_dotenv(full: &str) -> bool {
    let kind = full.rsplit('/').next().unwrap_or_default().strip_prefix(".env");
    let harmless = ".example .sample .template .test .dist .defaults .ci .schema";
    kind.is_some_and(|kind| (kind.is_empty() || kind.starts_with('.')) && !one_of(harmless, kind))
}
