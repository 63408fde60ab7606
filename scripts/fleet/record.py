"""What the agents' record says: who lived when, and whether two of them ever worked on one branch at once."""

import json
import time
from dataclasses import dataclass, field


@dataclass
class Life:
    """One call of an agent."""

    task: str
    host: str
    key: str
    began: float
    last: float
    how: str = ""
    steered: bool = False
    answered: bool = False


@dataclass
class Record:
    """The lines that agents and gates wrote."""

    path: object
    lines: list = field(default_factory=list)

    def read(self):
        self.lines = []
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                # Whoever is killed while writing leaves half a line.
                try:
                    self.lines.append(json.loads(line))
                except ValueError:
                    continue
        return self.lines

    def wait(self, what, seconds=90, **fields):
        """The first line of this kind, waiting for it if it is not there yet."""
        until = time.time() + seconds
        while time.time() < until:
            for line in self.read():
                if line["what"] == what and all(line.get(name) == value for name, value in fields.items()):
                    return line
            time.sleep(0.05)
        raise AssertionError(f"no {what} {fields} within {seconds} s")

    def lives(self):
        lives, at_work = [], {}
        for line in self.read():
            who = (line["host"], line["pid"], line["key"], line["task"])
            if line["what"] == "start":
                life = Life(line["task"], line["host"], line["key"], line["at"], line["at"])
                life.steered, life.answered = line["steered"], line["answered"]
                at_work[who] = life
                lives.append(life)
            elif who in at_work and line["what"] in ("alive", "end"):
                at_work[who].last = line["at"]
                at_work[who].how = line.get("how", "")
        return lives

    def overlaps(self):
        """Pairs of lives of one loop of which one began before the other was over."""
        lives = sorted(self.lives(), key=lambda life: life.began)
        pairs = [(a, b) for i, a in enumerate(lives) for b in lives[i + 1 :] if a.key == b.key]
        return [(a.task, a.host, b.task, b.host, round(a.last - b.began, 2)) for a, b in pairs if b.began < a.last]
