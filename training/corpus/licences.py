"""What licence a package states, and whether it is one of the permissive ones."""

from __future__ import annotations

import json
import re
import tomllib
from email.parser import BytesParser
from pathlib import Path

from training.corpus.archives import metadata_of
from training.corpus.packages import Package

PERMISSIVE = frozenset(
    "MIT MIT-0 MIT-CMU BSD-2-Clause BSD-3-Clause BSD-3-Clause-Clear Apache-2.0 ISC PSF-2.0 Python-2.0 Zlib Unlicense 0BSD CC0-1.0 BSL-1.0 "
    "BlueOak-1.0.0 NCSA HPND Unicode-3.0 curl WTFPL-2.0 BSD-1-Clause".split()
)

# What metadata says in place of an SPDX expression, in lower case -> SPDX.
_SPOKEN = {
    "mit license": "MIT", "the mit license": "MIT", "the mit license (mit)": "MIT", "mit licence": "MIT", "expat": "MIT",
    "bsd": "BSD-3-Clause", "bsd license": "BSD-3-Clause", "new bsd": "BSD-3-Clause", "new bsd license": "BSD-3-Clause",
    "modified bsd": "BSD-3-Clause", "3-clause bsd": "BSD-3-Clause", "bsd 3-clause": "BSD-3-Clause", "bsd-3": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause", "3-clause bsd license": "BSD-3-Clause", "bsd-like": "BSD-3-Clause",
    "the bsd license": "BSD-3-Clause", "simplified bsd": "BSD-2-Clause", "bsd-2": "BSD-2-Clause", "2-clause bsd": "BSD-2-Clause",
    "bsd 2-clause license": "BSD-2-Clause", "apache": "Apache-2.0", "apache 2": "Apache-2.0", "apache 2.0": "Apache-2.0",
    "apache-2": "Apache-2.0", "apache license": "Apache-2.0", "apache license 2.0": "Apache-2.0", "apache license, version 2.0": "Apache-2.0",
    "apache license version 2.0": "Apache-2.0", "apache software license": "Apache-2.0", "apache software license 2.0": "Apache-2.0",
    "the apache license, version 2.0": "Apache-2.0", "the apache software license, version 2.0": "Apache-2.0",
    "apache-2.0 license": "Apache-2.0", "apache license v2.0": "Apache-2.0", "isc license": "ISC", "isc license (iscl)": "ISC",
    "psf": "PSF-2.0", "psf license": "PSF-2.0", "python software foundation license": "PSF-2.0", "unlicense": "Unlicense",
    "the unlicense": "Unlicense", "the unlicense (unlicense)": "Unlicense", "zlib": "Zlib", "mit no attribution": "MIT-0",
    "mit or apache-2.0": "MIT OR Apache-2.0",
}  # fmt: skip

# Words that only one licence's text has. The order matters: copyleft first, then the longer permissive texts.
_TEXTS = (
    ("GNU AFFERO GENERAL PUBLIC", "AGPL-3.0-only"), ("GNU LESSER GENERAL PUBLIC", "LGPL-3.0-only"), ("GNU GENERAL PUBLIC", "GPL-3.0-only"),
    ("Mozilla Public License", "MPL-2.0"), ("Eclipse Public License", "EPL-2.0"), ("Business Source License", "BUSL-1.1"),
    ("Apache License", "Apache-2.0"), ("PYTHON SOFTWARE FOUNDATION LICENSE", "PSF-2.0"),
    ("Permission is hereby granted, free of charge", "MIT"), ("Neither the name", "BSD-3-Clause"),
    ("Redistribution and use in source and binary forms", "BSD-2-Clause"),
    ("Permission to use, copy, modify, and/or distribute", "ISC"), ("Permission to use, copy, modify, and distribute", "ISC"),
    ("released into the public domain", "Unlicense"),
)  # fmt: skip


def is_permissive(expression: str) -> bool:
    """Whether an SPDX expression grants the use under a permissive licence: every side of AND, one side of OR."""
    return bool(granting(expression))


def granting(expression: str) -> frozenset[str]:
    """The permissive licences that the use is granted under: every side of AND, the first of OR that will do; none where it is not."""
    expression = expression.replace("/", " OR ")  # the way crates wrote it before SPDX
    tokens = re.findall(r"[()]|[^\s()]+", expression)
    if not tokens:
        return frozenset()
    found, rest = _alternatives(tokens)
    return frozenset() if rest else found


def stated_licence(package: Package, archive: Path) -> str:
    """The SPDX expression that the archive's metadata states, or else that of its licence file; '' when there is neither."""
    reader = {"pypi": _wheel_licence, "npm": _npm_licence, "crates": _crate_licence}.get(package.ecosystem)
    stated = reader(package, archive) if reader else ""
    return stated or _text_licence(package, archive)


def _alternatives(tokens: list[str]) -> tuple[frozenset[str], list[str]]:
    found, rest = _conjunction(tokens)
    while rest and rest[0].upper() == "OR":
        other, rest = _conjunction(rest[1:])
        found = found or other
    return found, rest


def _conjunction(tokens: list[str]) -> tuple[frozenset[str], list[str]]:
    found, rest = _licence(tokens)
    while rest and rest[0].upper() in ("AND", "WITH"):
        if rest[0].upper() == "WITH":  # an exception only ever grants more
            rest = rest[2:]
            continue
        other, rest = _licence(rest[1:])
        found = found | other if found and other else frozenset()
    return found, rest


def _licence(tokens: list[str]) -> tuple[frozenset[str], list[str]]:
    if not tokens:
        return frozenset(), []
    if tokens[0] == "(":
        found, rest = _alternatives(tokens[1:])
        return found, rest[1:]
    return PERMISSIVE & {tokens[0]}, tokens[1:]


def _spdx(text: str) -> str:
    """What metadata says as SPDX, or '' when it is not understood."""
    text = " ".join(text.split()).strip("\"'")
    if text.lower() in _SPOKEN:
        return _SPOKEN[text.lower()]
    words = re.findall(r"[^\s()/]+", text)
    known = re.compile(
        r"(AND|OR|WITH|[A-Za-z0-9.+]+(-[A-Za-z0-9.+]+)+|MIT|ISC|Zlib|Unlicense|0BSD|NCSA|HPND|curl)", re.I
    )
    return text if words and all(known.fullmatch(word) for word in words) else ""


def _wheel_licence(package: Package, archive: Path) -> str:
    raw = metadata_of(package, archive, "METADATA")
    if raw is None:
        return ""
    message = BytesParser().parsebytes(raw, headersonly=True)
    for field in ("License-Expression", "License"):
        if spdx := _spdx(str(message.get(field) or "")):
            return spdx
    classes = [
        str(line).rsplit(" :: ", 1)[-1]
        for line in message.get_all("Classifier") or []
        if str(line).startswith("License :: OSI")
    ]
    named = [_spdx(re.sub(r" \(.*\)$", "", line)) or _spdx(line) or "LicenseRef-other" for line in classes]
    return " OR ".join(dict.fromkeys(named))


def _npm_licence(package: Package, archive: Path) -> str:
    stated = json.loads(metadata_of(package, archive, "package.json") or b"{}")
    licence = stated.get("license") or stated.get("licenses") or ""
    if isinstance(licence, list):
        return " OR ".join(_spdx(entry if isinstance(entry, str) else entry.get("type", "")) for entry in licence)
    return _spdx(licence if isinstance(licence, str) else licence.get("type", ""))


def _crate_licence(package: Package, archive: Path) -> str:
    manifest = tomllib.loads((metadata_of(package, archive, "Cargo.toml") or b"").decode())
    return _spdx(manifest.get("package", {}).get("license", "").replace("/", " OR "))


def _text_licence(package: Package, archive: Path) -> str:
    for name in (
        "LICENSE",
        "LICENSE.txt",
        "LICENSE.md",
        "LICENCE",
        "LICENSE.rst",
        "LICENSE-MIT",
        "MIT-LICENSE",
        "COPYING",
    ):
        text = " ".join((metadata_of(package, archive, name) or b"").decode("utf-8", "replace").split())
        for words, licence in _TEXTS:
            if words.lower() in text.lower():
                return licence
    return ""
