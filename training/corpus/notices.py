"""Who wrote what the model is taught with, and under which licence: the page that lies beside the model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from training.corpus.archives import licence_files_of
from training.corpus.fetch import archive_path
from training.corpus.licences import granting
from training.corpus.packages import HELD_OUT, Package

_WHOSE = r"(portions |(original|modified) work |based on [^,]+, )?"
# A year or a sign; or a name, which has a capital, or says that there are several or a company. What else begins with the word is a
# licence's own sentence.
_COPYRIGHT = re.compile(
    rf"^\W*{_WHOSE}(copyright\b.*(\(c\)|©|&copy;|\b(19|20)\d\d\b)|(\(c\)|©) *\d{{4}})"
    rf"|^\W*{_WHOSE}copyright:?\s+(by\s+)?(?!(act|and|are|disclaimers?|faq|for|holders?|in|interests?|is|laws?|licen[cs]e[ds]?|notices?|or|of|owners?|"
    r"ownership|permission|policy|protection|rights?|statements?|status|to)\b)"
    r"((?-i:[a-z]*[A-ZÀ-Þ])|[\w.-]+( project)? (authors|contributors|developers)\b|[\w.-]+,? (gmbh|inc|llc|ltd)\b)",
    re.IGNORECASE,
)
# Forms to be filled in, and what licences say of themselves.
_NO_NOTICE = re.compile(r"\[yyyy\]|<year>|\{yyyy\}|\[year\]|\[name of|free software foundation", re.IGNORECASE)
_ENDING = re.compile(r"[.,;]?\s*all rights reserved\.?$", re.IGNORECASE)
_MOST_CHARACTERS = 160
_ECOSYSTEMS = {"pypi": "Python", "npm": "JavaScript and TypeScript", "crates": "Rust", "go": "Go", "maven": "Java"}
# Longer ones hold those of other works as well, below a rule.
_LONGEST_TEXT = 16_000
_RULE = re.compile(r"^\s*[-=*_]{4,}\s*$", re.MULTILINE)
# The text of this one is the repository's own.
_OWN = "Apache-2.0"
# The others, and words of each: by them its text is known among those of a package with several.
_TEXTS = {
    "MIT": "permission is hereby granted, free of charge",
    "BSD-3-Clause": "neither the name",
    "BSD-2-Clause": "redistributions in binary form",
    "ISC": "with or without fee is hereby granted",
    "0BSD": "with or without fee is hereby granted",
    "MIT-0": "permission is hereby granted, free of charge",
    "MIT-CMU": "and without fee is hereby granted",
    "PSF-2.0": "python software foundation license version 2",
    "Python-2.0": "python software foundation license version 2",
    "Unlicense": "released into the public domain",
    "Zlib": "origin of this software must not be misrepresented",
}


def copyright_lines(texts: Iterable[str]) -> list[str]:
    """The lines that name who holds the copyright, each once, in their order."""
    found: dict[str, None] = {}
    for text in texts:
        for line in text.splitlines():
            if _COPYRIGHT.search(line) and not _NO_NOTICE.search(line):
                plain = re.sub(r"[#*/;<>`_]+", " ", line)
                found.setdefault(_ENDING.sub("", " ".join(plain.split())).strip(' -|.,"')[:_MOST_CHARACTERS])
    return [line for line in found if line]


def notices(packages: Iterable[Package], cache: Path) -> str:
    """The page, in Markdown. ValueError where the text of a licence is in none of the archives."""
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
    granted = {one.label: granting(one.licence) for one in taught}
    needed = frozenset().union(*granted.values()) - {_OWN}
    for licence in [*_TEXTS, *sorted(needed - _TEXTS.keys())]:
        if licence in needed:
            alone = [texts[one.label][:1] for one in taught if one.licence == licence]
            beside = [texts[one.label] for one in taught if licence in granted[one.label]]
            parts += [f"### {licence}", f"```text\n{_text_of(licence, alone, beside)}\n```"]
    return "\n\n".join(parts) + "\n"


def _entry(package: Package, texts: list[str]) -> str:
    lines = copyright_lines(texts)
    return f"- {package.name} {package.version} ({package.licence})" + (": " + "; ".join(lines) if lines else "")


def _text_of(licence: str, alone: list[list[str]], beside: list[list[str]]) -> str:
    """
    The most common text of a licence, without notices. alone: what packages begin with that have no other licence; beside: all texts
    of those that have it.
    """
    whole = Counter(_without_notice(text) for one in alone for text in one if len(text) < _LONGEST_TEXT)
    if not whole and licence in _TEXTS:
        first = [_RULE.split(text, 1)[0] if len(text) >= _LONGEST_TEXT else text for one in beside for text in one]
        whole = Counter(_without_notice(text) for text in first if _TEXTS[licence] in " ".join(text.lower().split()))
    if not whole:
        raise ValueError(
            f"No archive has a text of {licence} that training/corpus/notices.py knows: add words of it to _TEXTS."
        )
    return whole.most_common(1)[0][0]


def _without_notice(text: str) -> str:
    kept = [line.rstrip() for line in text.splitlines() if not copyright_lines([line])]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip().replace("```", "")
