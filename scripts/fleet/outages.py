"""The server or the repository goes away for a while and comes back."""

import json
import time

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


def remote_away(site):
    """The repository goes away: work goes on, and is published once it is back."""
    site.stand()
    repository = Repository(site)
    site.want(T_2={"hold": True})
    loop = site.submit(repository)
    site.record.wait("alive", task="T-2", host="a")
    away = repository.path.with_suffix(".away")
    repository.path.rename(away)
    began = time.time()
    site.want()
    site.record.wait("end", task="T-3", host="a")
    site.until(lambda: time.time() - began >= 15, 16, "")
    away.rename(repository.path)
    back = time.time()
    figures = settled(site, repository, loop, repeated=0)
    return figures | {"away_s": round(back - began, 1), "done_after_s": round(time.time() - back, 1)}
