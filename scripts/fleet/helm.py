"""What helm makes of a chart: linted, rendered, and each object held against Kubernetes' strict schemas."""

import json
import os
import subprocess
import sys

import kubernetes_validate
import yaml

from fleet.deploy_tools import FOLDER, HELM


class OneOfEach(yaml.SafeLoader):
    """Refuses a key that is there twice: Kubernetes does too, PyYAML and helm take the last one."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key) for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"{twice} twice", node.start_mark)
        return super().construct_mapping(node, deep)


class Chart:
    """A chart, and the oldest and the newest Kubernetes that it is checked for."""

    def __init__(self, folder, without_schema):
        """`without_schema` are the kinds that are not Kubernetes' own."""
        self.folder, self.without_schema = folder, without_schema
        least = yaml.safe_load((folder / "Chart.yaml").read_text())["kubeVersion"]
        assert least.startswith(">=") and least.endswith(".0-0"), f"{least} is not `>=MAJOR.MINOR.0-0`"
        self.least, self.newest = least[2:-4], kubernetes_validate.latest_version().removesuffix(".0")

    def objects(self, values, release="fleet"):
        """What is installed, by kind and name."""
        for version in (self.least, self.newest):
            self.helm("lint", [self.folder, "--strict", "--quiet"], values, version)
            text = self.helm("template", [release, self.folder], values, version)
            found = [one for one in yaml.load_all(text, OneOfEach) if one]
            for one in found:
                self.validate(one, version)
        objects = {(one["kind"], one["metadata"]["name"]): one for one in found}
        assert len(objects) == len(found), "two objects have one name"
        return objects

    def validate(self, one, version):
        what = f"{one['kind']} {one['metadata']['name']}, Kubernetes {version}"
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            sys.exit(f"{what}: {'.'.join(map(str, error.path))}: {error.message}")
        except kubernetes_validate.SchemaNotFoundError:
            if f"{one['apiVersion']} {one['kind']}" not in self.without_schema:
                sys.exit(f"{what}: it knows no {one['apiVersion']}")

    def refuses(self, values, because, version=None):
        """Helm must not render this."""
        done = run("template", ["fleet", self.folder], values, version or self.newest)
        assert done.returncode != 0 and because in done.stderr, f"helm renders {values} for {version or self.newest}"

    def helm(self, command, words, values, version):
        done = run(command, words, values, version)
        if done.returncode != 0:
            sys.exit(f"helm {command} refuses the chart with {json.dumps(values)}:\n{done.stdout}{done.stderr}")
        return done.stdout


def run(command, words, values, version):
    """Helm with folders of its own: what this machine's user set up says nothing about the chart."""
    own = {f"HELM_{name}_HOME": str(FOLDER / "helm" / name.lower()) for name in ("CACHE", "CONFIG", "DATA")}
    words = [HELM, command, *words, "--kube-version", version, "--values", "-"]
    given = json.dumps(values)
    return subprocess.run(words, input=given, capture_output=True, text=True, env={"PATH": os.defpath, **own})
