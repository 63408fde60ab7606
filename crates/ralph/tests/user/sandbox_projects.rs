//! What real projects need of the box: no wait for package managers, no files of ralph's in gates, Unix sockets of their
//! own, sanitizers.

use std::{error::Error, fs, os::unix::net::UnixListener, process::Command};

use testkit::{
    test_run::TestRun,
    told::{flowing, said},
};

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

/// One more gate, a script of its own.
fn with_gate(run: &TestRun, script: &str) -> Tested {
    run.program("work/more.sh", script)?;
    run.set("[[gate]]\nname = \"more\"\ncommand = \"./more.sh\"\nkind = \"custom\"")?;
    run.amend()?;
    Ok(())
}

fn passes(run: &TestRun, args: &[&str]) -> Tested {
    let output = run.ralph(args)?;
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", said(&output));
    Ok(())
}

/// Asks the gateway for each host that `state/hosts` names and keeps the first line of each answer.
const CONNECTS: &str = r#"
for host in $(cat "$STATE/hosts"); do
  bash -c "exec 3<>/dev/tcp/127.0.0.1/61080; printf 'CONNECT $host:443 HTTP/1.1\r\n\r\n' >&3; head -n 1 <&3" \
    >> "$STATE/answers"
done
"#;

#[test]
fn package_managers_name_their_hosts_from_a_sandbox_in_which_they_write_nothing() -> Tested {
    let run = boxed(&format!("{HONEST}\n{CONNECTS}"))?;
    let asked = run.path("asked");
    let npm = format!(
        "#!/bin/sh\necho asked >> '{}'\necho '{{\"registry\": \"https://npm.invalid/\"}}'\n",
        asked.display()
    );
    run.program("bin/npm", &npm)?;
    let path = format!("{}:/usr/bin:/bin", run.path("bin").display());
    let run = run.with_env("PATH", path);
    // One run after the other: no host, two hosts, one of them again, the same after a change.
    for (hosts, npmrc, answers) in [
        ("", "", vec![]),
        ("other.invalid npm.invalid", "", vec!["403", "502"]),
        ("npm.invalid", "", vec!["502"]),
        ("npm.invalid", "registry = https://npm.invalid/\n", vec!["502"]),
    ] {
        run.write("state/hosts", hosts)?;
        run.write("state/answers", "")?;
        run.write("home/.npmrc", npmrc)?;
        let prompt = ["-p", "go <promise>COMPLETE</promise>", "-n", "1"];
        passes(&run, &[&["run", "--fresh", "--ok-on-limit"][..], &prompt].concat())?;
        let said = run.read("state/answers");
        let codes: Vec<&str> = said.lines().filter_map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(codes, answers, "{hosts}: {said}");
    }
    passes(&run, &["gate", "run"])?;
    assert!(!asked.exists(), "a package manager ran outside a sandbox");
    Ok(())
}

#[test]
fn settings_of_package_managers_in_the_worktree_name_no_hosts() -> Tested {
    let run = boxed(&format!("{HONEST}\n{CONNECTS}"))?;
    run.program("bin/pip3", "#!/bin/sh\ncat \"$PIP_CONFIG_FILE\"\n")?;
    run.write("work/pip.conf", "global.index-url='https://evil.invalid/simple'\n")?;
    run.write("home/own.conf", "global.index-url='https://own.invalid/simple'\n")?;
    run.amend()?;
    run.write("state/hosts", "evil.invalid own.invalid")?;
    let path = format!("{}:/usr/bin:/bin", run.path("bin").display());
    let mut run = run.with_env("PATH", path);
    for (file, answers) in [("work/pip.conf", ["403", "403"]), ("home/own.conf", ["403", "502"])] {
        run.write("state/answers", "")?;
        let file = run.path(file).display().to_string();
        run = run.with_env("PIP_CONFIG_FILE", file.as_str());
        let prompt = ["-p", "go <promise>COMPLETE</promise>", "-n", "1"];
        passes(&run, &[&["run", "--fresh", "--ok-on-limit"][..], &prompt].concat())?;
        let said = run.read("state/answers");
        let codes: Vec<&str> = said.lines().filter_map(|line| line.split(' ').nth(1)).collect();
        assert_eq!(codes, answers, "{file}: {said}");
    }
    Ok(())
}

#[test]
fn gates_find_nothing_of_ralphs_and_git_misses_nothing() -> Tested {
    let run = boxed(HONEST)?;
    run.write("work/.ralph/prd.md", "# a requirement\n")?;
    let script = "#!/bin/sh\nset -e\ntest -z \"$(ls -A .ralph)\"\necho formatted > .ralph/prd.md\nrm .ralph/prd.md\n\
                  git diff --exit-code\ntest -z \"$(git status --porcelain .ralph)\"\n";
    with_gate(&run, script)?;
    assert!(run.git(&["ls-files", ".ralph"])?.contains("prd.md"), "it is tracked");
    passes(&run, &["gate", "run"])?;
    let output = run.ralph(&["run"])?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(!said(&output).contains("red"), "before the run too: {}", said(&output));
    assert_eq!(run.read("work/.ralph/prd.md"), "# a requirement\n");
    Ok(())
}

const SOCKETS: &str = r#"#!/bin/sh
command -v python3 > /dev/null || exit 0
cat > /tmp/all.py <<'P'
import asyncio, multiprocessing, os, socket, stat, sys
def square(n): return n * n
def refused(address):
    try:
        with socket.socket(socket.AF_UNIX) as one: one.connect(address)
    except OSError: return True
async def serve():
    async def answer(reader, writer):
        writer.write(b"hello"); await writer.drain(); writer.close()
    async with await asyncio.start_unix_server(answer, "/tmp/own.sock"):
        reader, _ = await asyncio.open_unix_connection("/tmp/own.sock")
        assert await reader.read() == b"hello"
if __name__ == "__main__":
    asyncio.run(serve())
    with multiprocessing.get_context("forkserver").Pool(1) as pool: assert pool.map(square, [3]) == [9]
    with multiprocessing.Manager() as manager: assert list(manager.list([1])) == [1]
    one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.send(b"x"); assert two.recv(1) == b"x"
    assert stat.S_ISSOCK(os.stat(sys.argv[-1]).st_mode)
    for address in sys.argv[1:]: assert refused(address), address
P
exec python3 /tmp/all.py "#;

/// As uvicorn, tsx and multiprocessing have them; a database of the user's that listens in the worktree, or in a folder
/// that is lent, is none of the box's business.
#[test]
fn programs_have_unix_sockets_and_never_reach_those_of_the_machine() -> Tested {
    let run = boxed(HONEST)?;
    let places = ["work/own.sock", "state/lent.sock", "state/deep/spaced name.sock"];
    fs::create_dir_all(run.path("state/deep"))?;
    let paths = places.map(|name| run.path(name));
    let _held: Vec<UnixListener> =
        paths.iter().map(UnixListener::bind).collect::<Result<_, _>>()?;
    // No list tells where this one is: it was bound under another name, in a folder that is shown.
    fs::create_dir_all(run.path("shown"))?;
    let (bound, shown) = (run.path("state/bound.sock"), run.path("shown/renamed.sock"));
    let _shown = UnixListener::bind(&bound)?;
    fs::rename(bound, &shown)?;
    let paths = paths.iter().chain([&shown]);
    let quoted: Vec<String> = paths.map(|path| format!("'{}'", path.display())).collect();
    let settings = run.read("home/.config/ralph/settings.toml");
    let settings = format!(
        "{settings}readable = [\"{}\"]
",
        run.path("shown").display()
    );
    run.write("home/.config/ralph/settings.toml", &settings)?;
    with_gate(&run, &format!("{SOCKETS}{}\n", quoted.join(" ")))?;
    passes(&run, &["gate", "run"])?;
    passes(&run, &["run"])?;

    // Where nothing can be hidden there are none, and the setting is named before anything starts.
    let worktree = run.with_env("RALPH_GATES_ROOM", "worktree");
    let output = worktree.ralph(&["run", "--dry-run", "-p", "go"])?;
    let said = flowing(&String::from_utf8_lossy(&output.stdout));
    assert!(said.contains("unless sandbox.unix_sockets is true"), "{said}");
    Ok(())
}

const SANITIZERS: &str = r#"#!/bin/sh
set -e
# Without a control group each process is bounded by itself, which sanitizers do not survive.
[ "$(ulimit -d)" = unlimited ] || exit 0
cd "$(mktemp -d)"
cat > leak.c <<'C'
#include <stdlib.h>
int main(int count, char **words) { char *volatile p = malloc(8); p[0] = 1; if (count > 1) p = 0; free(p); return 0; }
C
for kind in address leak thread; do
  gcc -g -fsanitize=$kind leak.c -o $kind
  ./$kind
done
for kind in address leak; do
  if ./$kind lose 2> $kind.log; then echo "$kind lost sight of it"; exit 1; fi
  grep -q 'detected memory leaks' $kind.log
done
"#;

#[test]
fn sanitizers_work_where_a_control_group_bounds_memory() -> Tested {
    let run = boxed(HONEST)?;
    run.program("bare.sh", SANITIZERS)?;
    let works = Command::new(run.path("bare.sh")).output()?.status.success();
    if !works {
        println!("gcc has no sanitizers here");
        return Ok(());
    }
    with_gate(&run, SANITIZERS)?;
    passes(&run, &["gate", "run"])
}
