//! A company's network around the box: a registry at a private address, and a proxy that leads to the internet. All of it
//! is in a network of its own; nothing outside is reached.

use std::{error::Error, fs, os::unix::fs::MetadataExt as _, process::Output};

use testkit::{test_run::TestRun, told::said};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");

type Tested = Result<(), Box<dyn Error>>;

/// Names and addresses of the company; the registry and the proxy listen on loopback, where its address leads.
const HOSTS: &str = "10.1.2.3 npm.corp.test pip.corp.test wild.corp.test proxy.corp.test\n\
                     192.1.2.3 outside.test\n127.0.0.1 cellar.test localhost\n169.254.169.254 shelf.test\n";

/// Makes the network, starts the company's registry and proxy, and becomes ralph.
const LAND: &str = r#"set -e
PATH="$PATH:/usr/sbin:/sbin"
ip link set lo up
ip address add 169.254.169.254/32 dev lo
ip route add 10.1.2.3 dev lo src 127.0.0.1
nft add table ip nat
nft 'add chain ip nat output { type nat hook output priority -100; }'
nft add rule ip nat output ip daddr 10.1.2.3 dnat to 127.0.0.23
mount --bind "$STATE/hosts" /etc/hosts
python3 - "$STATE" <<'P' &
import os, socket, sys, threading, time
parent = os.getppid()
def serve(address, port, answer):
    server = socket.create_server((address, port))
    open(f"{sys.argv[1]}/listens-{address}-{port}", "w").close()
    while True:
        stream, _ = server.accept()
        head = b""
        while answer and not head.endswith(b"\r\n\r\n"): head += stream.recv(1)
        if answer:
            with open(f"{sys.argv[1]}/proxied", "ab") as log: log.write(head)
        stream.sendall(answer)
places = [("127.0.0.23", 443, b""), ("127.0.0.1", 443, b""), ("169.254.169.254", 443, b""),
          ("127.0.0.23", 3128, b"HTTP/1.1 200 OK\r\n\r\n")]
for place in places: threading.Thread(target=serve, args=place, daemon=True).start()
while os.getppid() == parent: time.sleep(0.1)
P
while [ "$(ls "$STATE" | grep -c ^listens-)" -lt 4 ]; do kill -0 $! || exit 9; sleep 0.1; done
"$0" "$@"
"#;

/// Asks the gateway for each host and keeps the code of each answer; shows what is there of the settings.
const AGENT: &str = r#"
mkdir -p work && echo "$TASK" > "work/$TASK"
for host in $(cat "$STATE/asked"); do
  code=$(bash -c "exec 3<>/dev/tcp/127.0.0.1/61080; printf 'CONNECT $host:443 HTTP/1.1\r\n\r\n' >&3; head -n 1 <&3")
  echo "$host ${code#* }" | cut -d' ' -f1,2 >> "$STATE/answers"
done
{ env; cat ~/.npmrc ~/.config/pip/pip.conf ~/.config/uv/uv.toml; } > "$STATE/settings"
"#;

fn company() -> Result<Option<TestRun>, Box<dyn Error>> {
    let run = TestRun::new(RALPH, 1, AGENT)?;
    let state = run.path("state");
    let run = run.with_env("STATE", state.display().to_string());
    let settings = format!(
        "[review]\nmode = \"off\"\n[sandbox]\nwritable = [\"{}\"]\nallow_hosts = [\"pip.corp.test\", \"*.corp.test\", \
         \"outside.test\", \"cellar.test\", \"shelf.test\"]\n",
        state.display()
    );
    run.write("home/.config/ralph/settings.toml", &settings)?;
    run.write("state/hosts", HOSTS)?;
    let npmrc =
        "registry=https://me:s3cretword@npm.corp.test/\n//npm.corp.test/:_authToken=s3crettoken\n";
    run.write("home/.npmrc", npmrc)?;
    let pip = "[global]\nextra-index-url = https://me:s3cretword@pip.corp.test/simple\n";
    run.write("home/.config/pip/pip.conf", pip)?;
    let uv = "[[index]]\nurl = \"https://me:s3cretword@uv.corp.test/simple\"\n";
    run.write("home/.config/uv/uv.toml", uv)?;
    // As npm answers; the other managers of this machine are not asked.
    let npm = "#!/bin/sh\necho '{\"registry\": \"https://npm.corp.test/\"}'\n";
    run.program("bin/npm", npm)?;
    let path = format!("{}:/usr/bin:/bin", run.path("bin").display());
    let run = run.with_env("PATH", path);
    // Where there are no network namespaces, or neither ip nor python3, nothing can be shown.
    let has = land(&run, &["-V"]).is_ok_and(|output| output.status.success());
    Ok(has.then_some(run))
}

/// Runs ralph in the company's network.
fn land(run: &TestRun, args: &[&str]) -> Result<Output, Box<dyn Error>> {
    for entry in fs::read_dir(run.path("state"))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("listens-") {
            fs::remove_file(entry.path())?;
        }
    }
    let mut command = run.command_of("unshare");
    command.args(["-n", "-m"]);
    if fs::metadata("/proc/self")?.uid() != 0 {
        command.arg("-r");
    }
    command.args(["sh", "-c", LAND, RALPH]).args(args);
    Ok(command.output()?)
}

/// What became of each host that the agent asked for.
fn answers(run: &TestRun, asked: &[&str]) -> Result<Vec<String>, Box<dyn Error>> {
    run.write("state/asked", &asked.join(" "))?;
    run.write("state/answers", "")?;
    let prompt = ["-p", "go <promise>COMPLETE</promise>", "-n", "1"];
    let output = land(run, &[&["run", "--fresh", "--ok-on-limit"][..], &prompt].concat())?;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    Ok(run.read("state/answers").lines().map(str::to_owned).collect())
}

#[test]
fn a_registry_of_the_company_is_reached_where_a_person_named_it_and_without_its_token() -> Tested {
    let Some(run) = company()? else { return Ok(()) };
    let run = run.with_env("PIP_INDEX_URL", "https://me:s3cretword@pip.corp.test/simple");
    let asked = ["npm.corp.test", "pip.corp.test", "wild.corp.test", "cellar.test", "shelf.test"];
    let expected = [
        "npm.corp.test 200",
        "pip.corp.test 200",
        "wild.corp.test 403",
        "cellar.test 403",
        "shelf.test 403",
    ];
    assert_eq!(answers(&run, &asked)?, expected);
    let seen = run.read("state/settings");
    for line in [
        "registry=https://npm.corp.test/",
        "extra-index-url = https://pip.corp.test/simple",
        "PIP_INDEX_URL=https://pip.corp.test/simple",
        "url = \"https://uv.corp.test/simple\"",
    ] {
        assert!(seen.lines().any(|one| one == line), "{line}: {seen}");
    }
    assert!(!seen.contains("s3cret"), "{seen}");
    let report = String::from_utf8(run.ralph(&["report"])?.stdout)?;
    assert!(report.contains("allow_hosts = [\"wild.corp.test\"]"), "{report}");
    assert!(!report.contains("allow_hosts = [\"cellar.test\"]"), "{report}");
    Ok(())
}

#[test]
fn the_proxy_of_the_machine_leads_to_the_internet_and_not_to_the_company() -> Tested {
    let Some(run) = company()? else { return Ok(()) };
    let run = run
        .with_env("HTTPS_PROXY", "http://me:s3cretword@proxy.corp.test:3128")
        .with_env("NO_PROXY", "localhost");
    let expected = ["outside.test 200", "npm.corp.test 200", "cellar.test 403"];
    assert_eq!(answers(&run, &["outside.test", "npm.corp.test", "cellar.test"])?, expected);
    let proxied = run.read("state/proxied");
    assert!(proxied.starts_with("CONNECT outside.test:443 HTTP/1.1\r\n"), "{proxied}");
    assert!(proxied.contains("Proxy-Authorization: Basic "), "{proxied}");
    assert_eq!(proxied.matches("CONNECT").count(), 1, "{proxied}");
    assert!(!run.read("state/settings").contains("s3cret"));
    Ok(())
}
