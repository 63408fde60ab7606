"""Prints what `just real-agents` saw: a table agent by scenario, and the main road's table, from one small file for each cell."""

import pathlib
import sys

AGENTS = ["claude", "codex", "gemini", "qwen", "opencode", "copilot", "cline"]
SCENARIOS = ["text", "edit", "sandbox", "handoff", "limit", "long_limit", "overload", "login", "overflow", "termination"]

# The main road: what the journals say of each kind of call.
KINDS = ["plan", "implement", "review", "fix", "compact", "prompt"]
ROWS = [(agent, who, sandbox) for agent in ["claude", "codex"] for who in ["user", "root"] for sandbox in ["default", "off"]]


def cell(folder: pathlib.Path, agent: str, scenario: str) -> str:
    """What was seen, or that nothing was."""
    path = folder / f"{agent}.{scenario}"
    return path.read_text() if path.exists() else "NOT PLAYED"


def table(head: list[str], rows: dict[tuple[str, ...], list[str]]) -> bool:
    """Prints a table; whether no cell is missing or failed."""
    print("| " + " | ".join(head) + " |")
    print("|---" * len(head) + "|")
    for names, cells in rows.items():
        print("| " + " | ".join([*names, *cells]) + " |")
    return not any(text in ("FAILED", "NOT PLAYED") for cells in rows.values() for text in cells)


def main() -> int:
    """Prints both tables; 1 if a cell is missing or failed."""
    folder = pathlib.Path(sys.argv[1])
    roads = {row: [cell(folder, ".".join(["road", *row]), kind) for kind in KINDS] for row in ROWS}
    is_road_whole = table(["agent", "who", "sandbox", *KINDS], roads)
    print()
    agents = {(agent,): [cell(folder, agent, scenario) for scenario in SCENARIOS] for agent in AGENTS}
    is_whole = table(["agent", *SCENARIOS], agents)
    return int(not (is_road_whole and is_whole))


if __name__ == "__main__":
    sys.exit(main())
