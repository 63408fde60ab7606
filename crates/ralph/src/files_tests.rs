//! Real folders: which files are found, and which are refused.

use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;

struct Place(TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = place.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn layers(&self, config: Option<&str>, tracked: &[&str]) -> Result<Vec<LayerText>, FilesError> {
        let config = config.map(|name| self.path(name));
        layers(&Search {
            project_dir: &self.path("repo"),
            config: config.as_deref(),
            user_dir: Some(&self.path("home/ralph")),
            is_tracked: &|path| tracked.iter().any(|name| path == Path::new(name)),
        })
    }

    fn shown(&self, config: Option<&str>, tracked: &[&str]) -> Vec<String> {
        let root = self.0.path().display().to_string();
        let show = |layer: LayerText| match layer {
            LayerText::File(f) => {
                let name = f.name.replace(&root, "");
                format!("{:?} {name} {:?} {:?} {}", f.layer, f.format, f.trust, f.text)
            }
            other => format!("{other:?}"),
        };
        self.layers(config, tracked).unwrap().into_iter().map(show).collect()
    }

    fn refused(&self, config: Option<&str>) -> String {
        let error = self.layers(config, &[]).unwrap_err();
        let root = self.0.path().display().to_string();
        format!("{error} ({})", error.help()).replace(&root, "")
    }
}

#[test]
fn settings_of_the_user_that_lie_in_the_project_are_what_an_agent_made_of_them() {
    let place = Place::new(&[("repo/dotfiles/settings.toml", "a"), ("home/ralph/other", "")]);
    let link = place.path("home/ralph/settings.toml");
    symlink(place.path("repo/dotfiles/settings.toml"), &link).unwrap();
    assert_eq!(place.shown(None, &[]), ["User /home/ralph/settings.toml Toml OnlyTighten a"]);
    fs::rename(place.path("repo/dotfiles"), place.path("elsewhere")).unwrap();
    fs::remove_file(&link).unwrap();
    symlink(place.path("elsewhere/settings.toml"), &link).unwrap();
    assert_eq!(place.shown(None, &[]), ["User /home/ralph/settings.toml Toml MayLoosen a"]);
}

#[test]
fn without_files_there_are_no_layers() {
    assert_eq!(Place::new(&[]).shown(None, &[]), [""; 0]);
}

#[test]
fn all_files_are_found_in_either_format() {
    let place = Place::new(&[
        ("home/ralph/settings.toml", "u"),
        ("repo/.ralph/settings.json", "p"),
        ("repo/.ralph/settings.local.toml", "l"),
    ]);
    assert_eq!(
        place.shown(None, &[]),
        [
            "User /home/ralph/settings.toml Toml MayLoosen u",
            "Project .ralph/settings.json Json OnlyTighten p",
            "Local .ralph/settings.local.toml Toml MayLoosen l",
        ]
    );
}

#[test]
fn a_local_file_that_git_tracks_may_only_tighten() {
    let place = Place::new(&[("repo/.ralph/settings.local.json", "l")]);
    assert_eq!(
        place.shown(None, &[".ralph/settings.local.json"]),
        ["Local .ralph/settings.local.json Json OnlyTighten l"]
    );
}

#[test]
fn a_named_file_stands_in_for_the_projects() {
    let place = Place::new(&[("repo/.ralph/settings.toml", "p"), ("other.json", "o")]);
    assert_eq!(place.shown(Some("other.json"), &[]), ["Project /other.json Json OnlyTighten o"]);
    insta::assert_snapshot!(place.refused(Some("gone.toml")), @"/gone.toml cannot be read (check the path /gone.toml, or omit --config)");
}

#[test]
fn two_formats_in_one_layer_are_refused() {
    let place =
        Place::new(&[("repo/.ralph/settings.toml", ""), ("repo/.ralph/settings.json", "{}")]);
    insta::assert_snapshot!(place.refused(None), @"both /repo/.ralph/settings.toml and /repo/.ralph/settings.json exist, and only one may (move what you need from /repo/.ralph/settings.json to /repo/.ralph/settings.toml and delete it)");
}

#[test]
fn links_in_a_repository_are_refused_and_the_users_own_are_followed() {
    let place = Place::new(&[("real/settings.local.toml", "x"), ("home/ralph/real.toml", "u")]);
    fs::create_dir(place.path("repo")).unwrap();
    symlink(place.path("home/ralph/real.toml"), place.path("home/ralph/settings.toml")).unwrap();
    assert_eq!(place.shown(None, &[]), ["User /home/ralph/settings.toml Toml MayLoosen u"]);
    symlink("../real", place.path("repo/.ralph")).unwrap();
    assert!(place.refused(None).starts_with("/repo/.ralph is a symbolic link"));
    fs::remove_file(place.path("repo/.ralph")).unwrap();
    fs::create_dir(place.path("repo/.ralph")).unwrap();
    let link = place.path("repo/.ralph/settings.local.toml");
    symlink(place.path("real/settings.local.toml"), &link).unwrap();
    assert!(place.refused(None).starts_with("/repo/.ralph/settings.local.toml is a symbolic link"));
    fs::remove_file(&link).unwrap();
    symlink("nowhere", &link).unwrap();
    assert!(place.refused(None).starts_with("/repo/.ralph/settings.local.toml is a symbolic link"));
}

#[test]
fn what_is_no_text_file_of_sensible_size_is_refused() {
    let folder = Place::new(&[("repo/.ralph/settings.toml/x", "")]);
    assert!(folder.refused(None).starts_with("/repo/.ralph/settings.toml cannot be read: it is"));
    let big = Place::new(&[("repo/.ralph/settings.toml", &"#".repeat((1 << 20) + 1))]);
    assert!(big.refused(None).contains("than 1024 KB"));
    let bytes = Place::new(&[("repo/.ralph/x", "")]);
    fs::write(bytes.path("repo/.ralph/settings.toml"), [0xff, 0xfe]).unwrap();
    assert_eq!(
        bytes.refused(None),
        "/repo/.ralph/settings.toml is not UTF-8 text (save it as UTF-8)"
    );
}
