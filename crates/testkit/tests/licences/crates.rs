//! Which crates there are, asked of cargo without a network.

use std::{env, error::Error, ffi::OsString, fs, path::Path, process::Command};

/// One version of one crate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Its licence expression; empty if it states none.
    pub(crate) licence: String,
    pub(crate) origin: Origin,
}

/// Where a crate comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Workspace,
    Registry,
    Elsewhere(String),
}

/// A set of crates.
#[derive(Debug, Clone, Default)]
pub(crate) struct Crates(pub(crate) Vec<Crate>);

impl Crates {
    /// Everything the workspace resolves to on this platform, tests included.
    pub(crate) fn of_workspace() -> Result<Self, Box<dyn Error>> {
        Self::resolved("../../Cargo.toml")
    }

    /// The same of the fleet, which is a workspace of its own.
    pub(crate) fn of_fleet() -> Result<Self, Box<dyn Error>> {
        Self::resolved("../ralph-fleet/Cargo.toml")
    }

    fn resolved(manifest: &str) -> Result<Self, Box<dyn Error>> {
        let host = host()?;
        let of = ["--filter-platform", &host, "--manifest-path", manifest];
        let text = cargo(&[&["metadata", "--format-version=1"], of.as_slice()].concat())?;
        Self::from_metadata(&serde_json::from_str(&text)?)
    }

    /// What the binary is built from and with.
    pub(crate) fn of_binary() -> Result<Self, Box<dyn Error>> {
        let args = ["tree", "-p", "ralph", "-e", "normal,build", "--prefix", "none", "--no-dedupe"];
        Ok(Self::from_tree(&cargo(&args)?))
    }

    /// Reads `cargo metadata`.
    pub(crate) fn from_metadata(metadata: &serde_json::Value) -> Result<Self, Box<dyn Error>> {
        let members: Vec<&str> = metadata["workspace_members"]
            .as_array()
            .ok_or("no workspace members")?
            .iter()
            .filter_map(serde_json::Value::as_str)
            .collect();
        let packages = metadata["packages"].as_array().ok_or("no packages")?;
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let one = |package: &serde_json::Value| Crate {
            name: text(&package["name"]),
            version: text(&package["version"]),
            licence: match package["license"].as_str() {
                Some(licence) => licence.to_owned(),
                None => in_file(package).unwrap_or_default(),
            },
            origin: match package["source"].as_str() {
                None if members.contains(&text(&package["id"]).as_str()) => Origin::Workspace,
                None => Origin::Elsewhere(text(&package["manifest_path"])),
                Some(source) if source.starts_with("registry+") => Origin::Registry,
                Some(source) => Origin::Elsewhere(source.to_owned()),
            },
        };
        Ok(Self(packages.iter().map(one).collect()))
    }

    /// Reads the lines of `cargo tree`: `name vVERSION (...)`.
    pub(crate) fn from_tree(text: &str) -> Self {
        let mut crates: Vec<Crate> = text
            .lines()
            .filter_map(|line| {
                let mut words = line.split_whitespace();
                let name = words.next()?.to_owned();
                let version = words.next()?.strip_prefix('v')?.to_owned();
                Some(Crate { name, version, licence: String::new(), origin: Origin::Registry })
            })
            .collect();
        crates.sort();
        crates.dedup();
        Self(crates)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The licence of a crate that gives its text instead of its name, if it is one that is known by its first line.
fn in_file(package: &serde_json::Value) -> Option<String> {
    let manifest = Path::new(package["manifest_path"].as_str()?);
    let text = fs::read_to_string(manifest.with_file_name(package["license_file"].as_str()?));
    text.ok()?.starts_with("The MIT License\n").then(|| "MIT".to_owned())
}

/// The platform this compiler builds for.
fn host() -> Result<String, Box<dyn Error>> {
    let text = run(Command::new("rustc").arg("-vV"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(line.ok_or("rustc names no host")?.to_owned())
}

fn cargo(arguments: &[&str]) -> Result<String, Box<dyn Error>> {
    let program = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    run(Command::new(program).args(arguments).args(["--offline", "--locked"]))
}

fn run(command: &mut Command) -> Result<String, Box<dyn Error>> {
    let output = command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR"))).output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?} fails: {said} (`cargo fetch` helps)").into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_line_of_a_tree_counts_once() {
        let tree =
            "ralph v0.1.0 (somewhere)\nserde v1.0.2\nserde v1.0.2\nserde v2.0.0 (proc-macro)\n";
        assert_eq!(Crates::from_tree(tree).len(), 3);
    }

    #[test]
    fn metadata_tells_workspace_registry_and_elsewhere_apart() -> Result<(), Box<dyn Error>> {
        let metadata = serde_json::json!({
            "workspace_members": ["a"],
            "packages": [
                {"id": "a", "name": "a", "version": "1.0.0", "license": "MIT", "source": null},
                {"id": "b", "name": "b", "version": "1.0.0", "source": "registry+somewhere"},
                {"id": "c", "name": "c", "version": "1.0.0", "source": "git+somewhere"},
                {"id": "d", "name": "d", "version": "1.0.0", "source": null, "manifest_path": "d"},
            ],
        });
        let origins: Vec<Origin> =
            Crates::from_metadata(&metadata)?.0.into_iter().map(|one| one.origin).collect();
        let elsewhere = |place: &str| Origin::Elsewhere(place.to_owned());
        let expected =
            [Origin::Workspace, Origin::Registry, elsewhere("git+somewhere"), elsewhere("d")];
        assert_eq!(origins, expected);
        Ok(())
    }
}
