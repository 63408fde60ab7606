//! An evening with a real CLI: a run is left alone, calls its person back, is answered, waits out a usage limit overnight
//! and is done in the morning. Each step asserts what the person sees: a shell, a phone, `ralph watch`, a page.

use std::{fs, io, os::unix::fs::PermissionsExt as _, time::SystemTime};

use serde_json::{Value, json};
use testkit::{
    model::{Failure, Step},
    pty::Size,
    receiver::{Answer, Receiver},
};

use crate::{
    Tested,
    ground::{Caller, Ground, LONGEST, does, report, until},
    island::on_island,
};

const SCREEN: Size = Size(120, 40);
/// Where the person lives it is now this time of day, in hours.
const EVENING: u64 = 21;
/// The allowance comes back after so many hours.
const LIMIT: u64 = 9;
const HOUR: u64 = 3600;
const SETTINGS: &str = "[notify]\nmin_gap = '0s'\ndetail = 'text'\n\
                        [[notify.channel]]\nkind = 'webhook'\nurl_env = 'HOOK'\n";

#[test]
fn a_person_is_called_back_answers_and_finds_everything_done_in_the_morning() -> Tested {
    let name = "evening::a_person_is_called_back_answers_and_finds_everything_done_in_the_morning";
    on_island(name, || {
        let evening = Evening::begin()?;
        let run = &evening.ground.run;
        let mut shell = run.on_terminal(&["run", "--detach"], SCREEN)?;
        assert_eq!(shell.finish()?, 0, "{}", shell.screen());
        let folder = run.only_run()?;
        let id = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for said in [format!("run {id}"), "works in the background".into(), "ralph watch".into()] {
            assert!(shell.screen().contains(&said), "{said}: {}", shell.screen());
        }

        let call = evening.phone("parked")?;
        assert_eq!((&call["run"], &call["urgent"]), (&id.into(), &true.into()), "{call}");
        assert_eq!(call["title"], "scratch: T-1 asks a question: make work/T-1");
        assert_eq!((&call["text"], &call["task"]), (&"which colour?".into(), &"T-1".into()));
        assert_eq!(call["next"], "ralph task answer T-1 \"…\"");
        let wait = evening.phone("waiting")?;
        assert_eq!(wait["urgent"], false, "{wait}");
        let title = wait["title"].as_str().unwrap_or_default();
        assert!(title.contains("waiting 9h") || title.contains("waiting 8h59m"), "{title}");

        let mut watch = run.on_terminal(&["watch"], SCREEN)?;
        // Blanks within a plain line are jumped over, not written.
        for shown in ["1 question waits for you", "T-1 asks you", "colour?"] {
            watch.wait_for(shown)?;
        }
        watch.type_in("\rblue, please\r")?;
        watch.wait_for("sent")?;

        evening.sleep_until(EVENING + LIMIT + 1)?;
        let done = evening.phone("done")?;
        assert_eq!((&done["counts"]["done"], &done["urgent"]), (&2.into(), &false.into()));
        watch.wait_for("ended")?;
        watch.type_in("q")?;
        assert_eq!(watch.finish()?, 0);

        assert_eq!(run.statuses(), ["done", "done"]);
        assert_eq!(run.git(&["show", "ralph/scratch:work/T-1"])?, "blue");
        assert!(run.read("work/.git/ralph/detached.log").contains("2 done"));
        let page = folder.join("report.html");
        assert_eq!(fs::metadata(&page)?.permissions().mode() & 0o777, 0o600);
        let page = fs::read_to_string(page)?;
        for said in ["T-1", "which colour?", "blue, please"] {
            assert!(page.contains(said), "{said}: {page}");
        }
        assert_eq!(evening.heard(), ["parked", "waiting", "done"]);
        assert_eq!(evening.ground.model.left(), 0);
        Ok(())
    })
}

/// The person's project and phone.
struct Evening {
    ground: Ground,
    phone: Receiver,
}

impl Evening {
    fn begin() -> io::Result<Self> {
        let phone = Receiver::start(vec![Answer::Status(204)])?;
        let mut ground = Ground::with(2, Caller::Subscriber, steps, |run| {
            run.set("[limits]\nmax_wait = \"12h\"")?;
            let name = "home/.config/ralph/settings.toml";
            run.write(name, &format!("{}{SETTINGS}", run.read(name)))
        })?;
        let ahead = ground.run.path("ahead").display().to_string();
        for (name, value) in
            [("HOOK", phone.url("/phone")), ("TZ", zone()?), ("CLOCK_AHEAD", ahead)]
        {
            ground.run = ground.run.with_env(name, value);
        }
        Ok(Self { ground, phone })
    }

    /// Waits for a notification of this kind.
    fn phone(&self, kind: &str) -> io::Result<Value> {
        let is_it = |message: &Value| message["type"] == kind;
        let find = || self.phone.requests().into_iter().find(|one| is_it(&one.json()));
        until(kind, LONGEST, || find().is_some())?;
        let request = find().ok_or_else(|| io::Error::other("it was there"))?;
        Ok(request.json())
    }

    /// What the phone showed, oldest first.
    fn heard(&self) -> Vec<String> {
        let kind = |one: &Value| one["type"].as_str().unwrap_or_default().to_owned();
        self.phone.requests().iter().map(|one| kind(&one.json())).collect()
    }

    /// The clock shows so many hours after the midnight before; nobody reads a half-written file.
    fn sleep_until(&self, hours: u64) -> io::Result<()> {
        let ahead = (hours - EVENING) * HOUR * 1000;
        self.ground.run.write("ahead.new", &ahead.to_string())?;
        fs::rename(self.ground.run.path("ahead.new"), self.ground.run.path("ahead"))
    }
}

/// A time zone in which it is evening now.
fn zone() -> io::Result<String> {
    let now = SystemTime::UNIX_EPOCH.elapsed().map_err(io::Error::other)?.as_secs();
    let day = 24 * HOUR;
    let east = (EVENING * HOUR + day - now % day) % day;
    Ok(format!("EVE-{:02}:{:02}:{:02}", east / HOUR, east / 60 % 60, east % 60))
}

fn steps(work: &str) -> Vec<Step> {
    let mut question = report("T-1");
    question["task_completed"]["fully_complete"] = json!(false);
    question["question"] = json!("which colour?");
    let asks = Step::reports(question).when("# Task T-1");
    let limit = Step::fails(Failure::UsageLimit { seconds: LIMIT * HOUR }).when("# Task T-2");
    let answered = does(work, "T-1", "blue\n").into_iter().map(|step| step.when("blue, please"));
    [asks, limit].into_iter().chain(answered).chain(does(work, "T-2", "right\n")).collect()
}
