//! The situations that a test can bring about, and what is said in each.

use std::io;

use testkit::told::until;

use super::{
    ASKS, CRASHES, FAILS, HONEST, PLANS, Place, Tested, WAITS, dirty, follow, nothing, to_the_end,
};

/// A situation: how it comes about, what is said, and what is done by hand.
struct Case {
    name: &'static str,
    makes: fn() -> io::Result<Place>,
    says: &'static str,
    by_hand: fn(&Place, &str) -> io::Result<()>,
}

fn looked(place: &Place) -> io::Result<()> {
    place.run.write("state/good", "")
}

fn case(name: &'static str, makes: fn() -> io::Result<Place>, says: &'static str) -> Case {
    Case { name, makes, says, by_hand: nothing }
}

/// Types every way of what is said, and then whatever comes next.
fn all_lead_to_the_end(cases: Vec<Case>) -> Tested {
    for Case { name, makes, says, by_hand } in cases {
        let ways = says.split(", or ").count();
        for way in 0..ways {
            let mut place = makes()?;
            assert_eq!(place.next()?, says, "{name}");
            let wait = |place: &Place, step: &str| match step {
                "wait" => place.run.write("state/go", ""),
                step => by_hand(place, step),
            };
            follow(&place, says, way, &wait).map_err(|error| format!("{name}: {error}"))?;
            if let Some(mut child) = place.child.take() {
                place.run.write("state/go", "")?;
                child.wait()?;
            }
            if name != "nothing is set up" {
                to_the_end(&place, &by_hand).map_err(|error| format!("{name}: {error}"))?;
            }
        }
    }
    Ok(())
}

#[test]
fn before_a_run_what_is_printed_can_be_typed() -> Tested {
    all_lead_to_the_end(vec![
        case(
            "nothing is set up",
            || {
                let place = Place::new(1, PLANS)?;
                place.run.git(&["rm", "-rq", ".ralph"])?;
                place.run.git(&["commit", "-qm", "none"])?;
                Ok(place)
            },
            "ralph init",
        ),
        case(
            "nothing is planned",
            || {
                let place = Place::new(0, PLANS)?;
                std::fs::remove_file(place.run.path("work/.ralph/plan.json"))?;
                place.run.amend()?;
                Ok(place)
            },
            "ralph plan \"what you want\", then ralph run",
        ),
        case("a plan waits", || Place::new(2, HONEST), "ralph run"),
        case(
            "changes are in the way of a start",
            || {
                let place = Place::new(1, HONEST)?;
                dirty(&place).map(|()| place)
            },
            "ralph run --stash",
        ),
        case(
            "nobody is known",
            || {
                let place = Place::new(1, HONEST)?;
                Ok(Place { is_anonymous: true, ..place })
            },
            "git config --global user.name \"your name\", then git config --global user.email \"your address\", then ralph run",
        ),
        case(
            "no branch is checked out",
            || {
                let place = Place::new(1, HONEST)?;
                place.run.git(&["switch", "-q", "--detach"])?;
                Ok(place)
            },
            "git switch -c my-work, then ralph run",
        ),
        case(
            "nothing is committed",
            || {
                let place = Place::new(1, HONEST)?;
                place.run.git(&["update-ref", "-d", "HEAD"])?;
                Ok(place)
            },
            "git add -A, then git commit --allow-empty -m \"first commit\", then ralph run",
        ),
    ])
}

#[test]
fn what_a_person_must_do_by_hand_before_a_run_is_named_and_leads_to_one() -> Tested {
    all_lead_to_the_end(vec![
        Case {
            name: "a merge waits",
            makes: || {
                let place = Place::new(1, HONEST)?;
                let merge = "git switch -qc o && echo a > README.md && git commit -qam a && git switch -q main \
                         && echo b > README.md && git commit -qam b; git merge -q o";
                place.types(merge)?;
                Ok(place)
            },
            says: "finish or abort the merge first, then ralph run",
            by_hand: |place, _| place.run.git(&["merge", "--abort"]).map(drop),
        },
        Case {
            name: "the settings cannot be read",
            makes: || {
                let place = Place::new(1, HONEST)?;
                place.set("[nonsense]\na = 1")?;
                Ok(place)
            },
            says: "fix the settings (ralph doctor lists what is wrong), then ralph run",
            by_hand: |place, _| {
                let text =
                    place.run.read("work/.ralph/settings.toml").replace("[nonsense]\na = 1", "");
                place.run.write("work/.ralph/settings.toml", &text)?;
                place.run.amend()
            },
        },
        Case {
            name: "the agent is not there",
            makes: || {
                let place = Place::new(1, HONEST)?;
                std::fs::rename(place.run.path("agent.sh"), place.run.path("away"))?;
                Ok(place)
            },
            says: "install the agent or name another as agent.command in .ralph/settings.toml, then ralph run",
            by_hand: |place, _| std::fs::rename(place.run.path("away"), place.run.path("agent.sh")),
        },
    ])
}

#[test]
fn after_a_run_that_ended_early_what_is_printed_can_be_typed() -> Tested {
    all_lead_to_the_end(vec![
        case(
            "iterations are used up",
            || {
                let place = Place::new(2, HONEST)?;
                place.ralph(&["run", "-n", "1"])?;
                Ok(place)
            },
            "ralph resume -n 2",
        ),
        case(
            "changes are in the way of a resume",
            || {
                let place = Place::new(2, HONEST)?;
                place.ralph(&["run", "-n", "1"])?;
                dirty(&place).map(|()| place)
            },
            "git stash push -- . ':!.ralph', then ralph resume -n 2",
        ),
        case(
            "a person has committed since",
            || {
                let place = Place::new(2, HONEST)?;
                place.ralph(&["run", "-n", "1"])?;
                dirty(&place)?;
                place.run.git(&["commit", "-qm", "mine", "README.md"])?;
                Ok(place)
            },
            "ralph resume -n 2",
        ),
        case(
            "an unfinished run was undone",
            || {
                let place = Place::new(2, HONEST)?;
                place.ralph(&["run", "-n", "1"])?;
                place.ralph(&["undo", "1", "--yes"])?;
                Ok(place)
            },
            "ralph run",
        ),
    ])
}

/// Does its task and reports two dollars and a thousand tokens, as Claude Code does.
const PAID: &str = "[ \"$TASK\" = T-1 ] && [ -e \"$STATE/bad\" ] && [ ! -e \"$STATE/good\" ] || { mkdir -p work && echo x > \"work/$TASK\"; }\n\
    echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"done\",\
    \"total_cost_usd\":2.0,\"usage\":{\"input_tokens\":1000,\"output_tokens\":0}}'; exit 0";

/// A project whose agent is paid.
fn paid(tasks: usize) -> io::Result<Place> {
    let place = Place::unreviewed(tasks, PAID)?;
    let agent = place.run.path("agent.sh").display().to_string();
    let user = format!("[agents.paid]\ncommand = [{agent:?}]\nstream = \"claude\"\n");
    let settings = "home/.config/ralph/settings.toml";
    place.run.write(settings, &format!("{}{user}", place.run.read(settings)))?;
    let team =
        place.run.read("work/.ralph/settings.toml").replace(&format!("{agent:?}"), "\"paid\"");
    place.run.write("work/.ralph/settings.toml", &team)?;
    place.run.amend()?;
    Ok(place)
}

#[test]
fn after_any_limit_the_printed_command_raises_what_is_used_up() -> Tested {
    all_lead_to_the_end(vec![
        case(
            "money is used up",
            || {
                let place = paid(2)?;
                place.ralph(&["run", "--max-cost", "1.50"])?;
                Ok(place)
            },
            "ralph resume --max-cost 3.50",
        ),
        case(
            "tokens are used up",
            || {
                let place = paid(2)?;
                place.ralph(&["run", "--max-tokens", "500"])?;
                Ok(place)
            },
            "ralph resume --max-tokens 1500",
        ),
        case(
            "money of the settings, tokens and iterations are used up",
            || {
                let place = paid(3)?;
                place.set("[limits]\nmax_cost_usd = 2.0")?;
                place.ralph(&["run", "-n", "1", "--max-tokens", "1000"])?;
                Ok(place)
            },
            "ralph resume -n 2 --max-cost 4 --max-tokens 2000",
        ),
        Case {
            name: "tokens of a task are used up",
            makes: || {
                let place = paid(1)?;
                place.set("[limits]\nmax_task_tokens = 500")?;
                place.run.write("state/bad", "")?;
                place.ralph(&["run"])?;
                looked(&place).map(|()| place)
            },
            says: "ralph task show T-1, then ralph task retry T-1",
            by_hand: nothing,
        },
        Case {
            name: "too many tasks in a row failed",
            makes: || {
                let place = Place::new(2, FAILS)?;
                place.set("[limits]\nmax_attempts = 1\nmax_failed_in_a_row = 1")?;
                place.ralph(&["run"])?;
                looked(&place).map(|()| place)
            },
            says: "ralph task show T-1, then ralph task retry T-1",
            by_hand: nothing,
        },
    ])
}

#[test]
fn a_run_out_of_time_goes_on_with_the_printed_command() -> Tested {
    for (settings, flags) in [("", &["run", "--max-duration", "1s"][..]), ("1s", &["run"])] {
        let place = Place::new(2, &format!("sleep 1.2\n{HONEST}"))?;
        if !settings.is_empty() {
            place.set(&format!("[limits]\nmax_duration = {settings:?}"))?;
        }
        place.ralph(flags)?;
        assert!(place.next()?.starts_with("ralph resume --max-duration "), "{}", place.next()?);
        to_the_end(&place, &nothing)?;
    }
    Ok(())
}

#[test]
fn while_a_person_is_needed_what_is_printed_can_be_typed() -> Tested {
    all_lead_to_the_end(vec![
        case(
            "a question waits",
            || {
                let place = Place::new(1, ASKS)?;
                place.ralph(&["run"])?;
                Ok(place)
            },
            "ralph task answer T-1 \"…\"",
        ),
        case(
            "the question of a prompt waits",
            || {
                let place = Place::new(0, ASKS)?;
                place.ralph(&["run", "-p", "paint it"])?;
                Ok(place)
            },
            "ralph task answer prompt \"…\"",
        ),
        Case {
            name: "a task was given up",
            makes: || {
                let place = Place::new(1, FAILS)?;
                place.set("[limits]\nmax_attempts = 1")?;
                place.ralph(&["run"])?;
                looked(&place).map(|()| place)
            },
            says: "ralph task show T-1, then ralph task retry T-1",
            by_hand: nothing,
        },
        Case {
            name: "the prompt was given up",
            makes: || {
                let place = Place::new(
                    0,
                    "touch src/BROKEN; [ ! -e \"$STATE/good\" ] || rm src/BROKEN\n\
                                       echo '<promise>COMPLETE</promise>'; exit 0",
                )?;
                place.ralph(&["run", "-p", "paint it", "-n", "2"])?;
                looked(&place).map(|()| place)
            },
            says: "ralph resume -n 4",
            by_hand: nothing,
        },
        case(
            "an agent kept failing on a task",
            || {
                let place = Place::new(2, CRASHES)?;
                place.ralph(&["run"])?;
                looked(&place).map(|()| place)
            },
            "ralph logs T-2, then ralph task retry T-2",
        ),
    ])
}

#[test]
fn while_a_process_works_or_died_what_is_printed_can_be_typed() -> Tested {
    all_lead_to_the_end(vec![
        case(
            "its process died",
            || {
                let mut place =
                    Place::new(1, &format!("{WAITS}\n{HONEST}"))?.started("state/in")?;
                let mut child = place.child.take().ok_or_else(|| io::Error::other("no child"))?;
                child.kill()?;
                child.wait()?;
                place.run.write("state/go", "")?;
                Ok(place)
            },
            "ralph resume, or ralph stop",
        ),
        case(
            "it works",
            || {
                let place = Place::new(1, &format!("{WAITS}\n{HONEST}"))?.started("state/in")?;
                Ok(place)
            },
            "wait, or ralph stop",
        ),
        case(
            "a person has paused it",
            || {
                let place = Place::new(2, &format!("{WAITS}\n{HONEST}"))?.started("state/in")?;
                place.ralph(&["pause"])?;
                place.run.write("state/go", "")?;
                until("it is paused", || {
                    place.ralph(&["status"]).is_ok_and(|told| told.contains("paused since"))
                })?;
                Ok(place)
            },
            "ralph resume, or ralph stop",
        ),
        case(
            "a question waits while it works",
            || {
                let agent =
                    format!("if [ \"$TASK\" = T-2 ]; then {WAITS}; {HONEST}; exit 0; fi\n{ASKS}");
                Place::new(2, &agent)?.started("state/in")
            },
            "ralph task answer T-1 \"…\", or ralph stop",
        ),
    ])
}

#[test]
fn after_everything_is_done_what_is_printed_can_be_typed() -> Tested {
    all_lead_to_the_end(vec![
        case(
            "everything is done",
            || {
                let place = Place::new(1, HONEST)?;
                place.ralph(&["run"])?;
                Ok(place)
            },
            "git diff main...ralph/scratch, then git switch main, then git merge ralph/scratch",
        ),
        case(
            "a second run is done on the same branch",
            || {
                let place = Place::new(2, HONEST)?;
                place.ralph(&["run", "-n", "1"])?;
                place.ralph(&["run", "--fresh"])?;
                Ok(place)
            },
            "git diff main...ralph/scratch, then git switch main, then git merge ralph/scratch",
        ),
        case(
            "some of the plan is done",
            || {
                let place = Place::new(2, HONEST)?;
                place.ralph(&["run", "T-2"])?;
                Ok(place)
            },
            "ralph run",
        ),
        case(
            "what is done is merged",
            || {
                let place = Place::new(1, HONEST)?;
                place.ralph(&["run"])?;
                place.run.git(&["switch", "-q", "main"])?;
                place.run.git(&["merge", "-q", "ralph/scratch"])?;
                Ok(place)
            },
            "ralph archive",
        ),
        case(
            "the plan is put away",
            || {
                let place = Place::new(1, PLANS)?;
                place.ralph(&["run"])?;
                place.ralph(&["archive"])?;
                Ok(place)
            },
            "ralph plan \"what comes next\", then ralph run",
        ),
        case(
            "what is done was undone",
            || {
                let place = Place::new(1, HONEST)?;
                place.ralph(&["run"])?;
                place.ralph(&["undo", "1", "--yes"])?;
                Ok(place)
            },
            "ralph run",
        ),
    ])
}
