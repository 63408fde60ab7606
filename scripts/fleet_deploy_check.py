#!/usr/bin/env python3
"""Whether deploy/ says what the design wants: it parses, renders, and keeps the rules that operators rely on.

    fleet_deploy_check.py

Uses `helm` and `docker compose` where they are installed, and renders the chart by itself elsewhere. PyYAML comes into
an environment below target/, by hash.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
CACHE = ROOT / "target" / "fleet-deploy-check"
VALUES = {"image": {"repository": "registry.example/ralph-fleet", "tag": "", "digest": "sha256:" + "0" * 64}}
PINNED = re.compile(r"^[\w./-]+(:\d[\w.-]*|@sha256:[0-9a-f]{64}|:\d[\w.-]*@sha256:[0-9a-f]{64})$")


def again_with_yaml():
    """Starts this script again where PyYAML is."""
    python = CACHE / "bin" / "python"
    if not python.is_file():
        venv.create(CACHE, with_pip=True, clear=True)
        wanted = Path(__file__).resolve().parent / "fleet" / "requirements.txt"
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--only-binary", ":all:", "--require-hashes", "-r", wanted], check=True)
    os.execv(python, [str(python), __file__])


def compose(yaml):
    """The team's compose file."""
    file = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
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
        subprocess.run(["sh", "-n", DEPLOY / name], check=True)
    yaml.safe_load((DEPLOY / "dynamic.yaml").read_text())["matching.enableFairness"]
    done = shutil.which("docker") and subprocess.run(["docker", "compose", "version"], capture_output=True)
    if not done or done.returncode != 0:
        return "by its rules"
    secrets = {"POSTGRES_PASSWORD": "x", "FLEET_IMAGE": "registry.example/ralph-fleet:0.1.0"}
    words = ["docker", "compose", "-f", DEPLOY / "compose.yaml", "config", "--quiet"]
    subprocess.run(words, check=True, env={**os.environ, **secrets})
    return "by its rules and by docker compose"


def rendered(yaml, changes):
    """The chart's objects, by kind and name."""
    from fleet.chart import Chart

    chart = DEPLOY / "helm" / "ralph-fleet"
    values = {**yaml.safe_load((chart / "values.yaml").read_text()), **VALUES, **changes}
    if helm := shutil.which("helm"):
        file = CACHE / "values.yaml"
        file.write_text(yaml.safe_dump(values))
        words = [helm, "template", "fleet", chart, "-f", file]
        text = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    else:
        text = "\n---\n".join(Chart(chart, values, yaml.safe_dump).render().values())
    found = [one for one in yaml.safe_load_all(text) if one]
    objects = {(one["kind"], one["metadata"]["name"]): one for one in found}
    assert len(objects) == len(found), "two objects have one name"
    return objects


def chart(yaml):
    """The platform's chart, with two accounts."""
    accounts = [{"name": name, "replicas": 2, "secret": f"secret-{name}"} for name in ("one", "two")]
    objects = rendered(yaml, {"accounts": accounts})
    brain = objects["Deployment", "fleet-brain"]["spec"]
    assert brain["replicas"] == 2
    requests = brain["template"]["spec"]["containers"][0]["resources"]["requests"]
    assert requests == {"cpu": "100m", "memory": "128Mi"}, requests
    for account in ("one", "two"):
        hands(objects["StatefulSet", f"fleet-hands-{account}"]["spec"]["template"]["spec"], account)
    policy = objects["NetworkPolicy", "fleet-hands"]["spec"]
    assert policy["ingress"] == [] and len(policy["egress"]) == 4, "hands are called, or go elsewhere"
    assert not any(kind == "Service" for kind, _ in objects), "a worker has an inbound port"
    scaled = rendered(yaml, {"accounts": accounts, "scaling": {"enabled": True, "least": 1, "most": 9, "backlog": 4}})
    queue = scaled["ScaledObject", "fleet-hands-two"]["spec"]["triggers"][0]["metadata"]["taskQueue"]
    assert queue == "acct:two", queue
    assert "replicas" not in scaled["StatefulSet", "fleet-hands-two"]["spec"], "two would decide how many pods there are"
    secured = rendered(yaml, {"server": {"address": "a:1", "namespace": "n", "apiKeySecret": "k", "tlsSecret": "t"}})
    names = [one["name"] for one in secured["Deployment", "fleet-brain"]["spec"]["template"]["spec"]["containers"][0]["env"]]
    assert {"TEMPORAL_API_KEY", "TEMPORAL_TLS_CLIENT_KEY_PATH"} <= set(names), names
    return "by helm" if shutil.which("helm") else "by its own rendering"


def hands(pod, account):
    """One account's pods."""
    container = pod["containers"][0]
    args = container["args"]
    assert args[args.index("--account") + 1] == account
    assert 4 <= int(args[args.index("--slots") + 1]) <= 8, "a pod that dies takes many agents along"
    assert pod["terminationGracePeriodSeconds"] == 3600 and pod["hostUsers"] is False
    assert pod["securityContext"]["seccompProfile"]["type"] == "Localhost"
    assert pod["securityContext"]["appArmorProfile"]["type"] == "Unconfined"
    assert "ports" not in container and "@sha256:" in container["image"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    assert "ephemeral" in volumes["loops"], "the folder of loops outlives its pod"
    secrets = {volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume}
    assert f"secret-{account}" in secrets and not any(s.startswith("secret-") and s != f"secret-{account}" for s in secrets)


def main():
    try:
        import yaml
    except ImportError:
        again_with_yaml()
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    print(f"compose.yaml: checked {compose(yaml)}")
    print(f"helm/ralph-fleet: checked {chart(yaml)}")
    subprocess.run([sys.executable, Path(__file__).with_name("fleet_capacity.py"), "--check"], check=True)
    print("capacity.md: its table is the arithmetic's")


if __name__ == "__main__":
    main()
