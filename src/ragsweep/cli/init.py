"""``ragsweep init``: a new experiment over one's own files."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from ragsweep.cli.composing import compose, parse_arguments


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep init``."""
    parser = argparse.ArgumentParser(
        prog="ragsweep init",
        usage="ragsweep init NAME --files PATH... [--questions PATH] [--experiments-dir DIR] [pdf=...] [dataset.KEY=...]",
        description="Write an experiment over your files, which stay where they are, with examples of questions.",
    )
    what = "NAME of the experiment (letters, digits, - and _), then what reading needs: pdf=pdfium dataset.on_bad_file=skip"
    parser.add_argument("overrides", nargs="*", metavar="NAME", help=what)
    parser.add_argument("--files", nargs="+", required=True, metavar="PATH", help="files, folders or globs")
    parser.add_argument("--questions", metavar="PATH", help="your .json or .jsonl file; without it, examples are written")
    parser.add_argument("--experiments-dir", default="experiments", metavar="DIR", help="where NAME is written")
    parsed = parse_arguments(parser, given)
    if not parsed.overrides:
        parser.error("write a NAME, before --files: ragsweep init leave --files documents")
    name = parsed.overrides.pop(0)
    if any(override.startswith("experiment=") for override in parsed.overrides):
        parser.error("write the new experiment as NAME alone")
    from ragsweep.config.experiment_file import experiment_file
    from ragsweep.sweep.init import init

    return compose(parsed, lambda wanted, launch: init(wanted, name, Path(parsed.experiments_dir), experiment_file))
