"""``ragsweep ask``: one question of one setup."""

from collections.abc import Sequence

from ragsweep.cli.composing import compose, parse_arguments, sweep_parser


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep ask``."""
    parser = sweep_parser("ask", "Ask one question of one setup.")
    parser.add_argument("--trace", action="store_true", help="show every step")
    parsed = parse_arguments(parser, given)
    if not parsed.overrides:
        parser.error('write the question: ragsweep ask "Can I work from Spain for a month?"')
    question = parsed.overrides.pop(0)
    from ragsweep.sweep.ask import ask

    return compose(parsed, lambda wanted, launch: ask(wanted, question, trace=parsed.trace))
