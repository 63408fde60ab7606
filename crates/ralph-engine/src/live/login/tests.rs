//! What of a login is lent, and that it goes one way only.

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::PathBuf,
};

use serde_json::json;

use super::*;
use crate::clock;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const AUTH: &str = ".agent/auth.json";

struct Case {
    _folder: tempfile::TempDir,
    home: PathBuf,
    to: PathBuf,
}

impl Case {
    fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let (home, to) = (folder.path().join("home"), folder.path().join("call/home"));
        fs::create_dir_all(home.join(".agent"))?;
        Ok(Self { _folder: folder, home, to })
    }

    fn with_login() -> io::Result<Self> {
        let case = Self::new()?;
        fs::write(case.original(), login())?;
        fs::set_permissions(case.original(), Permissions::from_mode(0o640))?;
        Ok(case)
    }

    fn lend(&self) -> io::Result<Lent> {
        lend(&[AUTH], Holds::Login, &self.home, &self.to)
    }

    fn original(&self) -> PathBuf {
        self.home.join(AUTH)
    }

    fn copy(&self) -> PathBuf {
        self.to.join(AUTH)
    }
}

fn login() -> String {
    let expires = clock::now().0 + 3_600_000;
    json!({ "access_token": "opens", "refresh_token": "RENEWS", "expires_at": expires }).to_string()
}

fn mode(path: &Path) -> io::Result<u32> {
    Ok(fs::metadata(path)?.permissions().mode() & 0o777)
}

#[test]
fn a_copy_is_for_this_user_alone_and_cannot_renew_the_login() -> Outcome {
    let case = Case::with_login()?;
    let before = fs::read(case.original())?;
    let lent = case.lend()?;
    let copy = fs::read_to_string(case.copy())?;
    assert!(copy.contains("opens") && !copy.contains("RENEWS"), "{copy}");
    assert_eq!(
        (mode(&case.copy())?, mode(&case.to)?, mode(&case.to.join(".agent"))?),
        (0o600, 0o700, 0o700)
    );
    assert_eq!(lent.files, [AUTH]);
    assert!(lent.expires.is_some_and(|at| at > clock::now()), "{lent:?}");
    assert_eq!(fs::read(case.original())?, before);
    Ok(())
}

#[test]
fn a_login_that_nobody_can_read_is_not_lent_and_a_configuration_is() -> Outcome {
    let case = Case::new()?;
    fs::write(case.original(), "00ff:encrypted")?;
    let lent = case.lend()?;
    assert!(matches!(&lent.notes[..], [note] if note.contains("not JSON")), "{lent:?}");
    assert!(lent.files.is_empty() && !case.copy().exists());
    let lent = lend(&[AUTH], Holds::Configuration, &case.home, &case.to)?;
    assert_eq!(lent.files, [AUTH]);
    assert_eq!(fs::read_to_string(case.copy())?, "00ff:encrypted");
    Ok(())
}

#[test]
fn links_are_followed_inside_the_home_only() -> Outcome {
    let case = Case::new()?;
    fs::create_dir(case.home.join("dotfiles"))?;
    fs::write(case.home.join("dotfiles/auth.json"), login())?;
    symlink("../dotfiles/auth.json", case.original())?;
    assert_eq!(case.lend()?.files, [AUTH]);

    let case = Case::new()?;
    fs::write(case.home.with_file_name("outside"), login())?;
    symlink("../../outside", case.original())?;
    let lent = case.lend()?;
    assert!(matches!(&lent.notes[..], [note] if note.contains("out of your home")), "{lent:?}");
    assert!(!case.copy().exists());
    Ok(())
}

#[test]
fn what_is_not_there_is_not_lent_and_a_path_out_of_the_home_is_refused() -> Outcome {
    let case = Case::new()?;
    let lent = case.lend()?;
    assert!(lent.notes.is_empty() && lent.files.is_empty() && !case.copy().exists());
    for name in ["../outside", "/etc/passwd", ".agent/../../x"] {
        let refused = lend(&[name], Holds::Login, &case.home, &case.to).err();
        assert_eq!(refused.map(|error| error.kind()), Some(io::ErrorKind::InvalidInput), "{name}");
    }
    Ok(())
}

#[test]
fn what_is_no_plain_file_is_not_lent() -> Outcome {
    let case = Case::new()?;
    nix::unistd::mkfifo(&case.original(), nix::sys::stat::Mode::S_IRWXU)?;
    assert!(case.lend()?.notes[0].contains("not a regular file"));
    fs::remove_file(case.original())?;
    fs::write(case.original(), "")?;
    fs::File::options().write(true).open(case.original())?.set_len(MAX_FILE + 1)?;
    assert!(case.lend()?.notes[0].contains("too large"));
    Ok(())
}

#[test]
fn servers_and_other_repositories_in_a_mixed_file_are_not_lent() -> Outcome {
    let case = Case::new()?;
    let file = json!({ "numStartups": 3, "oauthAccount": { "accountUuid": "a" },
        "mcpServers": { "x": { "env": { "KEY": "secret" } } }, "projects": { "/other": {} } });
    fs::write(case.original(), file.to_string())?;
    case.lend()?;
    let copy = fs::read_to_string(case.copy())?;
    assert!(
        copy.contains("accountUuid") && !copy.contains("secret") && !copy.contains("/other"),
        "{copy}"
    );
    Ok(())
}
