"""Fills in version, licence and sha256 of the entries of packages.toml that lack them."""

from __future__ import annotations

from pathlib import Path

from training.corpus.fetch import FetchError, archive_path, fetch
from training.corpus.licences import is_permissive, stated_licence
from training.corpus.packages import LIST, Package, PackageListError, read_packages, with_fields, write_packages


def lock(cache: Path, path: Path = LIST) -> list[Package]:
    """Fetches what lacks a version, licence or sha256 and writes packages.toml with them filled in.

    What is filled in already stays as it is. Raises FetchError for packages that cannot be had and PackageListError for those
    without a permissive licence, after everything else has been written.
    """
    packages = read_packages(path)
    open_entries = [p for p in packages if not (p.version and p.licence and p.sha256)]
    locked: dict[tuple[str, str], Package] = {}
    problem: Exception | None = None
    try:
        fetched = fetch(
            open_entries, cache, lambda package: locked.setdefault((package.ecosystem, package.name), package)
        )
        locked |= {(p.ecosystem, p.name): p for p in fetched}
    except FetchError as error:
        problem = error
    filled: list[Package] = []
    refused: list[str] = []
    for package in packages:
        found = locked.get((package.ecosystem, package.name))
        if found and package in open_entries:
            package = with_fields(package, version=found.version, sha256=found.sha256)
            licence = package.licence or stated_licence(package, archive_path(package, cache))
            if is_permissive(licence):
                package = with_fields(package, licence=licence)
            else:
                refused.append(f"{package.label}: {licence or 'no licence stated'}")
        filled.append(package)
    write_packages(filled, path)
    if problem:
        raise problem
    if refused:
        raise PackageListError(
            "These packages state no permissive licence; remove them, or write the SPDX expression of the licence they carry "
            "into packages.toml:\n" + "\n".join(sorted(refused))
        )
    return filled
