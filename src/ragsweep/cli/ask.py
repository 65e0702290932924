"""``ragsweep ask``: one question of one setup."""

import re
from collections.abc import Sequence

from ragsweep.cli.composing import compose, parse_arguments, sweep_parser
from ragsweep.errors import InputError


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep ask``."""
    parser = sweep_parser("ask", "Ask one question of one setup.")
    parser.usage = (
        'ragsweep ask "QUESTION" [overrides]\n       ragsweep ask --question-id ID [overrides]\n'
        '       ragsweep ask "QUESTION" --setup RUN_DIR:NAME'
    )
    parser.add_argument("--question-id", metavar="ID", help="a labelled question of the experiment; the trace says its verdict")
    parser.add_argument("--setup", metavar="RUN_DIR:NAME", help="a setup of a run, as the run froze it")
    parser.add_argument("--trace", action="store_true", help="show every step")
    parser.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    parsed = parse_arguments(parser, given)
    question = None
    if parsed.question_id is None:
        if not parsed.overrides:
            parser.error('write the question: ragsweep ask "Can I work from Spain for a month?"')
        question = next((each for each in parsed.overrides if not re.match(r"[a-z_/.]+=", each)), parsed.overrides[0])
        parsed.overrides.remove(question)
    from ragsweep.sweep.ask import Ask, ask, ask_run

    asking = Ask(question, parsed.question_id, parsed.trace, parsed.json)
    if parsed.setup is None:
        if any(each.startswith("experiment=") and "," in each for each in parsed.overrides):
            raise InputError("ask takes one setup: write one experiment")
        return compose(parsed, lambda wanted, launch: ask(wanted, asking))
    if also := [*parsed.overrides, *parsed.files, *filter(None, [parsed.questions, parsed.experiment_file])]:
        raise InputError(f"{' '.join(map(str, also))}: --setup names all of a setup, its files too: leave that out")
    return ask_run(parsed.setup, asking)
