"""A whole build from archives in the cache: what comes out, that it comes out the same again, and what stops it."""

from __future__ import annotations

import gzip
import json
import platform
import random
import zipfile
from pathlib import Path

import pytest

from training.corpus import fetch as fetching
from training.corpus.build import build, build_held_out
from training.corpus.clients import Delivery, DownloadError
from training.corpus.fetch import FetchError, archive_path, fetch, sha256_of
from training.corpus.lock import lock
from training.corpus.packages import HELD_OUT, Package, PackageListError, read_packages, with_fields, write_packages
from training.tests.small_archives import tarball


def program(seed: int) -> str:
    """A Python file of some 40 lines that has nothing in common with that of another seed."""
    draw = random.Random(seed)
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    lines = []
    for number in range(10):
        name = f"{draw.choice(words)}_{draw.choice(words)}_{seed}_{number}"
        lines += [
            f"def {name}(left, right):",
            f"    total = left.{draw.choice(words)} + right",
            f"    print({name!r}, total)",
            "    return total",
            "",
        ]
    return "\n".join(lines)


def wheel(path: Path, files: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as zipped:
        for name, text in files.items():
            zipped.writestr(name, text)
        zipped.writestr("some-1.0.dist-info/METADATA", "Metadata-Version: 2.4\nName: some\nLicense-Expression: MIT\n\n")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache with three archives, and packages.toml beside them."""
    taught = Package("pypi", "some", "1.0", "MIT")
    judged = Package("pypi", "judged", "2.0", "MIT", role=HELD_OUT)
    other = Package("npm", "@scope/other", "3.0.0", "ISC")
    wheel(
        archive_path(taught, tmp_path),
        {
            "some/one.py": program(1),
            "some/two.py": program(2),
            "some/copy_of_two.py": program(2) + "\n# a copy\n",
            "some/copy_of_judged.py": program(3),
            "some/_vendor/theirs.py": program(4),
        },
    )
    wheel(archive_path(judged, tmp_path), {"judged/three.py": program(3)})
    typescript = "".join(
        f"export function sum{n}(left: number, right{n}: number): number {{\n  return left + right{n};\n}}\n"
        for n in range(6)
    )
    tarball(archive_path(other, tmp_path), {"src/sum.ts": typescript, "dist/sum.js": typescript, "package.json": "{}"})
    packages = [with_fields(p, sha256=sha256_of(archive_path(p, tmp_path))) for p in (taught, judged, other)]
    write_packages(packages, tmp_path / "packages.toml")
    return tmp_path


def test_a_build_keeps_what_is_written_once_and_not_judged_on(cache: Path) -> None:
    manifest = build(cache, cache / "packages.toml")
    with gzip.open(cache / "corpus" / "train.jsonl.gz", "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    assert {tuple(d) for d in documents} == {("package", "ecosystem", "language", "path", "text")}
    paths = {d["path"]: d for d in documents}
    assert len({"some/two.py", "some/copy_of_two.py"} & set(paths)) == 1
    assert set(paths) - {"some/two.py", "some/copy_of_two.py"} == {"some/one.py", "src/sum.ts"}
    assert (paths["src/sum.ts"]["package"], paths["src/sum.ts"]["language"]) == ("@scope/other", "typescript")
    assert paths["some/one.py"]["text"] == program(1)
    assert (cache / "corpus" / "held_out" / "pypi" / "judged" / "judged" / "three.py").read_text() == program(3)
    assert manifest.total.files == 3 and manifest.total.tokens > 100
    assert manifest.dropped["repeats held-out text"] == 1
    assert manifest.dropped["near duplicate"] == 1
    assert manifest.dropped["path"] == 2
    written = json.loads((cache / "corpus" / "manifest.json").read_text())
    assert written["total"]["packages"] == 2
    assert written["python"] == platform.python_version()


def test_what_is_judged_on_can_be_had_alone(cache: Path) -> None:
    packages = cache / "packages.toml"
    assert build_held_out(cache, packages) == build(cache, packages).held_out == {"pypi/judged": 1}
    archive_path(next(p for p in read_packages(packages) if p.role != HELD_OUT), cache).unlink()
    assert build_held_out(cache, packages) == {"pypi/judged": 1}


def test_the_same_list_gives_the_same_bytes(cache: Path) -> None:
    assert build(cache, cache / "packages.toml") == build(cache, cache / "packages.toml")


def test_an_entry_that_is_not_locked_stops_the_build(cache: Path) -> None:
    write_packages([*read_packages(cache / "packages.toml"), Package("npm", "new")], cache / "packages.toml")
    with pytest.raises(PackageListError, match="npm new is not locked"):
        build(cache, cache / "packages.toml")


def test_a_download_with_another_checksum_is_refused_by_name(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deliver(packages: list[Package], folder: Path) -> Delivery:
        (folder / "archive").write_text("something else")
        return {package: (package.version, folder / "archive") for package in packages}

    monkeypatch.setattr(fetching, "download", deliver)
    wrong = Package("npm", "wrong", "1.0.0", "MIT", "0" * 64)
    with pytest.raises(FetchError, match="npm wrong 1.0.0: its sha256 is [0-9a-f]{64}, not 0000"):
        fetch([wrong], cache)
    assert not archive_path(wrong, cache).exists()


def test_one_package_that_is_not_to_be_had_does_not_keep_the_others(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deliver(packages: list[Package], folder: Path) -> Delivery:
        if any(package.name == "gone" for package in packages):
            raise DownloadError("no such package")
        for package in packages:
            tarball(folder / package.name, {"package.json": '{"license": "MIT"}'})
        return {package: ("1.2.3", folder / package.name) for package in packages}

    monkeypatch.setattr(fetching, "download", deliver)
    path = cache / "new.toml"
    write_packages([Package("npm", name) for name in ("first", "gone", "last")], path)
    with pytest.raises(FetchError, match="1 of 3 packages could not be fetched(.|\n)*npm gone: no such package"):
        lock(cache, path)
    locked = {package.name: package for package in read_packages(path)}
    assert (locked["first"].version, locked["last"].licence) == ("1.2.3", "MIT")
    assert locked["gone"].version == ""


def test_a_licence_that_is_not_permissive_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deliver(packages: list[Package], folder: Path) -> Delivery:
        tarball(folder / "archive", {"package.json": '{"license": "GPL-3.0-only"}'})
        return {package: ("1.2.3", folder / "archive") for package in packages}

    monkeypatch.setattr(fetching, "download", deliver)
    path = cache / "new.toml"
    write_packages([Package("npm", "copyleft")], path)
    with pytest.raises(PackageListError, match="npm copyleft 1.2.3: GPL-3.0-only"):
        lock(cache, path)
