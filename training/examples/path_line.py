"""The comment line that names the file, as the editor writes it in front of a prompt (`pathLine` in core/completion/prompt.ts)."""

from __future__ import annotations

_AROUND = {
    "markdown": ("<!-- ", " -->"),
    "python": ("# ", ""),
    "yaml": ("# ", ""),
    "json": ("", ""),
}


def path_line(language: str, path: str) -> str:
    """`language`: the editor's id of one of the corpus's languages."""
    before, after = _AROUND.get(language, ("// ", ""))
    return f"{before}{path}{after}\n"
