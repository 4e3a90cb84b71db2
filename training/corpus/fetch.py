"""Brings the archives of packages.toml into the cache and checks each against its sha256."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from training.corpus.clients import DownloadError, download
from training.corpus.packages import Package, with_fields

BATCH = {"pypi": 8, "npm": 8, "crates": 12, "go": 4, "maven": 60}  # packages to one client process
THREADS = 6


class FetchError(OSError):
    """Some packages could not be had; the message names each."""


def archive_path(package: Package, cache: Path) -> Path:
    return cache / "archives" / package.ecosystem / package.archive_name


def sha256_of(path: Path) -> str:
    """Lower-case hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(
    packages: list[Package], cache: Path, on_archive: Callable[[Package], object] = lambda _: None
) -> list[Package]:
    """Downloads what the cache lacks and returns the entries with version and sha256 filled in.

    A download whose sha256 is not that of packages.toml is refused. Everything that can be had is fetched
    before FetchError names what could not, so that a second run only does the rest.
    """
    done: list[Package] = []
    missing: list[Package] = []
    for package in packages:
        if package.version and package.sha256 and _is_whole(package, cache):
            done.append(package)
        else:
            missing.append(package)
    failures: list[str] = []
    with ThreadPoolExecutor(THREADS) as pool:
        for future in as_completed(
            [pool.submit(_fetch_batch, batch, cache, on_archive) for batch in _batches(missing)]
        ):
            fetched, failed = future.result()
            done += fetched
            failures += failed
    if failures:
        raise FetchError(
            f"{len(failures)} of {len(packages)} packages could not be fetched; run the command again for what failed "
            "by chance, and correct or remove the rest in packages.toml:\n" + "\n".join(sorted(failures))
        )
    return done


def _batches(packages: list[Package]) -> list[list[Package]]:
    batches = []
    for ecosystem, size in BATCH.items():
        # Two entries that take different folders of one archive share its download.
        of_kind = list({(p.name, p.version, p.sha256): p for p in packages if p.ecosystem == ecosystem}.values())
        batches += [of_kind[start : start + size] for start in range(0, len(of_kind), size)]
    return batches


def _fetch_batch(
    packages: list[Package], cache: Path, on_archive: Callable[[Package], object]
) -> tuple[list[Package], list[str]]:
    """Fetches a batch with one client process, and each package alone when that fails."""
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        try:
            delivery = download(packages, Path(folder))
        except DownloadError as error:
            if len(packages) == 1:
                return [], [f"{packages[0].label}: {error}"]
        else:
            fetched: list[Package] = []
            failed: list[str] = []
            for package, (version, file) in delivery.items():
                try:
                    fetched.append(_store(package, version, file, cache))
                    on_archive(fetched[-1])
                except FetchError as error:
                    failed.append(str(error))
            return fetched, failed
    results = [_fetch_batch([package], cache, on_archive) for package in packages]
    return [p for fetched, _ in results for p in fetched], [f for _, failed in results for f in failed]


def _store(package: Package, version: str, file: Path, cache: Path) -> Package:
    digest = sha256_of(file)
    if package.sha256 and digest != package.sha256:
        raise FetchError(f"{package.label}: its sha256 is {digest}, not {package.sha256} as in packages.toml.")
    stored = with_fields(package, version=version, sha256=digest)
    target = archive_path(stored, cache)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(target.name + ".part")
    shutil.copyfile(file, temporary)
    temporary.replace(target)
    return stored


def _is_whole(package: Package, cache: Path) -> bool:
    path = archive_path(package, cache)
    return path.exists() and sha256_of(path) == package.sha256
