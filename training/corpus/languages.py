"""Which VS Code language id a file has, by its name."""

from __future__ import annotations

from pathlib import PurePosixPath

_BY_SUFFIX = {
    ".py": "python", ".pyi": "python",
    ".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
    ".go": "go", ".rs": "rust", ".java": "java", ".c": "c",
    ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp", ".hxx": "cpp",
    ".md": "markdown", ".json": "json", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip
LANGUAGES = tuple(sorted({*_BY_SUFFIX.values()}))
PROSE = frozenset({"markdown", "json", "yaml"})


def language_of(path: str, text: str = "") -> str | None:
    """The language id of a file, None when it is of none that is taught. `text` decides whether a .h file is C or C++."""
    name = PurePosixPath(path).name.lower()
    if name.endswith(".h"):
        words = ("namespace ", "template <", "template<", "class ", "std::", "constexpr ", "public:")
        return "cpp" if any(word in text for word in words) else "c"
    return _BY_SUFFIX.get(PurePosixPath(name).suffix)


def is_declaration(path: str) -> bool:
    """Whether a file only declares types for code that stands elsewhere."""
    return path.endswith((".d.ts", ".d.mts", ".d.cts", ".pyi"))


def is_test(path: str) -> bool:
    """Whether a file is a test, by its name or the folders it stands in."""
    parts = PurePosixPath(path.lower()).parts
    if any(
        part in ("test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "fixtures")
        for part in parts[:-1]
    ):
        return True
    name = parts[-1]
    return name.startswith(("test_", "conftest")) or any(
        mark in name for mark in ("_test.", ".test.", ".spec.", "tests.", "test.java")
    )
