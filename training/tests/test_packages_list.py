"""packages.toml: well formed, permissive, and nothing both taught and judged on."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from training.corpus.licences import is_permissive
from training.corpus.packages import HELD_OUT, LIST, Package, PackageListError, read_packages, write_packages

PACKAGES = read_packages()
NEVER_TAUGHT = {"node-llama-cpp", "typeorm", "mobx", "undici", "xstate"}


def test_every_entry_is_locked() -> None:
    for package in PACKAGES:
        assert package.version, f"{package.label} has no version"
        assert re.fullmatch(r"[0-9a-f]{64}", package.sha256), f"{package.label} has no sha256"


def test_every_licence_is_permissive() -> None:
    assert [f"{p.label}: {p.licence}" for p in PACKAGES if not is_permissive(p.licence)] == []


@pytest.mark.parametrize(
    ("expression", "permissive"),
    [
        ("MIT", True),
        ("MIT OR Apache-2.0", True),
        ("MIT/Apache-2.0", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("(MIT OR GPL-3.0-or-later)", True),
        ("(MIT OR Apache-2.0) AND BSD-3-Clause", True),
        ("MIT AND MPL-2.0", False),
        ("(MIT OR Apache-2.0) AND LGPL-2.1-only", False),
        ("GPL-3.0-only", False),
        ("MPL-2.0", False),
        ("", False),
        ("MIT MIT", False),
    ],
)
def test_spdx_expressions(expression: str, permissive: bool) -> None:
    assert is_permissive(expression) is permissive


def test_held_out_and_taught_packages_share_no_family() -> None:
    taught = {package.family for package in PACKAGES if package.role != HELD_OUT}
    held_out = {package.family for package in PACKAGES if package.role == HELD_OUT}
    assert taught & held_out == set()


def test_what_is_judged_on_elsewhere_is_held_out() -> None:
    held_out = {package.name for package in PACKAGES if package.role == HELD_OUT and package.ecosystem == "npm"}
    assert NEVER_TAUGHT <= held_out


def test_no_package_bears_the_name_of_a_standard_module() -> None:
    """A backport of the standard library would teach what is judged on."""
    names = {package.name for package in PACKAGES if package.ecosystem == "pypi" and package.role != HELD_OUT}
    assert names & set(sys.stdlib_module_names) == set()


def test_no_registry_is_named() -> None:
    assert re.search(r"https?://", LIST.read_text(encoding="utf-8")) is None


def test_a_written_list_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "packages.toml"
    listed = [
        Package("npm", "@scope/name", "1.0.0", "MIT", "0" * 64),
        Package("crates", "some-sys", root="some/", role=HELD_OUT),
    ]
    write_packages(listed, path)
    assert read_packages(path) == listed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[package]]\necosystem = "gem"\nname = "rails"\n', "use one of pypi"),
        ('[[package]]\necosystem = "npm"\nname = "a"\ncolour = "red"\n', "unknown field 'colour'"),
        ('[[package]]\necosystem = "npm"\nname = "a"\n[[package]]\necosystem = "npm"\nname = "a"\n', "listed twice"),
        ('[[package]]\necosystem = "npm"\nname = "a"\nrole = "test"\n', "has the role 'test'"),
    ],
)
def test_a_wrong_list_is_refused_with_a_sentence(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "packages.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PackageListError, match=message):
        read_packages(path)
