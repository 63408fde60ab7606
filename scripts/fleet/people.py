"""What people say to a loop, and limits that make it wait."""

import time

from . import processes
from .repository import Repository
from .verdict import at_most, settled


def one_host(site, tasks=3, **wanted):
    site.stand()
    site.want(**wanted)
    repository = Repository(site, tasks=tasks)
    return repository, site.submit(repository)


def usage_limit(site):
    """A usage limit frees slot and process; the same iteration goes on after the reset, and no call comes before it."""
    until = int(time.time()) + 40
    repository, loop = one_host(site, T_2={"limit": until})
    site.record.wait("end", task="T-2", how="limit")
    site.until(lambda: site.status(loop).get("state") == "waiting", 30, "the loop does not wait")
    site.until(lambda: not ralphs(site), 10, "a process waits along")
    assert time.time() < until, "the machine is too slow for this limit"
    figures = settled(site, repository, loop, repeated=1)
    again = [life.began for life in site.record.lives() if life.task == "T-2"][1]
    assert again >= until, f"called {until - again:.1f} s before the reset"
    return figures | {"after_reset_s": round(again - until, 1)}


def ralphs(site):
    """Processes of ralph that work for this site."""
    found = []
    for pid in processes.tree(site.running["a"].pid)[1:]:
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"__stint" in file.read():
                    found.append(pid)
        except OSError:
            continue
    return found


def question(site):
    """A question waits without a process; the agent has the answer seconds after it was given."""
    repository, loop = one_host(site, T_2={"question": True})
    site.until(lambda: site.status(loop).get("state") == "needs_person", 60, "the loop does not wait for an answer")
    site.until(lambda: not ralphs(site), 10, "a process waits along")
    shown = site.fleet("status", loop).stdout
    assert "T-2 asks: Which colour?" in shown and f'ralph fleet answer {loop} T-2 "…"' in shown, shown
    asked = [(one["task"], one["question"]) for one in site.status(loop)["asks"]]
    assert asked == [("T-2", "Which colour?")], asked
    refused = site.fleet("answer", loop, "T-2", " ", expect=2)
    assert "empty" in refused.stderr
    refused = site.fleet("answer", loop, "T-3", "ANSWERED: blue", expect=2)
    assert "cannot answer T-3" in refused.stderr and "T-2" in refused.stderr, refused.stderr
    said = time.time()
    site.fleet("answer", loop, "T-2", "ANSWERED: blue")
    again = site.record.wait("start", answered=True)["at"]
    figures = settled(site, repository, loop, repeated=1)
    return figures | at_most("answered_s", again - said, 10)


def decided(site):
    """Two tasks wait: one is begun again, the other left out, the second while the first is carried out."""
    repository, loop = one_host(site, T_2={"question": True}, T_3={"question": True})
    site.until(lambda: len(site.status(loop).get("asks", [])) == 2, 60, "the loop does not wait for two decisions")
    refused = site.fleet("approve", loop, "T-1", expect=2)
    assert "cannot approve T-1" in refused.stderr and "T-2, T-3" in refused.stderr, refused.stderr
    site.want(T_2={"hold": True})
    site.fleet("retry", loop, "T-2")
    site.record.wait("alive", task="T-2")
    site.fleet("skip", loop, "T-3", "--why", "nobody needs it")
    # The run is asked: it has done so, and does nothing twice.
    again = site.fleet("skip", loop, "T-3")
    assert "watch" in again.stderr + again.stdout, again.stderr
    site.want()
    end = site.end(loop)
    calls = [life.task for life in site.record.lives()]
    assert end["exit"] == 0 and end["done"] == 2, f"{end}"
    assert calls == ["T-1", "T-2", "T-3", "T-2"] and sorted(repository.commits()) == ["T-1", "T-2"], f"{calls} {repository.commits()}"
    return {"calls": len(calls), "done": end["done"], "tasks": end["tasks"]}


def steered(site):
    """A message is in the run's journal within a second, and in the next call's prompt."""
    repository, loop = one_host(site, T_1={"hold": True})
    site.record.wait("alive", task="T-1")
    said = time.time()
    site.fleet("steer", loop, "STEERED: be brief")
    sent = time.time()
    while not any("STEERED" in path.read_text() for path in site.journals("a")):
        assert time.time() - said < 20, "the message does not arrive"
        time.sleep(0.01)
    arrived = time.time()
    site.want()
    figures = settled(site, repository, loop)
    assert any(life.steered for life in site.record.lives()), "no call was given the message"
    return figures | {"typed_to_journal_s": round(arrived - said, 2)} | at_most("steer_s", max(0, arrived - sent), 1)


def paused(site):
    """A pause ends no work and holds no process; resume goes on."""
    repository, loop = one_host(site, T_1={"hold": True})
    site.record.wait("alive", task="T-1")
    site.fleet("pause", loop)
    site.want()
    site.until(lambda: site.status(loop).get("state") == "paused", 60, "the loop does not pause")
    site.until(lambda: loop in site.listed("paused"), 10, "no list shows that it is paused")
    calls = len(site.record.lives())
    assert calls == 1, f"{calls} calls before the pause"
    site.fleet("resume", loop)
    return settled(site, repository, loop)


def ended_at_once(site, how, limit):
    """Ends a loop in an agent call; its agent is gone at once, and it can be taken up again."""
    repository, loop = one_host(site, T_2={"hold": True})
    site.record.wait("alive", task="T-2")
    asked = time.time()
    how(loop)
    gone = site.until_no_agent() - asked
    figures = at_most("agent_gone_s", gone, limit)
    end = site.end(loop)
    assert end["exit"] != 0 and repository.commits() == ["T-1"], f"{end}, {repository.commits()}"
    site.until(lambda: loop in site.listed("unfinished"), 10, "no list shows that work is left")
    site.want()
    site.fleet("resume", loop)
    figures |= settled(site, repository, loop, repeated=1)
    site.until(lambda: loop in site.listed("finished"), 10, "no list shows that it finished")
    assert loop not in site.listed("unfinished"), "it is listed as it was before"
    return figures | {"first_exit": end["exit"]}


def stopped_now(site):
    """`stop --now`: within 2 s and the agent's grace; the scripted agent takes no grace."""
    return ended_at_once(site, lambda loop: site.fleet("stop", "--now", loop), 2)


def cancelled(site):
    """Cancelled by the engine's own tools: the same."""
    return ended_at_once(site, lambda loop: site.temporal("workflow", "cancel", "-w", loop), 2)


def submitted_twice(site):
    """A second submit is refused while the first works, while it waits, and once its plan is done."""
    repository, loop = one_host(site, T_1={"hold": True}, T_2={"question": True})
    site.record.wait("alive", task="T-1")
    site.submit(repository, expect=6)
    site.submit(repository, "--dry-run", expect=6)
    site.want(T_2={"question": True})
    site.until(lambda: site.status(loop).get("state") == "needs_person", 60, "the loop does not wait for an answer")
    site.submit(repository, expect=6)
    site.fleet("answer", loop, "T-9", "ANSWERED: blue", expect=2)
    site.fleet("answer", loop, "T-2", "ANSWERED: blue")
    figures = settled(site, repository, loop, repeated=1)
    site.submit(repository, expect=2)
    assert site.submit(repository, "--again") == loop
    return figures | {"refused": 3}


def poisoned(site):
    """Work that ralph refuses ends the loop with ralph's exit code after one stint."""
    site.stand()
    repository = Repository(site)
    repository.settings.write_text('[agent]\ncommand = "no-such-agent"\n')
    loop = site.submit(repository)
    end = site.end(loop)
    assert end["exit"] in (2, 4, 5, 7) and end["stints"] == 1, f"{end}"
    return {"exit": end["exit"], "stints": end["stints"], "outcome": end["outcome"][:80]}
