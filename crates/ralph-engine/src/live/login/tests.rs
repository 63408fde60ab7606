//! What of a login is lent, and what comes back.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::*;

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
        fs::write(case.original(), login("old", 1))?;
        fs::set_permissions(case.original(), Permissions::from_mode(0o640))?;
        Ok(case)
    }

    fn lend(&self) -> io::Result<Login> {
        Login::lend(&[AUTH], &self.home, &self.to)
    }

    fn original(&self) -> PathBuf {
        self.home.join(AUTH)
    }

    fn copy(&self) -> PathBuf {
        self.to.join(AUTH)
    }
}

fn login(token: &str, expires: i64) -> String {
    let expires = clock::now().0 / 1000 + 3600 * expires;
    let file = json!({ "resource_url": "https://a.example", "access_token": token,
        "refresh_token": token, "expires_at": expires });
    format!("{file:#}\n")
}

fn token(path: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let file: Value = serde_json::from_slice(&fs::read(path)?)?;
    Ok(file["access_token"].as_str().unwrap_or_default().to_owned())
}

fn mode(path: &Path) -> io::Result<u32> {
    Ok(fs::metadata(path)?.permissions().mode() & 0o777)
}

#[test]
fn a_copy_is_for_this_user_alone_and_its_renewed_tokens_come_back_with_the_mode_of_the_original()
-> Outcome {
    let case = Case::with_login()?;
    let lent = case.lend()?;
    assert_eq!(fs::read(case.copy())?, fs::read(case.original())?);
    assert_eq!(
        (mode(&case.copy())?, mode(&case.to)?, mode(&case.to.join(".agent"))?),
        (0o600, 0o700, 0o700)
    );
    let renewed = login("new", 2);
    fs::write(case.copy(), &renewed)?;
    assert_eq!(lent.take_back(), Vec::<String>::new());
    assert_eq!(fs::read_to_string(case.original())?, renewed);
    assert_eq!(mode(&case.original())?, 0o640);
    assert_eq!(fs::read_dir(case.home.join(".agent"))?.count(), 1, "nothing is planted beside it");
    Ok(())
}

#[test]
fn a_copy_that_nobody_changed_leaves_the_file_untouched() -> Outcome {
    let case = Case::with_login()?;
    let before = fs::metadata(case.original())?.ino();
    assert!(case.lend()?.take_back().is_empty());
    assert_eq!(fs::metadata(case.original())?.ino(), before);
    Ok(())
}

#[test]
fn configuration_that_an_agent_plants_in_its_copy_stays_there() -> Outcome {
    let case = Case::with_login()?;
    let lent = case.lend()?;
    let mut planted: Value = serde_json::from_str(&login("new", 2))?;
    planted["hooks"] = json!({ "SessionStart": [{ "command": "id" }] });
    planted["mcpServers"] = json!({ "x": { "command": "id" } });
    planted["resource_url"] = json!("https://evil.example");
    fs::write(case.copy(), planted.to_string())?;
    assert!(lent.take_back().is_empty());
    assert_eq!(token(&case.original())?, "new");
    let text = fs::read_to_string(case.original())?;
    assert!(!["hooks", "mcpServers", "evil"].iter().any(|word| text.contains(word)), "{text}");
    Ok(())
}

/// What an agent does to its copy.
type Plant = fn(&Case) -> io::Result<()>;

#[test]
fn a_copy_that_is_no_plain_json_file_any_more_is_refused_and_told() -> Outcome {
    let plant: [(&str, Plant); 7] = [
        ("link", |case| {
            fs::write(case.to.join("evil"), login("new", 2))?;
            fs::remove_file(case.copy())?;
            symlink(case.to.join("evil"), case.copy())
        }),
        ("no folder", |case| {
            fs::rename(case.to.join(".agent"), case.to.join("moved"))?;
            symlink(case.to.join("moved"), case.to.join(".agent"))
        }),
        ("second name", |case| {
            fs::write(case.copy(), login("new", 2))?;
            fs::hard_link(case.copy(), case.to.join("other"))
        }),
        ("no JSON", |case| fs::write(case.copy(), "{\"access_token\":")),
        ("too large", |case| File::options().write(true).open(case.copy())?.set_len(MAX_FILE + 1)),
        ("no regular file", |case| {
            fs::remove_file(case.copy())?;
            fs::create_dir(case.copy())
        }),
        ("no regular file", |case| {
            fs::remove_file(case.copy())?;
            nix::unistd::mkfifo(&case.copy(), nix::sys::stat::Mode::S_IRWXU).map_err(Into::into)
        }),
    ];
    for (why, plant) in plant {
        let case = Case::with_login()?;
        let lent = case.lend()?;
        plant(&case)?;
        let notes = lent.take_back();
        assert!(matches!(&notes[..], [note] if note.contains(why)), "{why}: {notes:?}");
        assert_eq!(token(&case.original())?, "old", "{why}");
    }
    Ok(())
}

#[test]
fn a_copy_or_an_original_that_is_gone_is_left_at_that() -> Outcome {
    let case = Case::with_login()?;
    let lent = case.lend()?;
    fs::remove_dir_all(&case.to)?;
    assert!(lent.take_back().is_empty());
    assert_eq!(token(&case.original())?, "old");
    let case = Case::with_login()?;
    let lent = case.lend()?;
    fs::write(case.copy(), login("new", 2))?;
    fs::remove_file(case.original())?;
    assert!(lent.take_back().is_empty());
    assert!(!case.original().exists(), "who logged out stays logged out");
    Ok(())
}

#[test]
fn of_two_runs_at_once_the_token_that_lives_longer_stays_whoever_ends_last() -> Outcome {
    for (first, last) in [((2, "a"), (3, "b")), ((3, "a"), (2, "b"))] {
        let case = Case::with_login()?;
        let other = Case {
            to: case.home.with_file_name("other"),
            home: case.home.clone(),
            _folder: tempfile::tempdir()?,
        };
        let (one, two) = (case.lend()?, other.lend()?);
        fs::write(case.copy(), login(first.1, first.0))?;
        fs::write(other.copy(), login(last.1, last.0))?;
        assert!(one.take_back().is_empty() && two.take_back().is_empty());
        let longest = if first.0 > last.0 { first.1 } else { last.1 };
        assert_eq!(token(&case.original())?, longest);
    }
    Ok(())
}

#[test]
fn links_are_followed_inside_the_home_only() -> Outcome {
    let case = Case::new()?;
    fs::create_dir(case.home.join("dotfiles"))?;
    fs::write(case.home.join("dotfiles/auth.json"), login("old", 1))?;
    symlink("../dotfiles/auth.json", case.original())?;
    let lent = case.lend()?;
    fs::write(case.copy(), login("new", 2))?;
    assert!(lent.take_back().is_empty());
    assert!(fs::symlink_metadata(case.original())?.is_symlink(), "the link stays");
    assert_eq!(token(&case.home.join("dotfiles/auth.json"))?, "new");

    let case = Case::new()?;
    fs::write(case.home.with_file_name("outside"), login("old", 1))?;
    symlink("../../outside", case.original())?;
    let lent = case.lend()?;
    assert!(
        matches!(lent.notes(), [note] if note.contains("out of your home")),
        "{:?}",
        lent.notes()
    );
    assert!(!case.copy().exists());
    Ok(())
}

#[test]
fn what_is_not_there_is_not_lent_and_a_path_out_of_the_home_is_refused() -> Outcome {
    let case = Case::new()?;
    let lent = case.lend()?;
    assert!(lent.notes().is_empty() && !case.copy().exists());
    fs::create_dir_all(case.to.join(".agent"))?;
    fs::write(case.copy(), login("new", 2))?;
    assert!(lent.take_back().is_empty());
    assert!(!case.original().exists(), "no new file comes from an agent");
    for name in ["../outside", "/etc/passwd", ".agent/../../x"] {
        let refused = Login::lend(&[name], &case.home, &case.to).err().map(|error| error.kind());
        assert_eq!(refused, Some(io::ErrorKind::InvalidInput), "{name}");
    }
    Ok(())
}

#[test]
fn a_configuration_home_is_lent_whole_and_only_its_tokens_return() -> Outcome {
    let case = Case::with_login()?;
    let home = case.home.join(".agent");
    fs::write(home.join("config.toml"), "model = \"x\"\n")?;
    let lent = Login::lend(&["auth.json", "config.toml", "hooks.json"], &home, &case.to)?;
    assert_eq!(fs::read_to_string(case.to.join("config.toml"))?, "model = \"x\"\n");
    fs::write(case.to.join("config.toml"), "notify = [\"id\"]\n")?;
    fs::write(case.to.join("auth.json"), login("new", 2))?;
    assert!(lent.take_back().is_empty());
    assert_eq!(fs::read_to_string(home.join("config.toml"))?, "model = \"x\"\n");
    assert_eq!(token(&case.original())?, "new");
    Ok(())
}

#[test]
fn servers_and_other_repositories_in_a_mixed_file_are_not_lent_and_not_lost() -> Outcome {
    let case = Case::new()?;
    let file = json!({ "numStartups": 3, "oauthAccount": { "accountUuid": "a" },
        "mcpServers": { "x": { "env": { "KEY": "secret" } } }, "projects": { "/other": {} } });
    fs::write(case.original(), file.to_string())?;
    let lent = case.lend()?;
    let copy = fs::read_to_string(case.copy())?;
    assert!(
        copy.contains("accountUuid") && !copy.contains("secret") && !copy.contains("/other"),
        "{copy}"
    );
    fs::write(case.copy(), json!({ "numStartups": 4, "hooks": {} }).to_string())?;
    assert!(lent.take_back().is_empty());
    assert_eq!(fs::read_to_string(case.original())?, file.to_string());
    Ok(())
}
