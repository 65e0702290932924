"""The documentation as a site: ``mkdocs build``, from the extra ``docs``; the hook that its mkdocs.yml names.

A block of docs/ that a test writes to a file or runs says so behind the fence's language; the site shows that as its title.
"""

import re
from typing import Any

_FENCE = re.compile(r"^(```\w+) (\S.*)$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """The page with such fences in the form that the site's Markdown reads."""
    return _FENCE.sub(lambda fence: f'{fence[1]} title="{_title(fence[2])}"', markdown)


def _title(said: str) -> str:
    return f"ends with exit code {said}" if said.isdigit() else said
