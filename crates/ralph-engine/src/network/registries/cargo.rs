//! Cargo cannot be asked in a stable way: its user's settings and the indexes it has already used are read.

use std::{fs, path::Path};

use ralph_core::network::HostRule;
use toml::Value;

use super::read::{host_of, urls};

/// The hosts that Cargo's home names.
pub(super) fn hosts(home: &Path, is_users: impl Fn(&Path) -> bool) -> Vec<HostRule> {
    let files = ["config.toml", "config"].map(|name| home.join(name));
    let mut files = files.iter().filter(|file| is_users(file));
    let settings = files.find_map(|file| fs::read_to_string(file).ok());
    let mut hosts = settings.map(|text| of_settings(&text)).unwrap_or_default();
    let indexes = fs::read_dir(home.join("registry/index")).into_iter().flatten().flatten();
    for index in indexes.filter(|index| is_users(&index.path())) {
        // A folder is named after the index's host and a hash.
        let name = index.file_name().to_string_lossy().into_owned();
        hosts.extend(name.rsplit_once('-').and_then(|(host, _)| host.parse().ok()));
        // It says from where the packages themselves come.
        let config = fs::read_to_string(index.path().join("config.json")).unwrap_or_default();
        hosts.extend(urls(&config));
    }
    hosts
}

fn of_settings(text: &str) -> Vec<HostRule> {
    let Ok(settings) = text.parse::<toml::Table>() else { return Vec::new() };
    let table = |name: &str| settings.get(name).and_then(Value::as_table);
    let each = |name: &str, key: &'static str| {
        let entries = table(name).into_iter().flat_map(toml::Table::values);
        entries.filter_map(move |entry| entry.get(key)?.as_str()).collect::<Vec<_>>()
    };
    let default = table("registry").and_then(|one| one.get("index")).and_then(Value::as_str);
    let all =
        each("source", "registry").into_iter().chain(each("registries", "index")).chain(default);
    all.filter_map(host_of).collect()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn settings_and_used_indexes_name_hosts() -> io::Result<()> {
        let home = tempfile::tempdir()?;
        let settings = "[source.mirror]\nregistry = \"sparse+https://mirror.example/index/\"\n\
                        [source.local]\ndirectory = \"vendor\"\n\
                        [registries.own]\nindex = \"sparse+https://own.example/\"\n\
                        [registry]\nindex = \"https://default.example/git\"\n";
        fs::write(home.path().join("config.toml"), settings)?;
        let index = home.path().join("registry/index/index.example.org-1949cf8c6b5b557f");
        fs::create_dir_all(&index)?;
        fs::write(
            index.join("config.json"),
            r#"{"dl": "https://files.example/{crate}", "api": null}"#,
        )?;
        let mut named: Vec<String> =
            hosts(home.path(), |_| true).iter().map(ToString::to_string).collect();
        named.sort();
        let expected = [
            "default.example",
            "files.example",
            "index.example.org",
            "mirror.example",
            "own.example",
        ];
        assert_eq!(named, expected);
        assert_eq!(hosts(&home.path().join("nothing"), |_| true).len(), 0);
        Ok(())
    }
}
