"""A site of the fleet with real parts: the server, workers, repositories and ralph in its sandbox, in one folder, on
loopback. Ends everything that it started."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import fleet_server  # noqa: E402

from . import processes  # noqa: E402
from .record import Record  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
AGENT = Path(__file__).resolve().parent / "agent.py"
FLEET = Path(os.environ.get("FLEET_BIN", ROOT / "crates/ralph-fleet/target/debug/ralph-fleet"))
RALPH = Path(os.environ.get("RALPH_BIN", ROOT / "target/debug/ralph"))
# To ralph itself the variable would be a setting that it does not know.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "RALPH_BIN"}

# Within the two inequalities of the lease: 5 >= 1 + 1.5 and 5 >= 3 + 1.5.
TIMES = {"heartbeat": "5s", "look": "1s", "silence": "3s", "kill": "1500ms", "grace": "5s", "longest-wait": "3s"}
H, G = 5, 5

OPERATOR = """[agents.scripted]
command = ["/usr/bin/python3", "{agent}", "agent", "{log}"]
prompt = "stdin"
[agents.scripted.endings]
usage_limit = 'usage limit reached'
[sandbox]
readable = ["{scripts}"]
writable = ["{log}"]
"""

PROJECT = """[agent]
command = "scripted"
[review]
mode = "off"
"""

GATE = """[[gate]]
name = "tests"
command = "/usr/bin/python3 {agent} gate {log}"
kind = "custom"
"""


class Site:
    """One scenario's surroundings."""

    def __init__(self, folder, port):
        shutil.rmtree(folder, ignore_errors=True)
        self.folder, self.port = Path(folder), port
        self.log = self.folder / "log"
        self.log.mkdir(parents=True)
        self.record = Record(self.log / "calls.jsonl")
        self.address = f"127.0.0.1:{port}"
        self.program = fleet_server.install()
        self.running = {}
        # What workers find in their environment and in the operator's settings.
        self.environment, self.operator = {}, OPERATOR
        self.networks = []
        self.began = time.time()

    def start(self, name, words, environment=None):
        with (self.folder / f"{name}.log").open("ab") as log:
            words = [str(word) for word in words]
            environment = {**ENVIRONMENT, **self.environment, **(environment or {})}
            self.running[name] = subprocess.Popen(
                words, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment
            )
        return self.running[name]

    def server(self, fairness=True):
        """Starts the server, for the first time or again, and waits until it answers."""
        self.start("server", fleet_server.command(self.program, self.port, self.folder, fairness))
        health = [self.program, "operator", "cluster", "health", "--address", self.address]
        until = time.time() + 60
        while subprocess.run(health, capture_output=True).returncode != 0:
            assert time.time() < until, "the server does not answer"
            time.sleep(0.2)

    def brain(self, name="brain"):
        return self.worker(name, "--role", "brain")

    def hands(self, name, *more, network=None, slots=4, account="default"):
        """Hands with a home and a folder of their own; in a network of their own if there is one."""
        root = self.folder / f"host-{name}"
        settings = root / "home/.config/ralph/settings.toml"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(self.operator.format(agent=AGENT, log=self.log, scripts=AGENT.parent))
        (root / "home/.gitconfig").write_text("[user]\nname = fleet\nemail = fleet@localhost\n")
        words = ["--role", "hands", "--account", account, "--slots", slots, "--root", root, "--home", root / "home"]
        words += ["--ralph", RALPH, "--local", self.folder, "--probe", "500ms"]
        return self.worker(name, *words, *more, network=network)

    def worker(self, name, *words, network=None):
        before, address = [], self.address
        if network:
            self.networks.append(network)
            before, address = network.words(), network.relay("server", self.port)
        words = [*before, FLEET, "worker", "--host", name, "--drain", "1s", *words]
        return self.start(name, words, {"TEMPORAL_ADDRESS": address})

    def until_polling(self, *names):
        """Waits until these workers say that they poll."""
        until = time.time() + 60
        for name in names:
            while "polling for work" not in (self.folder / f"{name}.log").read_text():
                assert self.running[name].poll() is None, f"{name} has ended: {self.said(name)}"
                assert time.time() < until, f"{name} does not poll: {self.said(name)}"
                time.sleep(0.05)

    def stand(self):
        """A server, a brain and hands on host a, all of them there."""
        self.server()
        self.brain()
        self.hands("a")
        self.until_polling("brain", "a")

    def said(self, name, lines=5):
        return (self.folder / f"{name}.log").read_text().splitlines()[-lines:]

    def kill(self, name, number=signal.SIGKILL):
        self.running[name].send_signal(number)
        if number == signal.SIGKILL:
            self.running[name].wait()
        return time.time()

    def fleet(self, *words, expect=0, seconds=60):
        """A command of a person; its exit code must be as expected, unless none is."""
        environment = {**ENVIRONMENT, "TEMPORAL_ADDRESS": self.address, "FLEET_RALPH": str(RALPH)}
        words = [str(FLEET), *map(str, words)]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, timeout=seconds)
        if expect is not None:
            assert done.returncode == expect, f"{words[1:3]} gave {done.returncode}: {done.stdout}{done.stderr}"
        return done

    def temporal(self, *words, seconds=60):
        words = [self.program, *words, "--address", self.address]
        done = subprocess.run(words, capture_output=True, text=True, timeout=seconds)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def beside(self, name, *words, **more):
        """A command of a person that goes on beside the scenario; what it says is in `said(name)`."""
        return self.start(name, [FLEET, *words], {"TEMPORAL_ADDRESS": self.address, "FLEET_RALPH": str(RALPH), **more})

    @staticmethod
    def submission(repository, branch="ralph/app"):
        times = [word for name, value in TIMES.items() for word in (f"--{name}", value)]
        files = ["--plan", repository.plan, "--settings", repository.settings]
        return ["--repo", repository.path, "--branch", branch, *files, *times]

    def submit(self, repository, *words, branch="ralph/app", expect=0):
        """Starts a loop on a repository; gives its id."""
        words = [*self.submission(repository, branch), *words]
        answer = self.fleet("submit", "--json", *words, expect=expect).stdout
        return json.loads(answer)["loop"] if expect == 0 else None

    def listed(self, state):
        """The loops that a list of this state shows."""
        return [one["loop"] for one in json.loads(self.fleet("list", "--state", state, "--json").stdout)["loops"]]

    def status(self, loop):
        return json.loads(self.fleet("status", "--json", loop).stdout)

    def end(self, loop, seconds=180):
        """How the loop ended, once it has."""
        return self.until(lambda: self.ended(loop), seconds, f"{loop} does not end")

    def ended(self, loop):
        status = self.status(loop)
        return status if "outcome" in status else None

    def until(self, condition, seconds, complaint):
        until = time.time() + seconds
        while time.time() < until:
            if found := condition():
                return found
            time.sleep(0.2)
        raise AssertionError(f"{complaint} within {seconds} s")

    def want(self, **tasks):
        """What the scripted agent does with each task; put in place at once."""
        half = self.log / "wanted.new"
        half.write_text(json.dumps({name.replace("_", "-"): do for name, do in tasks.items()}))
        half.replace(self.log / "wanted.json")

    def journals(self, host):
        return list(self.folder.glob(f"host-{host}/loops/*/work/.git/ralph/runs/*/journal.jsonl"))

    def until_no_agent(self, seconds=30):
        until = time.time() + seconds
        while processes.agents(self.log):
            assert time.time() < until, "an agent lives on"
            time.sleep(0.002)
        return time.time()

    def close(self):
        for process in self.running.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
        for network in self.networks:
            network.remove()
