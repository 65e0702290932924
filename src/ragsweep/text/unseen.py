"""Characters that are never shown."""

import re

_IGNORED = (
    "\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Unicode's Default_Ignorable_Code_Point, which NFKC_Casefold drops too, without the soft hyphen, and without the fillers of
Hangul, which compose."""
UNSEEN = re.compile(f"\xad(?![^\\S\n]*\n)|[{_IGNORED}]")
"""Those, and soft hyphens but for the ones at the end of a line."""
_SEEN = re.compile(f"[^\\s\xad{_IGNORED}]")


def is_blank(text: str) -> bool:
    r"""Whether nothing of a text is ever seen: it is white space and such characters at most.

    >>> [is_blank(text) for text in ("", " \n", "\u200b\ufeff \xad", "\u200ba")]
    [True, True, True, False]
    """
    return _SEEN.search(text) is None
