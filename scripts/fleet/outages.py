"""The server or the repository goes away for a while and comes back."""

import json
import os
import shutil
import time

from . import processes
from .kills import two_hosts
from .repository import Repository, git
from .site import H
from .verdict import settled


def server_away(site, seconds, two=False):
    """The server is killed in an agent call and comes back while the agent works: nothing is repeated."""
    repository, loop = two_hosts(site, "T_2")
    site.record.wait("alive", task="T-2", host="a")
    if two:
        site.hands("b")
        site.until_polling("b")
    site.kill("server")
    killed = time.time()
    site.until(lambda: time.time() - killed >= seconds, seconds + 1, "")
    lives = [life for life in site.record.lives() if life.task == "T-2"]
    assert time.time() - lives[-1].last < 1, "the agent did not outlive the server"
    site.server()
    away = time.time() - killed
    # As long again as a takeover would take, if one came.
    until = time.time() + 3 * H
    site.until(lambda: time.time() >= until, 3 * H + 1, "")
    site.want()
    return settled(site, repository, loop, repeated=0) | {"away_s": round(away, 1)}


def server_away_shortly(site):
    """For less than H."""
    return server_away(site, 1)


def server_away_long(site):
    """For 4 H, with another host that could take over: the workflow asks the old host first."""
    return server_away(site, 4 * H, two=True)


def server_away_at_the_end(site):
    """The agent ends while the server is away: published, and reported once it is back."""
    repository, loop = two_hosts(site, "T_2")
    site.record.wait("alive", task="T-2", host="a")
    site.kill("server")
    site.want()
    site.record.wait("end", task="T-3", host="a")
    site.until(lambda: len(repository.commits()) == 3, 30, "nothing is published while the server is away")
    site.server()
    return settled(site, repository, loop, repeated=0)


def server_forgets(site):
    """The server does not know the worker any more, for good: its agent ends, and it hands over before it goes."""
    repository, _ = two_hosts(site, "T_2")
    site.record.wait("alive", task="T-2", host="a")
    site.temporal("operator", "namespace", "delete", "--namespace", "default", "--yes")
    began = time.time()
    # The SDK believes it after a minute.
    site.until(lambda: site.running["a"].poll() is not None, 120, "the worker goes on polling")
    site.until_no_agent(1)
    assert site.running["a"].returncode != 0, "it ended as if it had been asked to"
    assert "T-1" in repository.commits(), f"{repository.commits()}"
    lease = json.loads(git(repository.path, "show", "refs/ralph/fleet/ralph/app:lease.json"))
    assert lease["held"] is False, f"{lease}"
    return {"ended_s": round(time.time() - began)}


def server_away_from_people(site):
    """Whoever waits for the loop or watches it is told once that the server is away and once that it is back."""
    site.stand()
    repository = Repository(site)
    site.want(T_2={"hold": True})
    # Every request is tried again for 10 s before a command hears of it.
    unreachable = 25
    waits = site.beside("waits", "submit", "--wait", *site.submission(repository))
    site.record.wait("alive", task="T-2", host="a")
    loop = json.loads(site.fleet("list", "--json").stdout)["loops"][0]["loop"]
    people = {"waits": waits, "watches": site.beside("watches", "watch", loop)}
    people["reads"] = site.beside("reads", "watch", "--json", loop)
    site.until(lambda: "T-2" in "".join(site.said("watches", 99)), 20, "nothing is shown")
    watcher_ends(site, loop)
    site.kill("server")
    killed = time.time()
    site.until(lambda: time.time() - killed >= unreachable, unreachable + 1, "")
    assert all(one.poll() is None for one in people.values()), "somebody left while the server was away"
    site.server()
    site.want()
    figures = settled(site, repository, loop, repeated=0)
    for name, one in people.items():
        assert one.wait(timeout=30) == 0, f"{name}: {site.said(name)}"
        said = "\n".join(site.said(name, 999))
        for note in ("the server does not answer; trying again", "the server answers again"):
            assert said.count(note) == 1, f"{name}: {said}"
        # As JSON the run's own notes are facts.
        advice = ["ralph resume", "ralph status", "next: ralph", '"next":"'] + ["git switch"] * (name != "reads")
        assert not any(words in said for words in advice), said
    return figures | {"away_s": unreachable}


def watcher_ends(site, loop):
    """Whoever is told to end a watcher's process ends its view too, even while the remote does not answer."""
    slow = site.folder / "slow-git"
    slow.mkdir()
    git_of = shutil.which("git")
    (slow / "git").write_text(f'#!/bin/sh\n[ ! -e {slow}/hangs ] || {{ touch {slow}/hung; sleep 20; }}\nexec {git_of} "$@"\n')
    (slow / "git").chmod(0o755)
    leaves = site.beside("leaves", "watch", "--json", loop, PATH=f"{slow}:{os.environ['PATH']}")
    site.until(lambda: site.said("leaves"), 20, "nothing is told")
    (slow / "hangs").touch()
    site.until((slow / "hung").exists, 10, "the remote is not asked")
    # The view asks git too: by now the watcher itself has.
    asked = time.time()
    site.until(lambda: time.time() - asked >= 2, 3, "")
    view = [pid for pid in processes.tree(leaves.pid) if pid != leaves.pid and "watch" in processes.words(pid)]
    leaves.terminate()
    site.until(lambda: leaves.poll() == 130, 5, "a watcher does not end")
    assert view and not any(map(processes.words, view)), "it leaves its view behind"


def remote_away(site):
    """The repository goes away: work goes on, and is published once it is back."""
    site.stand()
    repository = Repository(site)
    site.want(T_2={"hold": True})
    loop = site.submit(repository)
    site.record.wait("alive", task="T-2", host="a")
    # Its folder stays: a push under way would leave its locks in one that is renamed.
    head, away = repository.path / "HEAD", repository.path / "HEAD.away"
    head.rename(away)
    began = time.time()
    site.want()
    site.record.wait("end", task="T-3", host="a")
    site.until(lambda: time.time() - began >= 15, 16, "")
    away.rename(head)
    back = time.time()
    figures = settled(site, repository, loop, repeated=0)
    return figures | {"away_s": round(back - began, 1), "done_after_s": round(time.time() - back, 1)}
