"""What a parser is, and what it gives."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version

from ragsweep.types import Block, Heading, Span


@dataclass(frozen=True, slots=True)
class Content:
    """What was read from the bytes of one file. ``notices`` are sentences without the name of the file."""

    text: str
    pages: tuple[Span, ...] = ()
    headings: tuple[Heading, ...] = ()
    notices: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Parser:
    """How files of one type are read. The bytes, ``name`` and ``version`` together determine what ``read`` gives.

    ``read`` raises InputError with a sentence that says what is wrong and what to do, without the name of the file.
    """

    name: str
    version: str
    read: Callable[[bytes], Content]


@cache
def versions(own: int, *packages: str) -> str:
    """Our own version and those of the packages that a parser builds on: "1, pypdf 7.1.1"."""
    return ", ".join([str(own), *(f"{package} {version(package)}" for package in packages)])
