"""Workers that die, and workers that are asked to leave."""

import signal
import time

from .repository import Repository, git
from .site import G, H
from .verdict import at_most, settled

# From the death of a host to the next call on another one.
TAKEOVER = H + G + 30


def two_hosts(site, held, **options):
    """A loop whose agent, or gate, is held on host a, with host b ready to take over."""
    site.stand()
    repository = Repository(site, **options)
    site.want(**{held: {"hold": True}})
    loop = site.submit(repository)
    return repository, loop


def killed_in_agent(site):
    """The worker is killed in an agent call: another host repeats that call and no other."""
    repository, loop = two_hosts(site, "T_2")
    site.record.wait("alive", task="T-2", host="a")
    site.hands("b")
    site.until_polling("b")
    killed = site.kill("a")
    gone = site.until_no_agent() - killed
    site.want()
    taken = site.record.wait("start", task="T-2", host="b")["at"] - killed
    figures = settled(site, repository, loop, repeated=1)
    return figures | at_most("agent_gone_s", gone, 1) | at_most("takeover_s", taken, TAKEOVER)


def killed_in_gates(site):
    """The worker is killed while gates judge: the tree was published, no call is repeated."""
    repository, loop = two_hosts(site, "T_1")
    # Only now: the first gate run of all is the baseline's, before there is an agent.
    site.record.wait("alive", task="T-1", host="a")
    site.want(gate={"hold": True})
    ended = site.record.wait("end", task="T-1", host="a")["at"]
    site.until(lambda: any(one["what"] == "gate" and one["at"] > ended for one in site.record.read()), 60, "no gate")
    site.until(lambda: published(repository, "TreeCaptured", "tree_captured"), 30, "the tree is not published")
    site.hands("b")
    site.until_polling("b")
    killed = site.kill("a")
    site.want()
    figures = settled(site, repository, loop, repeated=0)
    later = [one["at"] for one in site.record.read() if one["host"] == "b"]
    return figures | at_most("takeover_s", min(later) - killed, TAKEOVER)


def published(repository, *words):
    """Whether the journal on the remote knows of this."""
    ref = "refs/ralph/fleet/ralph/app"
    names = git(repository.path, "ls-tree", "-r", "--name-only", ref).split()
    text = "".join(git(repository.path, "show", f"{ref}:{name}") for name in names if "journal" in name)
    return any(word in text for word in words)


def drained(site):
    """SIGTERM to a worker: its agent is asked to end, its work is published, another host goes on."""
    repository, loop = two_hosts(site, "T_2")
    site.record.wait("alive", task="T-2", host="a")
    assert loop in site.listed("working"), "no list shows that it is worked on"
    asked = site.kill("a", signal.SIGTERM)
    assert site.running["a"].wait(60) == 0, site.said("a")
    drained_s = time.time() - asked
    site.until(lambda: loop in site.listed("queued"), 10, "no list shows that nobody works on it")
    site.hands("b")
    site.until_polling("b")
    site.want()
    again = site.record.wait("start", task="T-2", host="b")["at"] - asked
    # No grace of a takeover: the lease was given back.
    figures = settled(site, repository, loop, repeated=1) | at_most("handed_over_s", again - drained_s, TAKEOVER)
    return figures | {"drained_s": round(drained_s, 1)}
