from __future__ import annotations

from pathlib import Path

from training.corpus.fetch import archive_path
from training.corpus.notices import copyright_lines, notices
from training.corpus.packages import Package
from training.tests.small_archives import tarball

MIT = "MIT License\n\nCopyright (c) 2020 Ann Author\n\nPermission is hereby granted, free of charge.\n"


def packed(cache: Path, name: str, files: dict[str, str], role: str = "train") -> Package:
    package = Package("npm", name, "1.0.0", "MIT", "0" * 64, role)
    tarball(archive_path(package, cache), files)
    return package


def test_the_lines_that_name_somebody() -> None:
    text = """
    Copyright (c) 2015-present, Some Company. All rights reserved.
    # Copyright 2001 Gareth
    © 2019 Somebody Else
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
    ]


def test_a_page_has_every_package_that_is_taught_and_the_texts_of_their_licences(tmp_path: Path) -> None:
    one = packed(tmp_path, "one", {"LICENSE": MIT, "src/license.js": "Copyright (c) 1999 Nobody"})
    none = packed(tmp_path, "none", {"index.js": "1"})
    judged = packed(tmp_path, "judged", {"LICENSE.md": MIT}, role="held_out")
    page = notices([one, none, judged], tmp_path)
    assert "- none 1.0.0 (MIT)\n- one 1.0.0 (MIT): Copyright (c) 2020 Ann Author\n" in page
    assert "judged" not in page
    assert "Nobody" not in page
    assert "### MIT\n\n```text\nMIT License\n\nPermission is hereby granted, free of charge.\n```" in page
