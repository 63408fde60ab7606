"""The rules of the team's compose file and of the scripts beside it."""

import os
import re
import shutil
import subprocess

import yaml

PINNED = re.compile(r"^[\w./-]+(:\d[\w.-]*|@sha256:[0-9a-f]{64}|:\d[\w.-]*@sha256:[0-9a-f]{64})$")


def check(deploy):
    """Checks all of it, and says by what."""
    file = yaml.safe_load((deploy / "compose.yaml").read_text())
    services = file["services"]
    assert {"postgres", "server", "ui", "brain", "hands"} <= set(services), "a service is missing"
    for name, service in services.items():
        image = service["image"]
        assert image.startswith("${FLEET_IMAGE") or PINNED.match(image), f"{name}: {image} is not pinned"
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:"), f"{name}: {port} is open to others"
        for need in service.get("depends_on", {}):
            assert need in services, f"{name} needs {need}, which is not there"
    hands = services["hands"]
    assert hands["stop_grace_period"] == "60m" and any(one.startswith("loops:") for one in hands["volumes"])
    for secret in hands["secrets"]:
        assert secret in file["secrets"], f"the secret {secret} is not declared"
    assert not services["brain"].get("secrets"), "a brain needs no secret"
    assert "POSTGRES_PASSWORD:?" in services["postgres"]["environment"]["POSTGRES_PASSWORD"], "a password is written down"
    for name in ("schema.sh", "namespace.sh", "local.sh"):
        subprocess.run(["sh", "-n", deploy / name], check=True)
    yaml.safe_load((deploy / "dynamic.yaml").read_text())["matching.enableFairness"]
    done = shutil.which("docker") and subprocess.run(["docker", "compose", "version"], capture_output=True)
    if not done or done.returncode != 0:
        return "by its rules"
    secrets = {"POSTGRES_PASSWORD": "x", "FLEET_IMAGE": "registry.example/ralph-fleet:0.1.0", "FLEET_REPOS": "https://git.example.com/"}
    words = ["docker", "compose", "-f", deploy / "compose.yaml", "config", "--quiet"]
    subprocess.run(words, check=True, env={**os.environ, **secrets})
    return "by its rules and by docker compose"
