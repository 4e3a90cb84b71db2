"""Ids of the control tokens that the model's prompt layout is made of.

They are tokens that the vocabulary has always had and plain text never produces; the names here say what they mean in a
prompt, the comments how the vocabulary spells them.
"""

from __future__ import annotations

from typing import Final

ENDOFTEXT: Final = 0  # <|endoftext|>
FILE_SEPARATOR: Final = 5  # <file_sep>, in front of a snippet of another file
SUFFIX: Final = 8  # <issue_start>, in front of the text after the cursor
PREFIX: Final = 9  # <issue_comment>, in front of the text before the cursor
END: Final = 10  # <issue_closed>, where the text at the cursor is over
MIDDLE: Final = 11  # <jupyter_start>, where the text at the cursor begins
