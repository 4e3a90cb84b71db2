from __future__ import annotations

from pathlib import Path

import pytest

from training.corpus.fetch import archive_path
from training.corpus.notices import copyright_lines, notices
from training.corpus.packages import Package
from training.tests.small_archives import tarball

MIT = "MIT License\n\nCopyright (c) 2020 Ann Author\n\nPermission is hereby granted, free of charge.\n"


def packed(cache: Path, name: str, files: dict[str, str], role: str = "train", licence: str = "MIT") -> Package:
    package = Package("npm", name, "1.0.0", licence, "0" * 64, role)
    tarball(archive_path(package, cache), files)
    return package


def test_the_lines_that_name_somebody() -> None:
    text = """
    Copyright (c) 2015-present, Some Company. All rights reserved.
    # Copyright 2001 Gareth
    © 2019 Somebody Else
    Copyright &copy; Benjamin Lupton
    copyright notice and this permission notice shall be included
    (c) You must retain, in the Source form of any Derivative Works
    Copyright [yyyy] [name of copyright owner]
    The above copyright notice and this permission notice shall be included in all copies.
    Copyright (c) 2015-present, Some Company
    """
    assert copyright_lines([text]) == [
        "Copyright (c) 2015-present, Some Company",
        "Copyright 2001 Gareth",
        "© 2019 Somebody Else",
        "Copyright &copy Benjamin Lupton",
    ]


@pytest.mark.parametrize("work", ["Original", "Modified"])
def test_a_notice_may_say_of_which_work(work: str) -> None:
    line = f"{work} work Copyright (C) 2011 - 2013 by Eric Rowell (KineticJS)"
    assert copyright_lines([line]) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "Copyright OpenJS Foundation and other contributors, www.openjsf.org",
        "Copyright jQuery Foundation and other contributors",
        "Copyright aio-libs contributors",
        "Copyright: libuv project contributors",
        "Copyright npm, Inc",
        "Copyright The Chromium Authors",
        "copyright by Åsmund Skjæveland",
        "Based on Underscore.js, copyright Jeremy Ashkenas",
    ],
)
def test_a_notice_without_a_year_names_somebody(line: str) -> None:
    assert copyright_lines([line]) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "COPYRIGHT AND PERMISSION NOTICE",
        "COPYRIGHT HOLDERS OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT,",
        "COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT,",
        "Copyright Holder(s) and the Author(s) or with their explicit written",
        "COPYRIGHT NOTICE, DISCLAIMER, and LICENSE",
        "Copyright License. Subject to the terms and conditions of",
        "copyright interest in the program",
        "copyright protection under copyright law or other applicable laws.",
    ],
)
def test_a_sentence_of_a_licence_names_nobody(line: str) -> None:
    assert copyright_lines([line]) == []


def test_everybody_is_named() -> None:
    lines = [f"Copyright (c) 2020 Author {number}" for number in range(40)]
    assert copyright_lines(["\n".join(lines)]) == lines


def test_each_licence_of_an_expression_has_its_text(tmp_path: Path) -> None:
    zlib = "Copyright (C) 1997 Sam\n\nThe origin of this software must\nnot be misrepresented.\n"
    files = {"LICENSE": MIT, "LICENSE.ZLIB.txt": zlib}
    both = packed(tmp_path, "both", files, licence="(GPL-2.0 OR MIT) AND Zlib")
    page = notices([both], tmp_path)
    assert "both 1.0.0 ((GPL-2.0 OR MIT) AND Zlib): Copyright (c) 2020 Ann Author; Copyright (C) 1997 Sam\n" in page
    assert "### MIT\n\n```text\nMIT License\n\nPermission is hereby granted, free of charge.\n```" in page
    assert page.endswith("### Zlib\n\n```text\nThe origin of this software must\nnot be misrepresented.\n```\n")


def test_of_a_text_with_those_of_other_works_the_first_is_taken(tmp_path: Path) -> None:
    own = "Permission to use it for any purpose and without fee is hereby granted."
    long = packed(tmp_path, "long", {"LICENSE": f"{own}\n\n----\n\n" + "Another work.\n" * 2_000}, licence="MIT-CMU")
    assert notices([long], tmp_path).endswith(f"### MIT-CMU\n\n```text\n{own}\n```\n")


@pytest.mark.parametrize("licence", ["MIT AND Zlib", "MIT AND curl"])
def test_a_licence_without_a_text_stops_the_page(licence: str, tmp_path: Path) -> None:
    one = packed(tmp_path, "one", {"LICENSE": MIT}, licence=licence)
    with pytest.raises(ValueError, match=f"No archive has a text of {licence.rpartition(' ')[2]}"):
        notices([one], tmp_path)


def test_a_page_has_every_package_that_is_taught_and_the_texts_of_their_licences(tmp_path: Path) -> None:
    one = packed(tmp_path, "one", {"LICENSE": MIT, "src/license.js": "Copyright (c) 1999 Nobody"})
    none = packed(tmp_path, "none", {"index.js": "1"})
    judged = packed(tmp_path, "judged", {"LICENSE.md": MIT}, role="held_out")
    page = notices([one, none, judged], tmp_path)
    assert "- none 1.0.0 (MIT)\n- one 1.0.0 (MIT): Copyright (c) 2020 Ann Author\n" in page
    assert "judged" not in page
    assert "Nobody" not in page
    assert "### MIT\n\n```text\nMIT License\n\nPermission is hereby granted, free of charge.\n```" in page
