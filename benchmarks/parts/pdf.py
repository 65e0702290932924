"""PDF files read by two processes, beside the reader alone."""

from collections.abc import Iterator
from io import BytesIO

from benchmarks.measuring import Comparison, Side, compared, in_turn, same
from benchmarks.texts import EXPERIMENTS
from ragsweep.documents import Settings, parse_apart


def compare(times: int) -> Iterator[Comparison]:
    """The PDFs of northwind."""
    files = [(path.read_bytes(), path.name) for path in sorted((EXPERIMENTS / "northwind" / "documents").glob("*.pdf"))]
    for reader, bare in (("pypdf", _pypdf), ("pdfium", _pdfium)):
        settings = Settings(pdf=reader)

        def ours(settings: Settings = settings) -> int:
            return sum(len(document.pages) for _, document in parse_apart(files, settings, 2))  # type: ignore[union-attr]

        def other(bare: object = bare) -> int:
            return sum(bare(data) for data, _ in files)  # type: ignore[operator]

        same(f"{reader}: pages", ours(), other())
        timed = in_turn(Side(ours), Side(other), times, clock="wall")
        work = f"{len(files)} files, {ours()} pages, {sum(len(data) for data, _ in files) / 1e6:.1f} MB, two processes"
        yield compared("pdf", work, f"{reader} alone", timed, 0.65)


def _pypdf(data: bytes) -> int:
    from pypdf import PdfReader

    return len([page.extract_text() for page in PdfReader(BytesIO(data)).pages])


def _pdfium(data: bytes) -> int:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    return len([page.get_textpage().get_text_range() for page in document])
