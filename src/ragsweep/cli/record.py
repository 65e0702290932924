"""``ragsweep record``: a system that answers over HTTP."""

from collections.abc import Sequence
from pathlib import Path

from ragsweep.cli.composing import compose, parse_arguments, sweep_parser
from ragsweep.cli.score import WHOSE


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep record``."""
    parser = sweep_parser("record", 'Ask a system every question, POST {"question": ..., "k": ...}, and write what it returns.')
    parser.usage = "ragsweep record URL RUNS.jsonl [experiment=NAME | --files PATH... --questions PATH] [top_k=N]"
    parser.add_argument("--key-env", metavar="NAME", help="the NAME of the variable of its key, sent as a bearer token")
    parsed = parse_arguments(parser, given)
    from ragsweep.sweep.live import addresses, record, server_of

    urls = addresses(parsed.overrides)
    paths = [each for each in parsed.overrides if "=" not in each and each not in urls]
    if len(urls) != 1 or len(paths) != 1:
        parser.error("write its address and a file: ragsweep record http://localhost:8000/search theirs.jsonl experiment=NAME")
    parsed.overrides = [each for each in parsed.overrides if each not in (*urls, *paths)]
    server = server_of(urls[0], parsed.key_env)
    return compose(parsed, lambda wanted, launch: record(wanted, server, Path(paths[0])), needs=WHOSE)
