"""Downloads archives with each ecosystem's ordinary client, as it is set up on this machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

from training.corpus.packages import Package

TIMEOUT_SECONDS = 900


class DownloadError(Exception):
    """A client did not deliver; the message is the last lines of what it said."""


# What a client delivered: for each package the version and the archive, in a folder that the caller owns.
Delivery = dict[Package, tuple[str, Path]]


def download(packages: list[Package], folder: Path) -> Delivery:
    """Downloads packages of one ecosystem into `folder`, the newest version where an entry names none."""
    return _CLIENTS[packages[0].ecosystem](packages, folder)


def _wheels(packages: list[Package], folder: Path) -> Delivery:
    # One platform and Python for everybody, so that the sha256 does not depend on the machine.
    target = ["--python-version", "3.11", "--implementation", "cp", "--platform", "any"]
    for platform in (
        "manylinux_2_28",
        "manylinux_2_27",
        "manylinux_2_24",
        "manylinux_2_17",
        "manylinux2014",
        "manylinux2010",
        "manylinux1",
    ):
        target += ["--platform", f"{platform}_x86_64"]
    wanted = [f"{p.name}=={p.version}" if p.version else p.name for p in packages]
    _run(
        [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
            *target,
            "-d",
            str(folder),
            *wanted,
        ]
    )
    wheels: dict[str, tuple[str, Path]] = {}
    for wheel in folder.glob("*.whl"):
        name, version = wheel.name.split("-")[:2]
        wheels[_normal(name)] = (version, wheel)
    return _matched(packages, {p: wheels.get(_normal(p.name)) for p in packages})


def _npm_tarballs(packages: list[Package], folder: Path) -> Delivery:
    wanted = [f"{p.name}@{p.version or 'latest'}" for p in packages]
    answer = _run(["npm", "pack", "--json", "--ignore-scripts", "--pack-destination", str(folder), *wanted], folder)
    entries = json.loads(answer)
    entries = list(entries.values()) if isinstance(entries, dict) else entries
    found = {}
    for entry in entries:
        file = folder / entry["filename"]
        if not file.exists():  # some npm versions list a scoped package's file as it is not named
            file = folder / entry["filename"].replace("@", "").replace("/", "-")
        found[entry["name"]] = (entry["version"], file)
    return _matched(packages, {p: found.get(p.name) for p in packages})


def _crates(packages: list[Package], folder: Path) -> Delivery:
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    delivery: dict[Package, tuple[str, Path] | None] = {}
    for package in packages:
        # `cargo info` downloads the one crate; `cargo fetch` would bring everything it depends on.
        wanted = f"{package.name}@{package.version}" if package.version else package.name
        answer = _run(["cargo", "info", "--color", "never", wanted], folder)
        version = package.version
        for line in answer.splitlines():
            if line.startswith("version:"):
                version = line.split()[1]
        cached = next(home.glob(f"registry/cache/*/{package.name}-{version}.crate"), None)
        if cached:
            shutil.copy(cached, folder)
            delivery[package] = (version, folder / cached.name)
    return _matched(packages, {p: delivery.get(p) for p in packages})


def _go_modules(packages: list[Package], folder: Path) -> Delivery:
    wanted = [f"{p.name}@{p.version or 'latest'}" for p in packages]
    answer = _run(["go", "mod", "download", "-json", *wanted], folder)
    found = {}
    decoder = json.JSONDecoder()
    while answer := answer.lstrip():
        entry, end = decoder.raw_decode(answer)
        answer = answer[end:]
        if "Zip" in entry:
            found[entry["Path"]] = (entry["Version"], Path(entry["Zip"]))
    return _matched(packages, {p: found.get(p.name) for p in packages})


def _source_jars(packages: list[Package], folder: Path) -> Delivery:
    items = []
    for package in packages:
        group, _, artifact = package.name.partition(":")
        if not package.version:
            raise DownloadError(f"{package.label} needs a version: Maven does not tell the newest one.")
        fields = {
            "groupId": group,
            "artifactId": artifact,
            "version": package.version,
            "classifier": "sources",
            "type": "jar",
        }
        items.append(
            "<artifactItem>" + "".join(f"<{k}>{escape(v)}</{k}>" for k, v in fields.items()) + "</artifactItem>"
        )
    (folder / "pom.xml").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>emberline</groupId><artifactId>corpus</artifactId><version>1</version>"
        "<build><plugins><plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-dependency-plugin</artifactId>"
        f"<configuration><artifactItems>{''.join(items)}</artifactItems></configuration></plugin></plugins></build></project>"
    )
    _run(["mvn", "-q", "-B", "-f", str(folder / "pom.xml"), "dependency:copy", f"-DoutputDirectory={folder}"], folder)
    files = {p: folder / f"{p.name.partition(':')[2]}-{p.version}-sources.jar" for p in packages}
    return _matched(packages, {p: (p.version, file) if file.exists() else None for p, file in files.items()})


_CLIENTS: dict[str, Callable[[list[Package], Path], Delivery]] = {
    "pypi": _wheels,
    "npm": _npm_tarballs,
    "crates": _crates,
    "go": _go_modules,
    "maven": _source_jars,
}


def _normal(name: str) -> str:
    """A PyPI name as PEP 503 normalises it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _matched(packages: list[Package], found: dict[Package, tuple[str, Path] | None]) -> Delivery:
    for package in packages:
        if not found[package]:
            raise DownloadError(f"the client delivered no archive of {package.label}")
    return {package: entry for package, entry in found.items() if entry}


def _run(command: list[str], folder: Path | None = None) -> str:
    """The standard output of a client; DownloadError with its last words when it fails."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    except FileNotFoundError:
        raise DownloadError(f"`{command[0]}` is not installed") from None
    except subprocess.TimeoutExpired:
        raise DownloadError(f"`{command[0]}` did not finish within {TIMEOUT_SECONDS} s") from None
    if done.returncode != 0:
        # `go mod download -json` says it in a field of its output.
        errors = re.findall(r'"Error": "(.*)"', done.stdout)
        raise DownloadError(
            " ".join(("\n".join(errors) or done.stderr or done.stdout).strip().splitlines()[-3:])[-400:]
        )
    return done.stdout
