//! Settings without the logins that people and build servers keep in them.

use std::path::Path;

/// Parts of the names of settings whose values are logins.
const LOGINS: [&str; 7] =
    ["extraheader", "pass", "token", "secret", "auth", "credential", "apikey"];
/// Settings of package managers that a box needs the addresses of.
const KEPT_IN: [&str; 3] = ["npmrc", "pip.conf", "uv.toml"];

/// Whether a file of the machine is one in which logins are kept beside what is needed.
pub(super) fn is_kept_in(file: &Path) -> bool {
    file.file_name().is_some_and(|name| KEPT_IN.iter().any(|known| name == *known))
}

/// Lines of settings, a name and a value each, without those that are logins.
pub(super) fn without(text: &str) -> String {
    let is_login = |line: &&str| names_login(line.split('=').next().unwrap_or_default());
    text.split_inclusive('\n').filter(|line| !is_login(line)).map(without_users).collect()
}

/// Parts of the names of settings that say where packages come from.
const ADDRESSES: [&str; 9] = [
    "registry",
    "index",
    "findlinks",
    "trustedhost",
    "strictssl",
    "goproxy",
    "gosumdb",
    "goprivate",
    "gono",
];

/// Of lines with a name and a value each only those about registries, without logins. A line that begins with a space
/// belongs to the one before.
pub(super) fn addresses(text: &str) -> String {
    let (mut kept, mut is_kept) = (String::new(), false);
    for line in text.split_inclusive('\n') {
        if !line.starts_with([' ', '\t']) {
            let name = line.split_once('=').map_or("", |(name, _)| name);
            let plain = name.to_ascii_lowercase().replace(['-', '_'], "");
            is_kept = ADDRESSES.iter().any(|part| plain.contains(part)) && !names_login(name);
        }
        if is_kept || line.starts_with('[') {
            kept.push_str(&without_users(line));
        }
    }
    kept
}

/// Settings in TOML without logins; nothing of what cannot be read.
pub(super) fn without_in_toml(text: &str) -> String {
    let Ok(mut table) = text.parse::<toml::Table>() else { return String::new() };
    clean(&mut table);
    toml::to_string(&table).unwrap_or_default()
}

fn clean(table: &mut toml::Table) {
    table.retain(|name, _| !names_login(name));
    table.iter_mut().for_each(|(_, value)| clean_value(value));
}

fn clean_value(value: &mut toml::Value) {
    match value {
        toml::Value::String(text) => *text = without_users(text),
        toml::Value::Array(items) => items.iter_mut().for_each(clean_value),
        toml::Value::Table(table) => clean(table),
        _ => {}
    }
}

/// Whether a setting of this name is a login.
pub(super) fn names_login(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['-', '_'], "");
    LOGINS.iter().any(|part| name.contains(part))
}

/// Addresses without the user and without parameters, and so without a password or a token. The user of a shell is
/// none.
pub(super) fn without_users(line: &str) -> String {
    let mut clean = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("://") {
        clean.push_str(before);
        clean.push_str("://");
        let is_end = |c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '?' | '#');
        let (authority, behind) = after.split_at(after.find(is_end).unwrap_or(after.len()));
        match authority.rsplit_once('@') {
            Some((user, _)) if before.ends_with("ssh") && !user.contains(':') => {
                clean.push_str(authority);
            }
            Some((_, host)) => clean.push_str(host),
            None => clean.push_str(authority),
        }
        rest = behind;
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_settings_of_package_managers_only_addresses_are_seen() {
        let npm = "registry=https://me:word@npm.example/\n@corp:registry = https://corp.example/\n\
                   //corp.example/:_authToken=secret\n//corp.example/:username=me\n_password=secret\nemail=me\nx=secret\n";
        let seen = "registry=https://npm.example/\n@corp:registry = https://corp.example/\n";
        assert_eq!(addresses(npm), seen);
        let pip = "[global]\nindex-url = https://me:word@a.example/simple\nextra-index-url =\n    https://b:c@b.example\n\
                   password =\n    secret\n[install]\ntrusted-host = a.example\n";
        let seen = "[global]\nindex-url = https://a.example/simple\nextra-index-url =\n    https://b.example\n\
                    [install]\ntrusted-host = a.example\n";
        assert_eq!(addresses(pip), seen);
    }

    #[test]
    fn logins_leave_the_settings_of_package_managers() {
        let text = "registry=https://me:pw@npm.example/x\n//npm.example/:_authToken=abc\ncafile=/etc/ssl/a\n";
        assert_eq!(without(text), "registry=https://npm.example/x\ncafile=/etc/ssl/a\n");
    }

    #[test]
    fn logins_leave_the_settings_of_cargo() {
        let text = "[registry]\ntoken = \"abc\"\ndefault = \"a\"\n[registries.a]\nindex = \"sparse+https://u:p@a.example/\"\n\
            credential-provider = [\n\"x\",\n]\n[build]\njobs = 2\n";
        let clean = without_in_toml(text);
        assert!(
            !["abc", "u:p", "credential"].iter().any(|secret| clean.contains(secret)),
            "{clean}"
        );
        for kept in ["sparse+https://a.example/", "jobs = 2", "default = \"a\""] {
            assert!(clean.contains(kept), "{clean}");
        }
        assert_eq!(without_in_toml("token = "), "");
    }
}
