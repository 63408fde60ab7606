//! An ordinary build in the box: the user's package cache is there, and what a build adds stays out of it.

use std::{env, error::Error, fs, path::PathBuf};

use testkit::{test_run::TestRun, told::said};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";

type Tested = Result<(), Box<dyn Error>>;

fn boxed(agent: &str) -> Result<TestRun, Box<dyn Error>> {
    let run = TestRun::new(RALPH, 1, agent)?;
    let state = run.path("state");
    let settings =
        format!("[review]\nmode = \"off\"\n[sandbox]\nwritable = [\"{}\"]\n", state.display());
    run.write("home/.config/ralph/settings.toml", &settings)?;
    Ok(run)
}

/// Where this machine's user keeps a toolchain's files.
fn kept(variable: &str, below_home: &str) -> PathBuf {
    let home = || PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(below_home);
    env::var_os(variable).map_or_else(home, PathBuf::from)
}

#[test]
fn a_cargo_build_finds_downloaded_crates_without_a_network() -> Tested {
    let (cargo, rustup) = (kept("CARGO_HOME", ".cargo"), kept("RUSTUP_HOME", ".rustup"));
    let run = boxed(HONEST)?
        .with_env("CARGO_HOME", cargo.display().to_string())
        .with_env("RUSTUP_HOME", rustup.display().to_string());
    run.write(
        "work/demo/Cargo.toml",
        "[package]\nname = \"demo\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nshell-words = \"1.1\"\n[workspace]\n",
    )?;
    run.write("work/demo/src/lib.rs", "pub use shell_words::split;\n")?;
    run.write("work/.gitignore", "target\nCargo.lock\n")?;
    run.set("[[gate]]\nname = \"build\"\ncommand = \"cargo build --offline --manifest-path demo/Cargo.toml\"\nkind = \"build\"")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    Ok(())
}

#[test]
fn what_an_agent_adds_to_a_cache_is_gone_with_its_run_and_never_in_the_users_own() -> Tested {
    let script = format!(
        "{HONEST}\ncat ~/.npm/_cacache/old || exit 1\nif [ -e ~/.npm/_cacache/new ]; then echo again > work/again; fi\necho new > ~/.npm/_cacache/new\n"
    );
    let run = boxed(&script)?;
    run.write("home/.npm/_cacache/old", "old")?;
    let first = run.ralph(&["run"])?;
    assert_eq!(first.status.code(), Some(0), "{}", said(&first));
    assert!(!run.path("work/work/again").exists());
    let second = run.ralph(&["run", "-p", "go on <promise>COMPLETE</promise>", "-n", "1"])?;
    assert!(said(&second).contains("old"), "{}", said(&second));
    assert!(!run.path("work/work/again").exists(), "{}", said(&second));
    assert_eq!(fs::read_dir(run.path("home/.npm/_cacache"))?.count(), 1);
    Ok(())
}

#[test]
fn a_program_behind_a_link_of_a_package_manager_starts() -> Tested {
    let run = boxed("exit 9")?;
    let script = "#!/bin/sh\ncat > /dev/null\n. \"$(dirname \"$(readlink -f \"$0\")\")/part.sh\"\n";
    let package = "home/.npm-global/lib/node_modules/tool";
    run.program(&format!("{package}/cli.sh"), script)?;
    run.write(&format!("{package}/part.sh"), "mkdir -p work\ntouch work/T-1\necho finished\n")?;
    let bin = run.path("home/.npm-global/bin");
    fs::create_dir_all(&bin)?;
    std::os::unix::fs::symlink("../lib/node_modules/tool/cli.sh", bin.join("tool"))?;
    let run = run.with_env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    let output = run.ralph(&["run", "--agent", "tool"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    Ok(())
}

#[test]
fn a_test_that_makes_a_repository_of_its_own_can_commit_in_it() -> Tested {
    let run = boxed(HONEST)?;
    run.git(&["config", "user.name", "Ada"])?;
    run.git(&["config", "user.email", "ada@example.invalid"])?;
    let commit = "cd $(mktemp -d) && git init -q && git commit -q --allow-empty -m x && git log --format=%an | grep -qx Ada";
    run.set(&format!("[[gate]]\nname = \"commits\"\ncommand = \"{commit}\"\nkind = \"custom\""))?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    Ok(())
}

#[test]
fn an_active_environment_and_the_users_authorities_are_there_as_a_whole() -> Tested {
    let run = boxed(HONEST)?;
    run.write("home/venv/pyvenv.cfg", "")?;
    run.write("home/venv/lib/data", "data")?;
    run.program("home/venv/bin/tool", "#!/bin/sh\nexec cat \"$HOME/venv/lib/data\"\n")?;
    run.write("home/authority.pem", "authority")?;
    run.write("home/secret.pem", "secret")?;
    let path = format!("{}:{}", run.path("home/venv/bin").display(), env::var("PATH")?);
    let authority = run.path("home/authority.pem").display().to_string();
    let run = run.with_env("PATH", path).with_env("NODE_EXTRA_CA_CERTS", authority);
    let command = "tool && cat $NODE_EXTRA_CA_CERTS && test ! -e ~/secret.pem";
    run.set(&format!("[[gate]]\nname = \"tool\"\ncommand = \"{command}\"\nkind = \"custom\""))?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    Ok(())
}

/// What common tools do all day, each only where it is installed.
const RUNTIMES: &str = r#"set -e
cd "$(mktemp -d)"
has() { command -v "$1" > /dev/null; }
if has python3; then
cat > all.py <<'P'
import concurrent.futures, multiprocessing, os, pwd, signal, socket, sqlite3, ssl, subprocess, tempfile, threading
if __name__ == "__main__":
    assert multiprocessing.Pool(2).map(abs, [-1, -2]) == [1, 2]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(abs, range(-9, 0))) == 45
    assert subprocess.run(["sh", "-c", "exit 3"]).returncode == 3
    server = socket.create_server(("127.0.0.1", 0))
    socket.create_connection(server.getsockname()).close()
    sqlite3.connect(tempfile.mktemp()).execute("create table a (b)")
    os.posix_fallocate(os.open("f", os.O_CREAT | os.O_RDWR), 0, 4096)
    assert pwd.getpwuid(0).pw_name == "root" and ssl.create_default_context()
P
python3 all.py
fi
if has node; then
cat > all.js <<'N'
const { Worker } = require('worker_threads'), fs = require('fs'), { execSync } = require('child_process');
fs.watch('.').close(); execSync('true'); fs.copyFileSync('all.js', 'copy.js');
new Worker('require("worker_threads").parentPort.postMessage(1)', { eval: true }).on('message', () => process.exit(0));
N
node all.js
fi
if has rustc; then
echo 'fn main() { std::thread::spawn(|| ()).join().unwrap(); }' > main.rs && rustc main.rs && ./main
fi
if has javac; then
echo 'class A { public static void main(String[] a) throws Exception { Thread t = new Thread(); t.start(); t.join(); } }' > A.java
javac A.java && java A
fi
if has go; then
printf 'package main\nfunc main() { c := make(chan int); go func() { c <- 1 }(); <-c }\n' > main.go && HOME=$PWD go run main.go
fi
if has cc; then echo 'int main(void) { return 0; }' > a.c && cc a.c && ./a.out; fi
git init -q r && git -C r status
"#;

#[test]
fn common_runtimes_work_with_the_calls_that_are_let_through() -> Tested {
    let (cargo, rustup) = (kept("CARGO_HOME", ".cargo"), kept("RUSTUP_HOME", ".rustup"));
    let run = boxed(HONEST)?
        .with_env("CARGO_HOME", cargo.display().to_string())
        .with_env("RUSTUP_HOME", rustup.display().to_string());
    run.write("work/runtimes.sh", RUNTIMES)?;
    run.set("[[gate]]\nname = \"runtimes\"\ncommand = \"sh runtimes.sh\"\nkind = \"custom\"")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    Ok(())
}

/// Each of these succeeds, or fails for another reason, where no filter is.
#[cfg(target_arch = "x86_64")]
const CALLS: &str = r"import ctypes
libc = ctypes.CDLL(None, use_errno=True)
wrong = []
for number in [101, 134, 136, 139, 156, 165, 212, 272, 279, 304, 310, 320, 323, 425, 428, 435, 457, 500, 0x40000000 + 39]:
    ctypes.set_errno(0)
    if libc.syscall(ctypes.c_long(number), 0, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() not in (1, 38):
        wrong.append((number, ctypes.get_errno()))
assert libc.syscall(ctypes.c_long(39)) > 0 and not wrong, wrong
";

#[cfg(target_arch = "x86_64")]
#[test]
fn calls_that_no_build_needs_do_not_exist() -> Tested {
    let run = boxed(HONEST)?;
    run.write("work/calls.py", CALLS)?;
    run.set("[[gate]]\nname = \"calls\"\ncommand = \"python3 calls.py\"\nkind = \"custom\"")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    Ok(())
}

#[test]
fn of_git_the_system_and_the_home_there_is_what_is_needed_and_nothing_else() -> Tested {
    let run = boxed(HONEST)?;
    run.git(&["config", "credential.helper", "!f() { echo password=hidden; }; f"])?;
    run.git(&["config", "remote.origin.url", "https://me:hidden@host.invalid/a"])?;
    run.write("work/.git/credentials", "hidden")?;
    run.write("work/.git/git-crypt/keys/default", "hidden")?;
    run.write("home/projects/other/.env", "hidden")?;
    run.program("home/projects/other/tool.sh", "#!/bin/sh\nexit 0\n")?;
    run.write("home/.local/share/uv/credentials/c.toml", "hidden")?;
    run.write("home/.cargo/config.toml", "[registry]\ntoken = \"hidden\"\n[net]\nretry = 3\n")?;
    fs::create_dir_all(run.path("home/.local/bin"))?;
    let tool = run.path("home/projects/other/tool.sh");
    std::os::unix::fs::symlink(tool, run.path("home/.local/bin/tool"))?;
    let path = format!("{}:{}", run.path("home/.local/bin").display(), env::var("PATH")?);
    let run = run.with_env("PATH", path);
    run.write(
        "work/look.sh",
        "set -e\ntool\ngit log -1 > /dev/null\ngit status > /dev/null\ngit rev-parse HEAD\n\
         git config remote.origin.url | grep -qx https://host.invalid/a\n\
         grep -q retry ~/.cargo/config.toml\ntest -r /etc/passwd\ntest ! -e /etc/shadow\n\
         test ! -e /var/lib/dpkg\ntest ! -e /etc/ssh\ngetent passwd root\n\
         if grep -rsI hidden .git ~; then exit 1; fi\n",
    )?;
    run.set("[[gate]]\nname = \"look\"\ncommand = \"sh look.sh\"\nkind = \"custom\"")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    Ok(())
}

/// Named by the user: what is there is used, what a gate adds is there for the next one, and the folder itself stays as it
/// is. Named by the project: nothing of the machine is seen.
#[test]
fn a_folder_that_cargo_builds_in_outside_the_project_is_a_cache() -> Tested {
    let gate = "#!/bin/sh\nset -e\ncat \"$CARGO_TARGET_DIR/old\"\ntest ! -e \"$CARGO_TARGET_DIR/new\" || echo warm\n\
                echo new > \"$CARGO_TARGET_DIR/new\"\n";
    for is_variable in [true, false] {
        let run = boxed(HONEST)?;
        let built = run.path("built").display().to_string();
        run.write("built/CACHEDIR.TAG", "")?;
        run.write("built/old", "old\n")?;
        let run = if is_variable {
            run.with_env("CARGO_TARGET_DIR", built)
        } else {
            let settings = format!("[build]\ntarget-dir = \"{built}\"\n");
            run.write("home/.cargo/config.toml", &settings)?;
            run
        };
        run.program("work/build.sh", gate)?;
        run.set("[[gate]]\nname = \"build\"\ncommand = \"./build.sh\"\nkind = \"build\"")?;
        run.amend()?;
        let output = run.ralph(&["run"])?;
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        let logs = run.only_run()?;
        let logged = run.command_of("grep").args(["-rl", "^warm"]).arg(logs).output()?;
        assert!(!logged.stdout.is_empty(), "the gate of the task finds what the first one built");
        assert_eq!(fs::read_dir(run.path("built"))?.count(), 2);
    }
    let run = boxed(HONEST)?;
    run.write("built/CACHEDIR.TAG", "")?;
    let settings = format!("[build]\ntarget-dir = \"{}\"\n", run.path("built").display());
    run.write("work/.cargo/config.toml", &settings)?;
    let gate = "#!/bin/sh\nset -e\ntest ! -e ../built\nls $CARGO_TARGET_DIR | sed s/^/has-/\necho > $CARGO_TARGET_DIR/new\n";
    run.program("work/build.sh", gate)?;
    run.set("[[gate]]\nname = \"build\"\ncommand = \"./build.sh\"\nkind = \"build\"")?;
    run.amend()?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let logged = run.command_of("grep").args(["-rl", "^has-new"]).arg(run.only_run()?).output()?;
    assert!(!logged.stdout.is_empty(), "what the first gate built is there");
    Ok(())
}

#[test]
fn a_toolchain_that_is_not_there_is_named_with_what_installs_it() -> Tested {
    let run = boxed(HONEST)?;
    run.write("work/rust-toolchain.toml", "[toolchain]\nchannel = \"1.1.0\"\n")?;
    run.program(
        "work/build.sh",
        "#!/bin/sh\necho \"installs: $RUSTUP_AUTO_INSTALL\"\ncargo --version\nexit 1\n",
    )?;
    run.set("[[gate]]\nname = \"build\"\ncommand = \"./build.sh\"\nkind = \"build\"")?;
    run.amend()?;
    let said = String::from_utf8(run.ralph(&["gate", "run"])?.stdout)?;
    assert!(said.contains("installs: 0"), "{said}");
    let rustup = run.command_of("rustup").arg("--version").output();
    if rustup.is_ok_and(|output| output.status.success()) {
        assert!(said.contains("toolchain '1.1.0"), "{said}");
        assert!(said.contains("rustup toolchain install"), "{said}");
    }
    Ok(())
}
