"""Reads the archives of every ecosystem alike: files as a person who opens the project would see them."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.parser import BytesParser
from pathlib import Path

from training.corpus.packages import Package

LARGEST_MEMBER = 1_000_000  # bytes; anything above is data
_LICENCE_FILE = re.compile(
    r"(licen[cs]e|copying|copyright|notice|mit-licen[cs]e)([-_][\w.-]*|(\.[\w-]+)?\.(txt|md|rst)|\.(mit|bsd|apache)[\w-]*)?$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ArchiveFile:
    """`path` is relative to the project root, with forward slashes."""

    path: str
    content: bytes


def files_of(package: Package, archive: Path) -> Iterator[ArchiveFile]:
    """The regular files of an archive up to LARGEST_MEMBER bytes, without the archive's top folder.

    Metadata of a wheel is left out, but its long description comes as README.md, which it was.
    """
    for name, content in _members(package, archive):
        path = _project_path(package, name)
        if path is None:
            continue
        if package.root:
            if not path.startswith(package.root):
                continue
            path = path[len(package.root) :]
        if path.startswith("/") or ".." in path.split("/"):
            continue
        yield ArchiveFile(path, content)
    if package.ecosystem == "pypi" and not package.root:
        yield from _long_description(archive)


def metadata_of(package: Package, archive: Path, file_name: str) -> bytes | None:
    """The first file of the archive's metadata or top folder that is called `file_name` (case counts not)."""
    found = [
        (name.count("/"), name, content)
        for name, content in _members(
            package, archive, lambda name: name.rsplit("/", 1)[-1].lower() == file_name.lower()
        )
    ]
    return min(found)[2] if found else None


def licence_files_of(package: Package, archive: Path) -> list[str]:
    """The texts of the files that carry licence and copyright: those of the top first."""
    named = _members(package, archive, lambda name: bool(_LICENCE_FILE.match(name.rsplit("/", 1)[-1])))
    found = sorted((name.count("/"), name, content.decode("utf-8", "replace")) for name, content in named)
    return [text for _, _, text in found]


def _members(
    package: Package, archive: Path, wanted: Callable[[str], bool] = lambda _: True
) -> Iterator[tuple[str, bytes]]:
    if package.ecosystem in ("npm", "crates"):
        with tarfile.open(archive, "r:*") as tar:
            for member in tar:
                if member.isfile() and member.size <= LARGEST_MEMBER and wanted(member.name):
                    file = tar.extractfile(member)
                    if file:
                        yield member.name, file.read()
    else:
        with zipfile.ZipFile(archive) as zipped:
            for info in zipped.infolist():
                if not info.is_dir() and info.file_size <= LARGEST_MEMBER and wanted(info.filename):
                    yield info.filename, zipped.read(info)


def _project_path(package: Package, name: str) -> str | None:
    """The member's path below the project root; None for what the packaging added."""
    name = name.removeprefix("./")
    if package.ecosystem in ("npm", "crates"):
        return name.partition("/")[2] or None
    if package.ecosystem == "go":
        return name.removeprefix(f"{package.name}@{package.version}/")
    top = name.partition("/")[0]
    if package.ecosystem == "maven":
        return None if top == "META-INF" else f"src/main/java/{name}"
    return None if top.endswith((".dist-info", ".data")) else name


def _long_description(archive: Path) -> Iterator[ArchiveFile]:
    with zipfile.ZipFile(archive) as zipped:
        for name in zipped.namelist():
            if name.endswith(".dist-info/METADATA") and name.count("/") == 1:
                message = BytesParser().parsebytes(zipped.read(name))
                body = message.get_payload(decode=False)
                if "markdown" in (message.get("Description-Content-Type") or "") and isinstance(body, str):
                    yield ArchiveFile("README.md", body.encode("utf-8", "surrogateescape"))
