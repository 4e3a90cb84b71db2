"""packages.toml: the packages whose text the model is taught with or judged on."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

LIST = Path(__file__).resolve().parents[1] / "packages.toml"
ECOSYSTEMS = ("pypi", "npm", "crates", "go", "maven")
HELD_OUT = "held_out"
TRAIN = "train"

_ARCHIVE_SUFFIX = {"pypi": ".whl", "npm": ".tgz", "crates": ".crate", "go": ".zip", "maven": ".jar"}
_PLATFORMS = frozenset({"react", "node", "python", "pdf"})
_FIELDS = ("ecosystem", "name", "version", "licence", "sha256", "role", "root")
_INTRODUCTION = """\
# Packages whose text the embedded model is taught with, or (role = "held_out") judged on and never taught.
# To add one, write ecosystem and name, and the version if it should not be the newest, and run
# `python -m training lock`, which fills in version, licence and sha256.
# `root` names the only folder of the archive that is taken: sources of another project that a binding carries.
"""


class PackageListError(ValueError):
    """packages.toml says something that cannot be; the message tells what to change."""


@dataclass(frozen=True, order=True)
class Package:
    """One entry. `version`, `licence` and `sha256` are empty until `lock` has filled them in."""

    ecosystem: str
    name: str
    version: str = ""
    licence: str = ""
    sha256: str = ""
    role: str = TRAIN
    root: str = ""

    @property
    def label(self) -> str:
        """The package as a sentence names it: `npm rxjs 7.8.1`."""
        return " ".join(part for part in (self.ecosystem, self.name, self.version) if part)

    @property
    def archive_name(self) -> str:
        """File name of the archive in the cache, unique within the ecosystem; needs a version."""
        if not self.version:
            raise PackageListError(f"{self.label} has no version in packages.toml: run `python -m training lock`.")
        return f"{self.folder_name}-{self.version}{_ARCHIVE_SUFFIX[self.ecosystem]}"

    @property
    def folder_name(self) -> str:
        """The name as one path component: `@tanstack/query-core` is `@tanstack+query-core`."""
        return re.sub(r"[/:]", "+", self.name)

    @property
    def family(self) -> str:
        """What packages by the same hands share: a scope, an owner, a group, or the first word of the name.

        No family may be both taught and judged on: such packages repeat one another's idioms.
        """
        if self.ecosystem == "npm" and self.name.startswith("@"):
            stem = self.name.partition("/")[0].removeprefix("@")
        elif self.ecosystem == "go":
            stem = "/".join(self.name.split("/")[:2])
        elif self.ecosystem == "maven":
            stem = self.name.partition(":")[0]
        else:
            words = re.split(r"[-_.]", self.name.lower())
            # `react-dnd` and `react-native` share a platform, not their authors.
            stem = self.name.lower() if words[0] in _PLATFORMS else words[0]
        return f"{self.ecosystem}/{stem}"


def read_packages(path: Path = LIST) -> list[Package]:
    """Every entry of packages.toml, in its order."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("package", [])
    packages = [_package(entry) for entry in entries]
    seen: set[tuple[str, str, str]] = set()
    for package in packages:
        key = (package.ecosystem, package.name, package.root)
        if key in seen:
            raise PackageListError(f"{package.label} is listed twice in packages.toml: remove one entry.")
        seen.add(key)
    return packages


def write_packages(packages: list[Package], path: Path = LIST) -> None:
    """Writes packages.toml anew, sorted by role (taught first), ecosystem and name."""
    order = {name: index for index, name in enumerate(ECOSYSTEMS)}
    ranked = sorted(packages, key=lambda p: (p.role == HELD_OUT, order[p.ecosystem], p.name.lower(), p.root))
    blocks = [_INTRODUCTION]
    for package in ranked:
        fields = [(field, getattr(package, field)) for field in _FIELDS]
        kept = [(field, value) for field, value in fields if value and (field, value) != ("role", TRAIN)]
        blocks.append("[[package]]\n" + "".join(f'{field} = "{value}"\n' for field, value in kept))
    temporary = path.with_suffix(".tmp")
    temporary.write_text("\n".join(blocks), encoding="utf-8")
    temporary.replace(path)


def with_fields(package: Package, **fields: str) -> Package:
    """A copy of the entry with some fields filled in."""
    return replace(package, **fields)


def _package(entry: dict[str, str]) -> Package:
    unknown = set(entry) - set(_FIELDS)
    if unknown:
        raise PackageListError(
            f"packages.toml has an unknown field {sorted(unknown)[0]!r}: the fields are {', '.join(_FIELDS)}."
        )
    package = Package(**entry)
    if package.ecosystem not in ECOSYSTEMS:
        raise PackageListError(
            f"{package.name} has the ecosystem {package.ecosystem!r}: use one of {', '.join(ECOSYSTEMS)}."
        )
    if package.role not in (TRAIN, HELD_OUT):
        raise PackageListError(f"{package.label} has the role {package.role!r}: use {HELD_OUT!r} or leave it out.")
    return package
