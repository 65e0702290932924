"""Small PDFs, written by hand."""

from collections.abc import Callable, Sequence

import pytest


def write_pdf(pages: Sequence[str], to_unicode: str = "") -> bytes:
    """A PDF of one font whose pages hold these lines of ASCII text; ``to_unicode`` is a CMap body (``<41> <D835>``)."""
    kids = " ".join(f"{5 + 2 * place} 0 R" for place in range(len(pages)))
    cmap = f"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar {to_unicode} endbfchar"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        f"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {'/ToUnicode 4 0 R' if to_unicode else ''} >>",
        _stream(cmap),
    ]
    for place, text in enumerate(pages):
        lines = " 0 -14 Td ".join(f"({line}) Tj" for line in text.split("\n")) if text else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {6 + 2 * place} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(_stream(f"BT /F1 12 Tf 72 720 Td {lines} ET"))
    body = "%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    trailer = (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    )
    return (body + trailer).encode("ascii")


def _stream(content: str) -> str:
    return f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"


@pytest.fixture
def pdf() -> Callable[..., bytes]:
    return write_pdf
