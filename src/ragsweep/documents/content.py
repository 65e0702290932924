"""What a parser is, and what it gives."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from typing import Literal, TypeAlias

from ragsweep.errors import InputError
from ragsweep.types import Block, Heading, Span

PdfReader: TypeAlias = Literal["pypdf", "pdfium"]
_LEAST_MEMORY = 256
ENCRYPTED = "is encrypted: write in dataset.passwords the name of an environment variable that holds its password"


def raise_limit(name: str) -> str:
    """What to do about a file over a limit."""
    return f"raise dataset.limits.{name}, or leave the file out of dataset.files"


def too_many_pages(count: int, limit: int) -> InputError:
    """The error about a PDF with more pages than ``dataset.limits.pages``."""
    return InputError(f"has {count:,} pages, more than {limit:,}: {raise_limit('pages')}")


@dataclass(frozen=True, slots=True)
class Content:
    """What was read from the bytes of one file. ``notices`` are sentences without the name of the file."""

    text: str
    pages: tuple[Span, ...] = ()
    headings: tuple[Heading, ...] = ()
    notices: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may cost; parsing ends with an error that names the limit.

    ``seconds`` and ``cpu_seconds`` are of wall clock and processor, ``memory_mb`` is the address space of the process that
    parses; these three hold for .pdf, .docx and .html, ``file_mb`` and ``characters`` (of extracted text) for every type.
    """

    seconds: int = 180
    cpu_seconds: int = 120
    memory_mb: int = 2048
    file_mb: int = 100
    pages: int = 5000
    characters: int = 20_000_000

    def check_characters(self, count: int) -> None:
        """Raises InputError when a text is too long."""
        if count > self.characters:
            raise InputError(f"has more than {self.characters:,} characters: {raise_limit('characters')}")

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            least = _LEAST_MEMORY if name == "memory_mb" else 1
            if value < least:
                raise InputError(f"dataset.limits.{name}={value} is too little: write {least} or more")


@dataclass(frozen=True, slots=True)
class Settings:
    """How files are read: the library for PDF, the limits, and the names of the environment variables with passwords.

    ``passwords`` are tried on every encrypted file, or belong to the file that they are written for.
    """

    pdf: PdfReader = "pypdf"
    limits: Limits = Limits()
    passwords: Sequence[str] | Mapping[str, str] = ()

    def passwords_for(self, id: str) -> list[str]:
        """The passwords to try on a file. Raises InputError when a variable is not set."""
        if isinstance(self.passwords, Mapping):
            names = [self.passwords[id]] if id in self.passwords else []
        else:
            names = list(self.passwords)
        for name in names:
            if name not in os.environ:
                raise InputError(f"dataset.passwords: the environment variable {name} is not set")
        return [os.environ[name] for name in names]


@dataclass(frozen=True, slots=True)
class Parser:
    """How files of one type are read. The bytes, ``name`` and ``version`` together determine what ``read`` gives.

    ``read`` raises InputError with a sentence that says what is wrong and what to do, without the name of the file. Types
    whose bytes may make a parser run long or grow are read ``apart``, in a process of their own. What is ``quick`` is read
    sooner than its text from a store.
    """

    name: str
    version: str
    read: Callable[[bytes], Content]
    apart: bool = False
    quick: bool = False


@cache
def versions(own: int, *packages: str) -> str:
    """Our own version and those of the packages that a parser builds on: "1, pypdf 7.1.1"."""
    return ", ".join([str(own), *(f"{package} {version(package)}" for package in packages)])
