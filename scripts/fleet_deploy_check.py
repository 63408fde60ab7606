#!/usr/bin/env python3
"""Whether deploy/ says what the design wants: it parses, renders, and keeps the rules that operators rely on.

    fleet_deploy_check.py

The chart is judged by helm and by Kubernetes' strict schemas, which come into an environment below target/, by hash;
the compose file by its rules, and by `docker compose` where that is installed.
"""

import subprocess
import sys
from pathlib import Path

from fleet.deploy_tools import ROOT, again_with_tools

DEPLOY = ROOT / "deploy"


def main():
    again_with_tools()
    from fleet import chart_rules, compose_rules

    print(f"compose.yaml: checked {compose_rules.check(DEPLOY)}")
    print(f"helm/ralph-fleet: checked {chart_rules.check(DEPLOY / 'helm' / 'ralph-fleet')}")
    sys.stdout.flush()
    subprocess.run([sys.executable, Path(__file__).with_name("fleet_capacity.py"), "--check"], check=True)
    print("capacity.md: its table is the arithmetic's")


if __name__ == "__main__":
    main()
