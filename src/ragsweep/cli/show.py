"""``ragsweep show``: how a document is cut, and where the evidence falls."""

from collections.abc import Sequence
from pathlib import Path

from ragsweep.cli.composing import compose, parse_arguments, sweep_parser


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep show``."""
    parser = sweep_parser("show", "Show the chunks of a document, and which evidence falls where.")
    parser.usage = "ragsweep show DOC [chunker=...] [overrides]\n       ragsweep show DOC --diff chunker=a,b"
    parser.add_argument(
        "--diff", action="store_true", help="two chunkings of it beside each other: --diff chunker=word,paragraph"
    )
    parser.add_argument("--full", action="store_true", help="long chunks with all their words")
    parsed = parse_arguments(parser, given)
    if not parsed.overrides:
        parser.error("write the document first: ragsweep show handbook.pdf chunker=paragraph")
    document = parsed.overrides.pop(0)
    from ragsweep.sweep.show import show

    return compose(
        parsed,
        lambda wanted, launch: show(wanted, document, diff=parsed.diff, full=parsed.full),
        instead_of_sample=[document] if Path(document).exists() else [],
    )
