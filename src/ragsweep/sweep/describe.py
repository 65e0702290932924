"""The plan in words."""

from collections.abc import Iterator, Sequence

from ragsweep.evaluation.usage import cost
from ragsweep.models.prompts import estimated_tokens
from ragsweep.parts import Embedder
from ragsweep.reporting.gate import in_words
from ragsweep.setups import identity
from ragsweep.store import Store
from ragsweep.sweep import keys
from ragsweep.sweep.alone import MOST
from ragsweep.sweep.chunking import Chunking
from ragsweep.sweep.expected import expected_lines, server_notices
from ragsweep.sweep.plan import Plan
from ragsweep.sweep.prepare import Shared
from ragsweep.sweep.servers import asking
from ragsweep.types import Question

SHOWN_CHUNKINGS = 12
SHOWN_NAMES = 3


def plan_lines(plan: Plan, store: Store, *, setups: bool = False) -> Iterator[str]:
    """What was asked, what is shared and stored, what would be computed, and the notices; with ``setups`` each of them."""
    yield f"plan: {plan.lead}"
    documents, asked = plan.any_corpus.documents, plan.any_corpus.questions
    answerable = sum(question.answerable for question in asked)
    read = f" as read with {' and with '.join(f'pdf={name}' for name in plan.corpora)}" if len(plan.corpora) > 1 else ""
    part = f"PARTIAL: {len(asked):,} of " if plan.whole else ""
    questions = f"{part}{count(plan.whole or len(asked), 'question')} ({answerable} answerable)"
    yield f"  {count(len(documents), 'document')}{read}, {questions}{_distinct(asked)}"
    in_flight = f", {plan.settings.in_flight} questions of each in flight" if plan.settings.in_flight > 1 else ""
    alone = f"; then up to {MOST} questions of each again, alone, for their times" if plan.settings.timing == "alone" else ""
    stored = sum(_is_stored(plan, chunking, store) for chunking in plan.chunkings.values())
    yield (
        f"  {count(plan.combinations, 'combination')}, {count(len(plan.setups), 'setup')}, "
        f"{count(len(plan.chunkings), 'index', 'es')} "
        f"({stored} stored), {plan.side_by_side} side by side{in_flight}{alone}"
    )
    for name, chunking in list(plan.chunkings.items())[:SHOWN_CHUNKINGS]:
        words = count(round(chunking.words), "word")
        yield f"    {name}: {count(len(chunking.chunks), 'chunk')} of {words} in the mean"
    if len(plan.chunkings) > SHOWN_CHUNKINGS:
        yield f"    ... and {len(plan.chunkings) - SHOWN_CHUNKINGS} more"
    yield from _work(plan, store)
    yield from expected_lines(plan)
    if setups and any(asking(planned.setup) for planned in plan.setups):
        yield "  servers and keys: `ragsweep doctor`, with the same words behind it, tries each before a long run"
    if plan.settings.share_answers:
        yield "  share_answers: identical requests at temperature 0 are answered once, so fewer are made"
    folded = sum(bool(planned.folded) for planned in plan.setups)
    if folded and not setups:
        yield f"  {count(folded, 'setup')} for several combinations each: what differs in them changes nothing"
    for planned in plan.setups:
        if setups:
            yield f"  setup {planned.name}"
        if setups and planned.folded:
            shown = listed(planned.folded, "; ")
            yield f"    stands for {shown} too: what differs changes nothing here"
        if planned.error:
            yield f"    cannot run: {planned.error}"
    if plan.settings.gate:
        yield f"  gate: {in_words(plan.settings.gate)}"
    for notice in [*plan.label_notices, *plan.notices, *server_notices(plan)]:
        yield f"  notice: {notice}"


def _is_stored(plan: Plan, chunking: Chunking, store: Store) -> bool:
    key = keys.chunks_key(plan.corpora[chunking.reading].keys, chunking.chunker)
    return store.find("chunks", key) is not None


def _work(plan: Plan, store: Store) -> Iterator[str]:
    shared = Shared(plan)
    for embedder in shared.embedders:
        texts = list({**shared.passages.get(embedder, {}), **shared.asked.get(embedder, {})})
        missing = store.vectors(identity(embedder)).missing(texts)
        is_served, stored = "server" in embedder.needs, len(texts) - len(missing)
        name = embedder.model if is_served else type(embedder).__name__.lower()
        about = _tokens_and_price(plan, embedder, missing) if is_served else ""
        yield f"  {name}: {len(texts):,} distinct texts, {stored:,} stored, {len(missing):,} to embed{about}"
    if shared.bm25:
        yield f"  bm25: {count(len(shared.bm25), 'keyword index', 'es')}"


def _tokens_and_price(plan: Plan, embedder: Embedder, texts: Sequence[str]) -> str:
    """Of texts to embed by a model server."""
    tokens = sum(map(estimated_tokens, texts))
    price = cost(plan.settings.prices.get(embedder.model), tokens, 0)
    return f", about {tokens:,} tokens" + (f", {price:.4f} by its price" if price is not None else "")


def listed(names: Sequence[str], between: str = ", ") -> str:
    """The first names of many.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
    return between.join(names[:SHOWN_NAMES]) + more


def _distinct(questions: Sequence[Question]) -> str:
    """That equal questions are asked once, where there are some: then fewer are run and paid for than the report counts."""
    texts = len({question.text for question in questions})
    return (
        f", {texts:,} of them distinct: equal ones are asked once, and count and cost as each" if texts < len(questions) else ""
    )


def count(number: int, what: str, plural: str = "s") -> str:
    """A number of things.

    >>> count(1, "index", "es"), count(12, "setup")
    ('1 index', '12 setups')
    """
    return f"{number:,} {what}{'' if number == 1 else plural}"
