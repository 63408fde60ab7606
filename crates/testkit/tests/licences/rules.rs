//! The rules of `deny.toml`, and what breaks them.

use std::{collections::BTreeMap, error::Error, fs, path::Path};

use toml::{Table, Value};

use crate::{
    crates::{Crate, Crates, Origin},
    expression::is_satisfied,
};

/// What `deny.toml` says, as far as it can be checked without a network.
#[derive(Debug)]
pub(crate) struct Rules {
    licences: Vec<String>,
    /// Banned crates and why.
    banned: BTreeMap<String, String>,
    /// `name@version` that may stand beside another version.
    skipped: Vec<String>,
}

impl Rules {
    pub(crate) fn load() -> Result<Self, Box<dyn Error>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deny.toml");
        Self::parse(&fs::read_to_string(path)?)
    }

    /// Every ban and every skip must give its reason.
    pub(crate) fn parse(text: &str) -> Result<Self, Box<dyn Error>> {
        let table: Table = text.parse()?;
        let licences = list(&table, "licenses", "allow")?;
        let licences =
            licences.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>();
        if licences.is_empty() {
            return Err("deny.toml accepts no licence".into());
        }
        let banned =
            list(&table, "bans", "deny")?.iter().map(reasoned).collect::<Result<_, _>>()?;
        let skipped: BTreeMap<String, String> =
            list(&table, "bans", "skip")?.iter().map(reasoned).collect::<Result<_, _>>()?;
        Ok(Self { licences, banned, skipped: skipped.into_keys().collect() })
    }

    /// Crates whose licence cannot be satisfied with accepted ones.
    pub(crate) fn refused_licences(&self, crates: &Crates) -> Vec<String> {
        let refused = |one: &&Crate| !is_satisfied(&one.licence, &self.licences);
        let text =
            |one: &Crate| format!("{} {}: licence \"{}\"", one.name, one.version, one.licence);
        crates.0.iter().filter(refused).map(text).collect()
    }

    /// Crates that must not be there.
    pub(crate) fn banned(&self, crates: &Crates) -> Vec<String> {
        let text = |one: &Crate| {
            self.banned.get(&one.name).map(|why| format!("{} {}: {why}", one.name, one.version))
        };
        crates.0.iter().filter_map(text).collect()
    }

    /// Crates that are there in more than one version, and skips that are no longer needed.
    pub(crate) fn duplicates(&self, crates: &Crates) -> Vec<String> {
        let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for one in &crates.0 {
            versions.entry(&one.name).or_default().push(&one.version);
        }
        let mut findings = Vec::new();
        for (name, versions) in &versions {
            let kept = |version: &&&str| !self.skipped.contains(&format!("{name}@{version}"));
            if versions.iter().filter(kept).count() > 1 {
                findings.push(format!("{name} comes in the versions {}", versions.join(", ")));
            }
        }
        findings.extend(self.skipped.iter().filter_map(|skip| {
            let (name, version) = skip.split_once('@')?;
            let needed =
                versions.get(name).is_some_and(|all| all.len() > 1 && all.contains(&version));
            (!needed).then(|| format!("deny.toml skips {skip}, which is not a duplicate"))
        }));
        findings
    }
}

/// Crates from anywhere but the registry and the workspace.
pub(crate) fn foreign(crates: &Crates) -> Vec<String> {
    let text = |one: &Crate| match &one.origin {
        Origin::Elsewhere(place) => {
            Some(format!("{} {} comes from {place}", one.name, one.version))
        }
        Origin::Workspace | Origin::Registry => None,
    };
    crates.0.iter().filter_map(text).collect()
}

fn list<'a>(table: &'a Table, section: &str, key: &str) -> Result<&'a Vec<Value>, Box<dyn Error>> {
    let value = table.get(section).and_then(|section| section.get(key));
    value.and_then(Value::as_array).ok_or_else(|| format!("deny.toml lacks {section}.{key}").into())
}

/// The crate that an entry names, and its reason.
fn reasoned(entry: &Value) -> Result<(String, String), Box<dyn Error>> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    match (text("crate"), text("reason")) {
        (Some(name), Some(reason)) => Ok((name.to_owned(), reason.to_owned())),
        _ => Err(format!("deny.toml: an entry lacks crate or reason: {entry}").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        [licenses]
        allow = ["MIT"]
        [bans]
        deny = [{ crate = "openssl", reason = "no C for TLS" }]
        skip = [{ crate = "syn@1.0.0", reason = "an old macro" }]
    "#;

    fn planted(crates: &[(&str, &str, &str)]) -> Crates {
        let one = |&(name, version, licence): &(&str, &str, &str)| Crate {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: licence.to_owned(),
            origin: Origin::Registry,
        };
        Crates(crates.iter().map(one).collect())
    }

    #[test]
    fn a_licence_outside_the_list_is_found() -> Result<(), Box<dyn Error>> {
        let crates = planted(&[
            ("good", "1.0.0", "MIT"),
            ("bad", "1.0.0", "GPL-3.0"),
            ("none", "1.0.0", ""),
        ]);
        assert_eq!(Rules::parse(TEXT)?.refused_licences(&crates).len(), 2);
        Ok(())
    }

    #[test]
    fn a_banned_crate_is_found_with_its_reason() -> Result<(), Box<dyn Error>> {
        let crates = planted(&[("openssl", "0.10.0", "MIT"), ("fine", "1.0.0", "MIT")]);
        assert_eq!(Rules::parse(TEXT)?.banned(&crates), ["openssl 0.10.0: no C for TLS"]);
        Ok(())
    }

    #[test]
    fn a_second_version_is_found_unless_it_is_skipped() -> Result<(), Box<dyn Error>> {
        let rules = Rules::parse(TEXT)?;
        let skipped = planted(&[("syn", "1.0.0", "MIT"), ("syn", "2.0.0", "MIT")]);
        assert_eq!(rules.duplicates(&skipped), [""; 0]);
        let twice =
            planted(&[("syn", "1.0.0", "MIT"), ("syn", "2.0.0", "MIT"), ("syn", "3.0.0", "MIT")]);
        assert_eq!(rules.duplicates(&twice), ["syn comes in the versions 1.0.0, 2.0.0, 3.0.0"]);
        Ok(())
    }

    #[test]
    fn a_skip_that_is_not_needed_is_found() -> Result<(), Box<dyn Error>> {
        let findings = Rules::parse(TEXT)?.duplicates(&planted(&[("syn", "2.0.0", "MIT")]));
        assert_eq!(findings, ["deny.toml skips syn@1.0.0, which is not a duplicate"]);
        Ok(())
    }

    #[test]
    fn a_crate_from_elsewhere_is_found() {
        let mut crates = planted(&[("fine", "1.0.0", "MIT"), ("fork", "1.0.0", "MIT")]);
        crates.0[1].origin = Origin::Elsewhere("git+somewhere".to_owned());
        assert_eq!(foreign(&crates), ["fork 1.0.0 comes from git+somewhere"]);
    }

    #[test]
    fn a_ban_without_a_reason_is_an_error() {
        assert!(Rules::parse(&TEXT.replace("reason = \"no C for TLS\"", "note = \"\"")).is_err());
    }
}
