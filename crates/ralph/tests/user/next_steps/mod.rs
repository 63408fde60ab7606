//! `next:` is always true: in every situation that can be brought about, what is printed is typed word for word, is
//! refused by nothing, and does what it says.

mod cases;

use std::{
    io,
    os::unix::fs::symlink,
    process::{Child, Output},
};

use testkit::{
    test_run::{Because, TestRun},
    told::{said, until},
};

const RALPH: &str = env!("CARGO_BIN_EXE_ralph");
/// Does the task and nothing else.
const HONEST: &str = "mkdir -p work && echo \"$TASK\" > \"work/$TASK\"";
/// Asks until it is answered.
const ASKS: &str = "if ! grep -q 'Which?' \"$PROMPT\"; then handoff '{\"question\":\"Which?\"}'; exit 0; fi\n\
                    mkdir -p work && echo x > \"work/$TASK\"; echo '<promise>COMPLETE</promise>'; exit 0";
/// Works only once a person has looked.
const FAILS: &str = "mkdir -p work; [ -e \"$STATE/good\" ] || TASK=wrong; echo x > \"work/$TASK\"";
/// Cannot be called for the second task until a person has looked.
const CRASHES: &str = "if [ \"$TASK\" = T-2 ] && [ ! -e \"$STATE/good\" ]; then exit 9; fi\n\
                       mkdir -p work && echo x > \"work/$TASK\"";
/// Drafts a plan of one task, and does it.
const PLANS: &str = "if grep -q '^# Draft a plan' \"$PROMPT\"; then handoff '{\"summary\":\"s\",\"questions\":[],\
    \"assumptions\":[],\"project\":\"demo\",\"description\":\"d\",\"verify_commands\":[],\"remove\":[],\
    \"prd\":{\"summary\":\"s\",\"problem_statement\":\"p\",\"technical_design\":\"t\"},\
    \"tasks\":[{\"id\":\"T-1\",\"title\":\"one\",\"description\":\"make it\",\"depends_on\":[],\
    \"acceptance_criteria\":[{\"text\":\"there\",\"check\":\"test -f work/T-1\"}]}]}'\n\
    else mkdir -p work && echo x > \"work/T-1\"; fi";
/// Holds a call until it may end.
const WAITS: &str = "touch \"$STATE/in\"; while [ ! -e \"$STATE/go\" ]; do sleep 0.05; done";

type Tested = Result<(), Box<dyn std::error::Error>>;

/// A project, and a shell in it.
struct Place {
    run: TestRun,
    /// Nobody has said who they are.
    is_anonymous: bool,
    child: Option<Child>,
}

impl Place {
    fn new(tasks: usize, agent: &str) -> io::Result<Self> {
        Self::of(TestRun::new(RALPH, tasks, agent)?)
    }

    /// The same for a test in which each call has its price.
    fn unreviewed(tasks: usize, agent: &str) -> io::Result<Self> {
        Self::of(TestRun::new(RALPH, tasks, agent)?.without_review(Because::ItCountsCalls)?)
    }

    fn of(run: TestRun) -> io::Result<Self> {
        let run = run.with_env("LANG", "C.UTF-8");
        std::fs::create_dir_all(run.path("bin"))?;
        symlink(RALPH, run.path("bin/ralph"))?;
        run.write("home/.gitconfig", "[user]\nuseConfigOnly = true\n")?;
        Ok(Self { run, is_anonymous: false, child: None })
    }

    /// What a person types.
    fn types(&self, line: &str) -> io::Result<Output> {
        let mut shell = self.run.command_of("sh");
        let path = std::env::var("PATH").unwrap_or_default();
        shell.env("PATH", format!("{}:{path}", self.run.path("bin").display()));
        if self.is_anonymous {
            for who in ["AUTHOR", "COMMITTER"] {
                shell.env_remove(format!("GIT_{who}_NAME")).env_remove(format!("GIT_{who}_EMAIL"));
            }
        }
        shell.args(["-c", line]).output()
    }

    fn ralph(&self, args: &[&str]) -> io::Result<String> {
        Ok(all(&self.run.ralph(args)?))
    }

    fn next(&self) -> io::Result<String> {
        Ok(next_in(&all(&self.types("ralph status")?)))
    }

    fn set(&self, text: &str) -> io::Result<()> {
        self.run.set(text)?;
        self.run.amend()
    }

    fn started(mut self, until_there: &str) -> io::Result<Self> {
        self.child = Some(self.run.spawn(&["run"])?);
        until("the agent works", || self.run.path(until_there).exists())?;
        Ok(self)
    }
}

fn all(output: &Output) -> String {
    said(output) + &String::from_utf8_lossy(&output.stdout)
}

/// What the last `next:` says.
fn next_in(text: &str) -> String {
    let found = text.lines().rev().find_map(|line| line.trim_start().strip_prefix("next: "));
    found.unwrap_or_else(|| panic!("nothing is next in: {text}")).to_owned()
}

/// Types one way of what is printed: 0 is the one that is advised, others are what could be typed instead. What no
/// command does is done by hand.
fn follow(
    place: &Place,
    next: &str,
    way: usize,
    by_hand: &dyn Fn(&Place, &str) -> io::Result<()>,
) -> Tested {
    let mut ways = next.split(", or ");
    let advised = ways.next().unwrap_or_default();
    let steps: Vec<&str> = match way {
        0 => advised.split(", then ").collect(),
        n => vec![ways.nth(n - 1).unwrap_or_else(|| panic!("no way {n} in {next}"))],
    };
    for step in steps {
        if !step.starts_with("ralph ") && !step.starts_with("git ") {
            by_hand(place, step)?;
            continue;
        }
        let output = place.types(step)?;
        let code = output.status.code();
        assert!(matches!(code, Some(0 | 1 | 3)), "{step} of {next}: {code:?}: {}", all(&output));
        assert!(step.starts_with("ralph ") || code == Some(0), "{step}: {}", all(&output));
    }
    Ok(())
}

fn nothing(_: &Place, step: &str) -> io::Result<()> {
    panic!("{step} is no command")
}

/// Follows what `ralph status` says until nothing is left to do but to plan anew, and at most so often.
fn to_the_end(place: &Place, by_hand: &dyn Fn(&Place, &str) -> io::Result<()>) -> Tested {
    let mut seen = Vec::new();
    for _ in 0..8 {
        let next = place.next()?;
        if next.contains("ralph plan \"what comes next\"") {
            return Ok(());
        }
        assert!(!seen.contains(&next), "{next} leads nowhere: {seen:?}");
        follow(place, &next, 0, by_hand)?;
        seen.push(next);
    }
    panic!("no end: {seen:?}")
}

#[test]
fn the_last_line_of_a_run_says_what_status_says() -> Tested {
    for (tasks, agent, args) in [
        (2, HONEST, &["run", "-n", "1"][..]),
        (1, HONEST, &["run"]),
        (2, HONEST, &["run", "T-1"]),
        (1, ASKS, &["run"]),
        (0, ASKS, &["run", "-p", "paint it"]),
    ] {
        let place = Place::new(tasks, agent)?;
        let told = place.ralph(args)?;
        assert_eq!(next_in(&told), place.next()?, "{told}");
    }
    Ok(())
}

#[test]
fn who_waits_for_a_person_is_named_first() -> Tested {
    let place = Place::new(2, &ASKS.replace("if ! grep", "if [ \"$TASK\" = T-1 ] && ! grep"))?;
    place.ralph(&["run"])?;
    let told = place.ralph(&["status"])?;
    assert!(told.contains("\n1 waits for you · 1 of 2 done"), "{told}");
    Ok(())
}

#[test]
fn what_a_task_shows_can_be_typed() -> Tested {
    let makes = || -> io::Result<Place> {
        let place = Place::of(TestRun::reviewed(RALPH, 1, HONEST, "echo 'I like it'")?)?;
        place.ralph(&["run"])?;
        Ok(place)
    };
    let place = makes()?;
    let shown = next_in(&place.ralph(&["task", "show", "T-1"])?);
    let says = "ralph task approve T-1, or ralph task answer T-1 \"…\", or ralph task retry T-1";
    assert_eq!(shown, says);
    assert_eq!(place.next()?, format!("ralph task show T-1, then {says}"));
    for way in 0..3 {
        let place = makes()?;
        follow(&place, says, way, &nothing)?;
        assert_eq!(place.next()?, "ralph resume");
        follow(&place, "ralph resume", 0, &nothing)?;
    }
    Ok(())
}

fn dirty(place: &Place) -> io::Result<()> {
    place.run.write("work/README.md", "mine\n")
}

#[test]
fn a_run_that_is_refused_leaves_nothing_behind() -> Tested {
    type Prepare = fn(&Place) -> io::Result<()>;
    let refusals: [(&str, Prepare); 3] = [
        ("uncommitted changes", dirty),
        ("detached HEAD", |place| place.run.git(&["switch", "-q", "--detach"]).map(drop)),
        ("would overwrite", |place| {
            place.types("git switch -qc ralph/scratch && echo a > new && git add new && git commit -qm a \
                         && git switch -q main && echo mine > new")
                .map(drop)
        }),
    ];
    for (part, prepare) in refusals {
        let place = Place::new(1, HONEST)?;
        prepare(&place)?;
        let files = ["status", "--porcelain", "--", ".", ":!.ralph/progress.md"];
        let before = place.run.git(&files)?;
        let output = place.run.ralph(&["run"])?;
        let told = all(&output);
        assert_eq!(output.status.code(), Some(5), "{told}");
        assert!(told.contains(part) && !told.contains("report.md"), "{told}");
        assert_eq!(place.run.git(&files)?, before, "{part}");
        let count = |folder: &str| {
            std::fs::read_dir(place.run.path(folder))
                .into_iter()
                .flatten()
                .flatten()
                .filter(|entry| entry.path().is_dir())
                .count()
        };
        assert_eq!((count("work/.ralph/runs"), count("work/.git/ralph/runs")), (0, 0), "{told}");
        assert!(place.ralph(&["report"])?.contains("there is no run yet"), "{part}");
    }
    Ok(())
}
