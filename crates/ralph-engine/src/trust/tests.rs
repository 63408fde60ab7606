//! When configuration is trusted, and what ends the trust.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

struct Case {
    folder: tempfile::TempDir,
    ledger: Ledger,
}

impl Case {
    fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join("project"))?;
        let ledger = Ledger::at(Path::new("/repositories/a/.git"), &folder.path().join("state"));
        Ok(Self { folder, ledger })
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(path, text)
    }

    fn standing(&self) -> Standing {
        self.ledger.standing(&self.root())
    }

    fn trust(&self) -> Outcome {
        Ok(self.ledger.trust(&look(&self.root())?)?)
    }

    fn changed(&self) -> Vec<String> {
        match self.standing() {
            Standing::Changed { paths, .. } => paths,
            _ => Vec::new(),
        }
    }
}

#[test]
fn nothing_is_loaded_before_the_user_trusts_it_and_all_of_it_after() -> Outcome {
    let case = Case::new()?;
    assert_eq!(case.standing(), Standing::Nothing);
    case.write("src/main.rs", "fn main() {}")?;
    case.write("AGENTS.md", "be kind")?;
    assert_eq!(case.standing(), Standing::Nothing);
    case.write(".claude/settings.json", "{}")?;
    case.write(".mcp.json", "{}")?;
    case.write(".claude/settings.local.json", "{}")?;
    assert!(matches!(case.standing(), Standing::Unknown(_)));
    assert!(!case.standing().loadable(&case.root()).is_trusted());
    case.trust()?;
    assert!(matches!(case.standing(), Standing::Trusted(_)));
    assert_eq!(
        case.standing().loadable(&case.root()).files,
        [".claude/settings.json", ".mcp.json"]
    );
    assert!(case.ledger.revoke()?);
    assert!(matches!(case.standing(), Standing::Unknown(_)));
    assert!(!case.ledger.revoke()?);
    Ok(())
}

#[test]
fn any_change_of_it_loses_the_trust_and_the_old_contents_have_it_again() -> Outcome {
    let case = Case::new()?;
    case.write(".claude/settings.json", "{}")?;
    case.write(".codex/config.toml", "")?;
    case.trust()?;
    case.write(".claude/settings.json", "{ }")?;
    assert_eq!(case.changed(), [".claude/settings.json"]);
    case.write(".claude/settings.json", "{}")?;
    assert!(matches!(case.standing(), Standing::Trusted(_)));
    case.write(".claude/hooks/new.sh", "id")?;
    assert_eq!(case.changed(), [".claude/hooks/new.sh"]);
    fs::remove_dir_all(case.root().join(".claude/hooks"))?;
    fs::remove_file(case.root().join(".codex/config.toml"))?;
    assert_eq!(case.changed(), [".codex/config.toml"]);
    Ok(())
}

#[test]
fn links_count_by_what_they_lead_to_and_never_lead_out() -> Outcome {
    let case = Case::new()?;
    case.write("common/skills/a/SKILL.md", "one")?;
    fs::create_dir(case.root().join(".claude"))?;
    symlink("../common/skills", case.root().join(".claude/skills"))?;
    case.trust()?;
    assert!(matches!(case.standing(), Standing::Trusted(_)));
    case.write("common/skills/a/SKILL.md", "two")?;
    assert_eq!(case.changed(), [".claude/skills/a/SKILL.md"]);
    case.trust()?;
    symlink("../../outside", case.root().join(".claude/agents"))?;
    assert!(matches!(case.standing(), Standing::Unreadable { .. }));
    fs::create_dir(case.folder.path().join("outside"))?;
    let standing = case.standing();
    assert!(
        matches!(&standing, Standing::Unreadable { why } if why.contains("out of the repository")),
        "{standing:?}"
    );
    fs::remove_file(case.root().join(".claude/agents"))?;
    symlink("..", case.root().join(".claude/loop"))?;
    assert!(matches!(case.standing(), Standing::Unreadable { .. }), "a circle ends");
    Ok(())
}

#[test]
fn the_ledger_is_for_this_user_alone_and_belongs_to_one_repository() -> Outcome {
    let case = Case::new()?;
    case.write(".mcp.json", "{}")?;
    case.trust()?;
    let mode =
        |path: &Path| -> io::Result<u32> { Ok(fs::metadata(path)?.permissions().mode() & 0o777) };
    let folder = case.ledger.file.parent().ok_or("no folder")?;
    assert_eq!((mode(&case.ledger.file)?, mode(folder)?), (0o600, 0o700));
    let other = Ledger::at(Path::new("/repositories/b/.git"), &case.folder.path().join("state"));
    assert!(matches!(other.standing(&case.root()), Standing::Unknown(_)));
    fs::copy(&case.ledger.file, &other.file)?;
    assert!(matches!(other.standing(&case.root()), Standing::Unknown(_)), "a copied record");
    let moved = case.ledger.file.with_extension("moved");
    fs::rename(&case.ledger.file, &moved)?;
    symlink(&moved, &case.ledger.file)?;
    assert!(matches!(case.standing(), Standing::Unknown(_)), "a planted link");
    fs::remove_file(&case.ledger.file)?;
    fs::rename(&moved, &case.ledger.file)?;
    fs::set_permissions(&case.ledger.file, fs::Permissions::from_mode(0o666))?;
    assert!(matches!(case.standing(), Standing::Unknown(_)), "anybody could have written it");
    fs::write(&case.ledger.file, "{")?;
    assert!(matches!(case.standing(), Standing::Unknown(_)));
    Ok(())
}
