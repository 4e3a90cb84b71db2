"""Who wrote what the model is taught with, and under which licence: the page that lies beside the model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from training.corpus.archives import licence_files_of
from training.corpus.fetch import archive_path
from training.corpus.packages import HELD_OUT, Package

_COPYRIGHT = re.compile(r"^\W*(portions )?(copyright\b.*(\(c\)|©|\b(19|20)\d\d\b)|(\(c\)|©) *\d{4})", re.IGNORECASE)
# Forms to be filled in, and what licences say of themselves.
_NO_NOTICE = re.compile(r"\[yyyy\]|<year>|\{yyyy\}|\[year\]|\[name of|free software foundation", re.IGNORECASE)
_ENDING = re.compile(r"[.,;]?\s*all rights reserved\.?$", re.IGNORECASE)
_MOST_CHARACTERS = 160
_MOST_LINES = 8
_ECOSYSTEMS = {"pypi": "Python", "npm": "JavaScript and TypeScript", "crates": "Rust", "go": "Go", "maven": "Java"}
# Beside Apache-2.0, whose text is the repository's own.
# Longer ones hold those of other works as well.
_LONGEST_TEXT = 16_000
_TEXTS = ("MIT", "BSD-3-Clause", "BSD-2-Clause", "ISC", "0BSD", "MIT-0", "MIT-CMU", "PSF-2.0", "Unlicense")


def copyright_lines(texts: Iterable[str]) -> list[str]:
    """The lines that name who holds the copyright, each once, in their order."""
    found: dict[str, None] = {}
    for text in texts:
        for line in text.splitlines():
            if _COPYRIGHT.search(line) and not _NO_NOTICE.search(line):
                plain = re.sub(r"[#*/;<>`_]+", " ", line)
                found.setdefault(_ENDING.sub("", " ".join(plain.split())).strip(' -|.,"')[:_MOST_CHARACTERS])
    return [line for line in found if line][:_MOST_LINES]


def notices(packages: Iterable[Package], cache: Path) -> str:
    """The page, in Markdown."""
    taught = sorted((one for one in packages if one.role != HELD_OUT), key=lambda one: (one.name.lower(), one.version))
    texts = {one.label: licence_files_of(one, archive_path(one, cache)) for one in taught}
    parts = [
        "# What the embedded model was taught with",
        "Source text of these packages, and the copyright notices that they carry. `training/packages.toml` has the same list with"
        " the checksums of the archives. `python -m training notices` writes this page.",
    ]
    for ecosystem, title in _ECOSYSTEMS.items():
        own = [one for one in taught if one.ecosystem == ecosystem]
        if own:
            parts += [f"## {title}", "\n".join(_entry(one, texts[one.label]) for one in own)]
    parts += ["## Texts of the licences", "Apache-2.0 is in [LICENSE](LICENSE)."]
    for licence in _TEXTS:
        whole = Counter(
            _without_notice(text)
            for one in taught
            for text in texts[one.label][:1]
            if one.licence == licence and len(text) < _LONGEST_TEXT
        )
        if whole:
            parts += [f"### {licence}", f"```text\n{whole.most_common(1)[0][0]}\n```"]
    return "\n\n".join(parts) + "\n"


def _entry(package: Package, texts: list[str]) -> str:
    lines = copyright_lines(texts)
    return f"- {package.name} {package.version} ({package.licence})" + (": " + "; ".join(lines) if lines else "")


def _without_notice(text: str) -> str:
    kept = [line.rstrip() for line in text.splitlines() if not copyright_lines([line])]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip().replace("```", "")
