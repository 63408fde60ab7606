//! `ralph guard` as a process: its answers, its exit codes, its settings, its cost.

use std::{
    error::Error,
    io::Write as _,
    path::Path,
    process::{Command, Output, Stdio},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn Error>>;

/// A folder that is no repository, with a home beside it.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Result<Self, Box<dyn Error>> {
        let root = tempfile::tempdir()?;
        for folder in ["work", "home/.config/ralph"] {
            std::fs::create_dir_all(root.path().join(folder))?;
        }
        Ok(Self { root })
    }

    fn work(&self) -> std::path::PathBuf {
        self.root.path().join("work")
    }

    fn write(&self, path: &str, text: &str) -> std::io::Result<()> {
        let path = self.root.path().join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)
    }

    fn guard(&self, args: &[&str], input: &str) -> Result<Output, Box<dyn Error>> {
        let mut child = self.command(&self.work(), args).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input.as_bytes())?;
        }
        Ok(child.wait_with_output()?)
    }

    fn command(&self, dir: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(RALPH);
        command.arg("guard").args(args).current_dir(dir).env_clear();
        command.env("HOME", self.root.path().join("home")).env("PATH", "/usr/bin:/bin");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_command_is_allowed_with_0_and_denied_with_7_and_a_way_out() -> Tested {
    let place = Place::new()?;
    let allowed = place.guard(&["cargo test"], "")?;
    assert_eq!((allowed.status.code(), text(&allowed.stdout)), (Some(0), "allow\n".to_owned()));
    let denied = place.guard(&["git push --force"], "")?;
    assert_eq!(denied.status.code(), Some(7));
    let said = text(&denied.stdout);
    assert!(said.starts_with("deny (git-force-push): ") && said.contains("\ninstead: "), "{said}");
    let json = place.guard(&["--json", "rm -rf ~"], "")?;
    let json: serde_json::Value = serde_json::from_slice(&json.stdout)?;
    assert_eq!(json["verdict"], "deny");
    Ok(())
}

#[test]
fn a_batch_is_answered_line_by_line_in_order() -> Tested {
    let place = Place::new()?;
    let input = "ls\nbash <<'E'⏎rm -rf ~⏎E\n\ncat <<'E'⏎rm -rf ~⏎E\nrm -rf ../other\n";
    let answer = place.guard(&["--batch"], input)?;
    assert_eq!(answer.status.code(), Some(0), "{}", text(&answer.stderr));
    let said = text(&answer.stdout);
    let words: Vec<&str> = said.lines().map(|line| line.split('\t').next().unwrap_or("")).collect();
    assert_eq!(words, ["allow", "deny", "allow", "allow", "deny"], "{said}");
    Ok(())
}

#[test]
fn rules_of_the_user_and_the_project_add_up_and_exceptions_are_the_users() -> Tested {
    let place = Place::new()?;
    place.write(
        "home/.config/ralph/settings.toml",
        "[[guard.rule]]\ndeny = [\"just\", \"release\"]\nreason = \"people release\"\nexamples = [\"cd x && just release\"]\n\
         [[guard.allow]]\ncommand = [\"docker\", \"push\"]\nexamples = [\"docker push a/b\"]\n",
    )?;
    place.write(
        "work/.ralph/settings.toml",
        "[[guard.rule]]\ndeny = [\"make\", \"deploy\"]\nreason = \"the pipeline deploys\"\n",
    )?;
    let codes = |command: &str| place.guard(&[command], "").map(|output| output.status.code());
    assert_eq!(codes("just release 1.0")?, Some(7));
    assert_eq!(codes("env A=1 make deploy")?, Some(7));
    assert_eq!(codes("docker push a/b")?, Some(0));
    assert_eq!(codes("docker login")?, Some(7));
    place.write("work/.ralph/settings.toml", "[[guard.allow]]\ncommand = [\"git\", \"push\"]\n")?;
    let refused = place.guard(&["ls"], "")?;
    assert_eq!(refused.status.code(), Some(7));
    assert!(text(&refused.stderr).contains("guard.allow"), "{}", text(&refused.stderr));
    Ok(())
}

#[test]
fn local_settings_are_the_users_own_until_git_tracks_them() -> Tested {
    let place = Place::new()?;
    let local = "[[guard.allow]]\ncommand = [\"docker\", \"push\"]\n[claims]\ntrust_agent = true\n";
    place.write("work/.ralph/settings.local.toml", local)?;
    let git = |args: &[&str]| Command::new("git").args(args).current_dir(place.work()).output();
    assert!(git(&["init", "--quiet"])?.status.success());
    let config_show = || {
        let mut show = Command::new(RALPH);
        show.args(["config", "show"]).current_dir(place.work()).env_clear();
        show.env("HOME", place.root.path().join("home")).env("PATH", "/usr/bin:/bin").output()
    };
    assert_eq!(place.guard(&["docker push a/b"], "")?.status.code(), Some(0));
    let told = config_show()?;
    assert_eq!(told.status.code(), Some(0), "{}", text(&told.stderr));
    assert!(git(&["add", "--force", ".ralph/settings.local.toml"])?.status.success());
    assert_eq!(place.guard(&["docker push a/b"], "")?.status.code(), Some(7));
    let refused = config_show()?;
    assert_eq!(refused.status.code(), Some(7), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("git rm --cached"), "{}", text(&refused.stderr));
    Ok(())
}

#[test]
fn an_example_that_its_rule_does_not_deny_is_an_error_with_file_key_and_line() -> Tested {
    let place = Place::new()?;
    place.write(
        "work/.ralph/settings.toml",
        "[[guard.rule]]\ndeny = [\"terraform\", \"destroy\"]\nreason = \"no\"\nexamples = [\"terraform plan\"]\n",
    )?;
    let output = place.guard(&["ls"], "")?;
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for part in [".ralph/settings.toml:4", "guard.rule[0].examples[0]", "terraform plan"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_call_costs_little_more_processor_time_than_printing_the_version() -> Tested {
    let place = Place::new()?;
    let calls = 40;
    let cost = |args: &[&str]| -> Result<u64, Box<dyn Error>> {
        let before = children_ticks()?;
        for _ in 0..calls {
            let mut command = Command::new(RALPH);
            command.args(args).current_dir(place.work()).env_clear().env("HOME", place.root.path());
            command.stdout(Stdio::null()).status()?;
        }
        Ok(children_ticks()? - before)
    };
    let bare = cost(&["--version"])?;
    let guard =
        cost(&["guard", "cd src && find . -name '*.o' -exec rm -rf {} + && git push --force"])?;
    println!("{calls} calls: --version {bare}0 ms, guard {guard}0 ms");
    assert!(guard <= bare * 3 + 20, "{guard} ticks against {bare}");
    Ok(())
}

/// Processor time of all children that ended, in ticks of 10 ms.
#[cfg(target_os = "linux")]
fn children_ticks() -> Result<u64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let field =
        |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    Ok(field(13) + field(14))
}
