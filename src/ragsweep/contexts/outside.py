"""Documents with the texts that hits hold and no document has."""

from collections.abc import Mapping
from dataclasses import replace

from ragsweep.types import Document


def extended(documents: Mapping[str, Document], outside: Mapping[str, str]) -> Mapping[str, Document]:
    """Documents with texts behind the end of those that they name (``Record.outside``), where no label lies, or in one of their
    own. So these have words, and match a label of their source's file and nothing else.

    >>> extended({"a.md": Document("a.md", "Here.", "")}, {"a.md": "\\nNot here."})["a.md"].text
    'Here.\\nNot here.'
    """
    if not outside:
        return documents
    behind = {id: documents.get(id) or Document(id, "", "") for id in outside}
    return {**documents, **{id: replace(each, text=each.text + outside[id]) for id, each in behind.items()}}
