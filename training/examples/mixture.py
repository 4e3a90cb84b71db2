"""What share of the tokens and of the examples is what: the numbers of the recipe, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# Shares of the text, by the editor's ids of languages; the react ones count to those they extend.
_LANGUAGES = {
    "python": 0.34,
    "typescript": 0.22,
    "javascript": 0.15,
    "go": 0.05,
    "rust": 0.05,
    "java": 0.05,
    "c": 0.03,
    "cpp": 0.03,
    "markdown": 0.05,
    "json": 0.02,
    "yaml": 0.01,
}


@dataclass(frozen=True)
class Mixture:
    # Of all tokens: plain code behind its path line, as the model has always read it.
    plain: float = 0.4
    # Of the examples with a cursor, from here on.
    block: float = 0.4
    # Of the blocks: begins below a comment that asks for it.
    below_comment: float = 0.1
    without_suffix: float = 0.2
    with_snippets: float = 0.3
    # The suffix starts some lines below the middle: an editor keeps it where it is while the cursor moves up.
    with_gap: float = 0.07
    # Written for tools that put a delimiter in front of the middle.
    with_middle_id: float = 0.03
    # Most tokens of an example, and how often each is drawn: many short ones teach more middles for the same work.
    lengths: tuple[tuple[int, float], ...] = ((256, 0.3), (384, 0.3), (640, 0.25), (1024, 0.15))
    # Most tokens of a suffix, drawn evenly up to here and a third of the example.
    longest_suffix: int = 256
    longest_gap: int = 4
    languages: Mapping[str, float] = field(default_factory=lambda: dict(_LANGUAGES))

    def group_of(self, language: str) -> str:
        """Under which name of `languages` a file's language counts."""
        return language.removesuffix("react")
