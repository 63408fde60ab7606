"""Hosts that lose the server, or everything, and a host that stands still. Networks are namespaces of the kernel."""

import signal
import subprocess
import time

from . import processes
from .kills import TAKEOVER
from .network import Network
from .repository import Repository
from .verdict import at_most, settled


def cut_off(site, *ways):
    """Cuts host a off while its agent works; host b takes over."""
    network = Network(f"h{site.port}", site.port % 128)
    daemon_port = site.port + 1000
    site.server()
    site.brain()
    # The daemon itself: `git daemon` would leave it behind when it is killed.
    program = subprocess.run(["git", "--exec-path"], check=True, capture_output=True, text=True).stdout.strip()
    words = [f"{program}/git-daemon", "--reuseaddr", "--export-all", "--enable=receive-pack", "--listen=127.0.0.1"]
    site.start("git", [*words, f"--port={daemon_port}", f"--base-path={site.folder}", site.folder])
    repository = Repository(site)
    subprocess.run(["git", "-C", repository.path, "config", "daemon.receivepack", "true"], check=True)
    way = f"git://{network.relay('git', daemon_port)}/"
    site.hands("a", "--rewrite", f"{site.folder}/={way}", network=network)
    site.until_polling("brain", "a")
    site.want(T_2={"hold": True})
    loop = site.submit(repository)
    site.record.wait("alive", task="T-2", host="a")
    site.hands("b")
    site.until_polling("b")
    cut = time.time()
    for one in ways:
        network.cut(one)
    taken = site.record.wait("start", task="T-2", host="b")["at"]
    last = max(life.last for life in site.record.lives() if life.host == "a")
    site.want()
    figures = settled(site, repository, loop, repeated=1)
    figures |= {"agent_lived_s": round(last - cut, 2), "gap_s": round(taken - last, 2)}
    return figures | at_most("takeover_s", taken - cut, TAKEOVER)


def cut_from_server(site):
    """Cut off from the server only: the host sees the lease move and ends its agent before another begins."""
    return cut_off(site, "server")


def cut_from_both(site):
    """Cut off from server and repository: the host ends its agent by itself."""
    return cut_off(site, "server", "git")


def frozen(site):
    """A host stands still and wakes after the takeover: its push is refused, the branch is untouched."""
    site.stand()
    repository = Repository(site, tasks=4)
    site.want(T_2={"hold": True})
    loop = site.submit(repository)
    site.record.wait("alive", task="T-2", host="a")
    site.hands("b")
    site.until_polling("b")
    still = processes.freeze(site.running["a"].pid)
    frozen_at = time.time()
    site.want(T_3={"hold": True})
    taken = site.record.wait("start", task="T-2", host="b")["at"]
    site.record.wait("alive", task="T-3", host="b")
    # The commit of the task before it may still be on its way.
    site.until(lambda: len(repository.commits()) == 2, 30, "the other host publishes nothing")
    tip = repository.tip()
    thawed = time.time()
    processes.send(still, signal.SIGCONT)
    site.until(lambda: not lives_on(site, thawed), 30, "the agent of the host that woke lives on")
    assert repository.tip() == tip, "the host that woke moved the branch"
    last = max(one["at"] for one in site.record.read() if one["host"] == "a")
    site.want()
    # Only here two agents may live at once, and only for a moment.
    figures = settled(site, repository, loop, repeated=1, may_overlap=True)
    figures |= at_most("lived_after_thaw_s", max(0, last - thawed), 10)
    return figures | at_most("takeover_s", taken - frozen_at, TAKEOVER)


def lives_on(site, since):
    """Whether host a's agent has said something in the last second."""
    times = [one["at"] for one in site.record.read() if one["host"] == "a" and one["what"] == "alive"]
    return time.time() - since < 2 or (times and time.time() - max(times) < 1)
