"""The parts of an Office file as XML trees: a zip archive that is checked before it is read, parsed without DTDs."""

from io import BytesIO
from posixpath import dirname, join, normpath
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

from ragsweep.errors import InputError

_MOST_MEMBERS = 10_000
_MOST_BYTES = 300_000_000
_MOST_RATIO = 100
_RATIO_COUNTS_FROM = 20_000_000
_MOST_DEPTH = 300
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_REFUSED = "open it and save it again, or leave it out of dataset.files"
# What stands for each namespace, in the standard's transitional and its strict form (ISO/IEC 29500): nothing for that of Word.
_PREFIXES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m_",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m_",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r_",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r_",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc_",
}


class Package:
    """An Office file. Raises InputError when it is none, or would unpack to far more than it is."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(_OLD_OFFICE):
            raise InputError("is encrypted or an old .doc: save it as .docx without a password")
        try:
            self._zip = ZipFile(BytesIO(data))
        except (BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise InputError(f"cannot be read as DOCX ({error}): {_REFUSED}") from error
        members = self._zip.infolist()
        unpacked = sum(member.file_size for member in members)
        if len(members) > _MOST_MEMBERS:
            raise InputError(f"holds {len(members)} parts, more than {_MOST_MEMBERS} (a zip bomb?): {_REFUSED}")
        if unpacked > _MOST_BYTES or unpacked > max(_RATIO_COUNTS_FROM, _MOST_RATIO * len(data)):
            raise InputError(f"unpacks from {len(data):,} to {unpacked:,} bytes (a zip bomb?): {_REFUSED}")
        self._names = {member.filename.lstrip("/").lower(): member.filename for member in members}

    def tree(self, name: str) -> Element | None:
        """The root of a part, None when there is no such part. Names are without namespaces, as in ``p`` and ``m_t``."""
        stored = self._names.get(name.lower())
        if stored is None:
            return None
        try:
            return _parse(self._zip.read(stored))
        except InputError:
            raise
        except Exception as error:  # zipfile and zlib raise errors of many kinds for damaged archives
            raise InputError(f"cannot be read as DOCX ({name}: {error}): {_REFUSED}") from error

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """The parts that a part refers to by id: (kind, such as ``styles``, and name)."""
        folder = dirname(name)
        tree = self.tree(join(folder, "_rels", name[len(folder) :].lstrip("/") + ".rels"))
        found = {}
        for each in tree if tree is not None else ():
            target, kind = each.get("Target", ""), each.get("Type", "").rpartition("/")[2]
            found[each.get("Id", "")] = (kind, normpath(join("/", folder, target)).lstrip("/"))
        return found


def _parse(data: bytes) -> Element:
    """The root of an XML file. A document type, which could define entities, is refused; so is absurd nesting."""
    builder = TreeBuilder()
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _MOST_DEPTH:
            raise InputError(f"is nested more than {_MOST_DEPTH} levels deep: {_REFUSED}")
        builder.start(_short(name), {_short(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(_short(name))

    def refuse(*_: object) -> None:
        raise InputError(f"holds a document type definition, which no Office file has: {_REFUSED}")

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, builder.data
    parser.StartDoctypeDeclHandler = refuse
    parser.Parse(data, True)
    return builder.close()


def _short(name: str) -> str:
    namespace, _, local = name.rpartition(" ")
    return _PREFIXES.get(namespace, "x_") + local if namespace else local
