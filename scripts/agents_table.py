"""Prints what `just real-agents` saw: a table agent by scenario, from one small file for each cell."""

import pathlib
import sys

AGENTS = ["claude", "codex", "gemini", "qwen", "opencode", "copilot", "cline"]
SCENARIOS = ["text", "edit", "sandbox", "handoff", "limit", "long_limit", "overload", "login", "overflow", "termination"]


def cell(folder: pathlib.Path, agent: str, scenario: str) -> str:
    """What was seen, or that nothing was."""
    path = folder / f"{agent}.{scenario}"
    return path.read_text() if path.exists() else "NOT PLAYED"


def main() -> int:
    """Prints the table; 1 if a cell is missing or failed."""
    folder = pathlib.Path(sys.argv[1])
    cells = {agent: [cell(folder, agent, scenario) for scenario in SCENARIOS] for agent in AGENTS}
    print("| agent | " + " | ".join(SCENARIOS) + " |")
    print("|---" * (len(SCENARIOS) + 1) + "|")
    for agent, row in cells.items():
        print(f"| {agent} | " + " | ".join(row) + " |")
    flat = [text for row in cells.values() for text in row]
    return int(any(text in ("FAILED", "NOT PLAYED") for text in flat))


if __name__ == "__main__":
    sys.exit(main())
