"""The rules of the platform's chart, on what helm renders for each way to set it up."""

from fleet.helm import Chart

REPOS = {"repos": ["https://git.example.com/", "git@git.example.com:"]}
DIGEST = {"image": {"repository": "registry.example/ralph-fleet", "tag": "", "digest": "sha256:" + "0" * 64}}
IMAGE = {**DIGEST, "hands": REPOS}
TAGGED = {"image": {"repository": "registry.example/ralph-fleet", "tag": "0.1.0"}, "hands": REPOS}
ACCOUNTS = {"accounts": [{"name": name, "replicas": 2, "secret": f"secret-{name}"} for name in ("one", "two")]}
# Names that YAML reads as a number or as a truth where they stand without quotes.
ODD = {"accounts": [{"name": name, "replicas": 2, "secret": name} for name in ("007", "on")]}
ODD_NAMES = {"hands": {**REPOS, "gitSecret": "8", "settings": "9"}, "server": {"apiKeySecret": "10", "tlsSecret": "11"}}
SCALING = {"scaling": {"enabled": True, "least": 1, "most": 9, "backlog": 4}}
SECURED = {"server": {"address": "a:1", "namespace": "n", "apiKeySecret": "k", "tlsSecret": "t"}}
# KEDA's, which not every cluster has.
SCALED = "keda.sh/v1alpha1 ScaledObject"


def check(folder):
    """Checks the chart, and says by what."""
    chart = Chart(folder, {SCALED})
    chart.helm("lint", [folder, "--strict", "--quiet"], {}, chart.newest)
    refusals(chart)
    rules(chart.objects(TAGGED), ["default"])
    rules(chart.objects({**IMAGE, "accounts": []}), [])
    accounts(chart.objects({**IMAGE, **ACCOUNTS}))
    scaled(chart.objects({**IMAGE, **ACCOUNTS, **SCALING}))
    secured(chart.objects({**IMAGE, **SECURED}))
    measured(chart.objects({**IMAGE, "metrics": {"port": 9999}}), 9999)
    rules(chart.objects({**IMAGE, **ODD, **ODD_NAMES, **SCALING}, "2026"), ["007", "on"], "2026")
    both = chart.objects({**IMAGE, **ACCOUNTS, **SCALING, **SECURED})
    scaled(both)
    secured(both)
    return f"by helm and by the strict schemas of Kubernetes {chart.least} and {chart.newest}"


def refusals(chart):
    """What helm must not render."""
    chart.refuses({}, "image.repository is needed")
    chart.refuses({"image": {"repository": "registry.example/ralph-fleet"}}, "image.tag or image.digest is needed")
    chart.refuses(DIGEST, "hands.repos is needed")
    major, minor = chart.least.split(".")
    chart.refuses(IMAGE, "incompatible with Kubernetes", f"{major}.{int(minor) - 1}")


def rules(objects, names, release="fleet"):
    """What holds however the chart is set up."""
    brain = objects["Deployment", f"{release}-brain"]["spec"]
    assert brain["replicas"] == 2
    requests = brain["template"]["spec"]["containers"][0]["resources"]["requests"]
    assert requests == {"cpu": "100m", "memory": "128Mi"}, requests
    sets = {name for kind, name in objects if kind == "StatefulSet"}
    assert sets == {f"{release}-hands-{name}" for name in names}, sets
    for name in names:
        hands(objects["StatefulSet", f"{release}-hands-{name}"]["spec"], name)
    policy = objects["NetworkPolicy", f"{release}-hands"]["spec"]
    assert policy["ingress"] == [] and len(policy["egress"]) == 4, "hands are called, or go elsewhere"
    assert not any(kind == "Service" for kind, _ in objects), "a worker has an inbound port"


def hands(spec, account):
    """One account's pods."""
    pod = spec["template"]["spec"]
    container = pod["containers"][0]
    args = container["args"]
    assert args[args.index("--account") + 1] == account
    assert args[args.index("--repos") + 1] == ",".join(REPOS["repos"]), "git-credentials is for these alone"
    assert 4 <= int(args[args.index("--slots") + 1]) <= 8, "a pod that dies takes many agents along"
    assert pod["terminationGracePeriodSeconds"] == 3600 and pod["hostUsers"] is False
    assert pod["securityContext"]["seccompProfile"]["type"] == "Localhost"
    assert pod["securityContext"]["appArmorProfile"]["type"] == "Unconfined"
    assert "ports" not in container, "a worker has an inbound port"
    claims = [claim["metadata"]["name"] for claim in spec["volumeClaimTemplates"]]
    assert claims == ["loops"], "work that a remote refuses dies with its pod"
    stays = {"whenScaled": "Retain", "whenDeleted": "Retain"}
    assert spec["persistentVolumeClaimRetentionPolicy"] == stays, "… or with its set"


def accounts(objects):
    """Two accounts, and an image by digest: each account's pods have that account's secret."""
    rules(objects, ["one", "two"])
    for account in ("one", "two"):
        pod = objects["StatefulSet", f"fleet-hands-{account}"]["spec"]["template"]["spec"]
        assert "@sha256:" in pod["containers"][0]["image"], "a digest does not win"
        secrets = {volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume}
        own = {secret for secret in secrets if secret.startswith("secret-")}
        assert own == {f"secret-{account}"}, f"hands of {account} have {own}"


def scaled(objects):
    """KEDA scales hands. Kubernetes has no schema for what it reads."""
    accounts(objects)
    for account in ("one", "two"):
        name = f"fleet-hands-{account}"
        spec = objects["ScaledObject", name]["spec"]
        assert spec["scaleTargetRef"] == {"kind": "StatefulSet", "name": name}, spec["scaleTargetRef"]
        assert (spec["minReplicaCount"], spec["maxReplicaCount"]) == (1, 9)
        metadata = spec["triggers"][0]["metadata"]
        assert metadata["taskQueue"] == f"acct:{account}", metadata["taskQueue"]
        assert all(isinstance(value, str) for value in metadata.values()), f"KEDA reads texts: {metadata}"
        assert "replicas" not in objects["StatefulSet", name]["spec"], "two would decide how many pods there are"


def secured(objects):
    """A server that asks for a key and for certificates: each worker has what it needs."""
    for (kind, name), one in objects.items():
        if kind not in ("Deployment", "StatefulSet"):
            continue
        pod = one["spec"]["template"]["spec"]
        container = pod["containers"][0]
        names = {variable["name"] for variable in container["env"]}
        assert {"TEMPORAL_API_KEY", "TEMPORAL_TLS_CLIENT_KEY_PATH"} <= names, f"{name}: {names}"
        mounted = {mount["name"] for mount in container["volumeMounts"]}
        claims = one["spec"].get("volumeClaimTemplates", [])
        volumes = {claim["metadata"]["name"] for claim in claims} | {volume["name"] for volume in pod["volumes"]}
        assert mounted == volumes and "tls" in mounted, f"{name}: {mounted}"


def measured(objects, port):
    """Each worker's metrics are on its pod's loopback."""
    pods = [one["spec"]["template"]["spec"] for (kind, _), one in objects.items() if kind in ("Deployment", "StatefulSet")]
    assert len(pods) == 2
    for args in (pod["containers"][0]["args"] for pod in pods):
        assert args[args.index("--metrics") + 1] == f"127.0.0.1:{port}", args
