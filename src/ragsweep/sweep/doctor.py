"""Every model that a run would use, tried before it: keys, servers, models, windows, dimensions; what to do for each fault."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragsweep.contexts.locating import Locator, Returned, nowhere, said_of
from ragsweep.errors import InputError, RagsweepError, ServerError, reason
from ragsweep.files import canonical_json
from ragsweep.models import windows
from ragsweep.models.client import Client
from ragsweep.models.prompts import estimated_tokens
from ragsweep.redaction import redact
from ragsweep.reporting.escape import folded, visible
from ragsweep.setups import describe, identity
from ragsweep.store import Store
from ragsweep.sweep.describe import count, listed
from ragsweep.sweep.expected import prompt_tokens
from ragsweep.sweep.plan import Plan, Planned, make_plan
from ragsweep.sweep.progress import say, width
from ragsweep.sweep.run import make_store
from ragsweep.sweep.servers import asking
from ragsweep.sweep.wanted import Row, Wanted
from ragsweep.types import Probed


@dataclass
class Model:
    """A distinct part of ``group`` that needs a model, as the option ``choice``; what was ``found``, and what is ``wrong``."""

    group: str
    choice: str
    part: Any
    found: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def is_served(self) -> bool:
        """Whether it is behind a server."""
        return "server" in self.part.needs

    @property
    def place(self) -> str:
        """The name and the address of one that is behind a server."""
        model, url = self.part.model, self.part.base_url
        return f"{model} at {url}" if model != url else str(url)

    def lines(self) -> Iterator[str]:
        """One that all is well, or one for each thing that is not."""
        served = f", {self.place}" if self.is_served else ""
        name = f"{self.group} {self.choice}{served}"
        if not self.wrong:
            yield f"ok     {visible(name)}: {visible(', '.join(self.found))}"
        for said in self.wrong:
            yield f"wrong  {visible(name)}: {visible(redact(said))}"


def doctor(wanted: Wanted) -> int:
    """Try every model of ``wanted``, all of them whatever is wrong. The exit code: 0 when all is well, else 1.

    Raises InputErrors for mistakes in config, files and questions, before anything is asked of a server.
    """
    store = make_store(wanted)
    if wanted.problems or not wanted.rows:
        make_plan(wanted, store, ask_servers=False)  # raises, with what is wrong in files and questions too
    models = _models(wanted.rows)
    if (judge := wanted.settings.judge) is not None:
        models[_key(judge)] = Model("judge", wanted.settings.judge_option, judge)
    for model in models.values():
        if not model.is_served:
            _try_local(model)
    broken = {key for key, model in models.items() if model.wrong}
    sound = [row for row in wanted.rows if not broken & _of(row).keys()]
    # a plan reads what every local model is, and cannot be made with one that is not there
    plan = make_plan(replace(wanted, rows=sound), store, ask_servers=False) if sound else None
    for model in models.values():
        if model.is_served:
            say(f"asking {model.place}")
            _try_served(model, store, plan)
    lines = [line for model in models.values() for line in model.lines()]
    columns = width(sys.stdout)
    sys.stdout.writelines(f"{folded(line, columns)}\n" for line in dict.fromkeys(lines))
    wrong = sum(bool(model.wrong) for model in models.values())
    sys.stdout.write(f"{wrong} of {count(len(models), 'model')} cannot be used\n" if wrong else "all is well\n")
    return 1 if wrong else 0


def _models(rows: Sequence[Row]) -> dict[str, Model]:
    """The distinct ones of all combinations."""
    found: dict[str, Model] = {}
    for key, model in (named for row in rows for named in _of(row).items()):
        found.setdefault(key, model)
    return found


def _of(row: Row) -> dict[str, Model]:
    """Those of one combination."""
    setup, named = row.setup, row.choices
    parts = [(group, named[group], part) for group, part in asking(setup).items() if group != "embedder"]
    parts += [("embedder", named["embedder"] if part == setup.embedder else "minilm", part) for part in setup.query_embedders]
    return {_key(part): Model(group, choice, part) for group, choice, part in parts}


def _key(part: Any) -> str:
    return canonical_json(describe(part))


def _try_local(model: Model) -> None:
    """One text, embedded here."""
    try:
        _ = model.part.model  # says how to get what is not there
        model.found.append(f"{model.part.embed(['A text.']).shape[1]} numbers a text")
    except RagsweepError as error:
        model.wrong.append(str(error))
    except Exception as error:  # whatever a library raises for a model that it cannot use
        model.wrong.append(f"{reason(error)}: install what it needs again")


def _try_served(model: Model, store: Store, plan: Plan | None) -> None:
    """Key, server, model and one smallest call, asked once each; then what the plan would send."""
    probed = Probed(window=getattr(model.part, "window", None))
    try:
        ready = model.part.ready()
        once = replace(ready, limits=replace(ready.limits, retries=0))
        if plan is not None and model.group == "retriever":
            _try_contexts(model, once, plan)
            return
        probed = once.probe()
        model.found.append("it answers")
        if probed.dimensions is not None:
            _compare_dimensions(model, probed.dimensions, store.vectors(identity(ready)).dimensions)
    except InputError as error:
        model.wrong.append(str(error))
    except ServerError as error:
        model.wrong.append(f"{error}{_others(model.part, error) if model.group != 'retriever' else ''}")
    if plan is not None and model.group == "embedder":
        _compare_passages(model, probed.window, plan)
    elif plan is not None and hasattr(model.part, "prompts"):
        _compare_prompts(model, probed.window, plan)


def _try_contexts(model: Model, ready: Any, plan: Plan) -> None:
    """The first question, and whether what a system returns for it is in the documents."""
    planned = _planned(model, plan)[0]
    corpus, question = plan.corpora[planned.reading], plan.asked[0]
    contexts = ready.contexts(question, planned.setup.top_k)
    returned = Returned(Locator(corpus.documents))
    for place, context in enumerate(contexts):
        returned.hit(context, place)
    there = len(contexts) - nowhere(returned.counts, corpus.questions)
    asked = f"to {question[:60]!r} with {count(len(contexts), 'context')}"
    if contexts and not there:
        model.wrong.append(
            f"it answers {asked}, and none is in the documents: {'; '.join(said_of(returned.counts, len(contexts)))}"
        )
    else:
        model.found.append(f"it answers {asked}" + (f", {there} of them found in the documents" if contexts else ""))


def _others(part: Any, error: ServerError) -> str:
    """The models that a server has, where it may not know the one that was asked for."""
    if error.status not in (400, 404):
        return ""
    try:
        names = windows.models(Client(part.server.at_once()))
    except ServerError:
        return ""
    return f"; it has {listed(names)}" if names and part.model not in names else ""


def _compare_dimensions(model: Model, given: int, stored: int | None) -> None:
    model.found.append(f"{given} numbers a text")
    if stored not in (None, given):
        model.wrong.append(
            f"it gives {given} numbers a text, and the store holds {stored} under this name: another model answers now; give "
            "it a name of its own, or the run another store (store.dir=...)"
        )


def _compare_passages(model: Model, window: int | None, plan: Plan) -> None:
    """How many chunks are longer than the window of an embedder, which its server cuts or refuses."""
    if window is None:
        model.found.append("window not known")
        return
    own = [planned for planned in _planned(model, plan) if planned.setup.embedder is not None]
    names = {planned.chunking: planned for planned in own}
    texts = [
        text
        for name, planned in names.items()
        for text in plan.chunkings[name].chunks.passages(plan.corpora[planned.reading].documents)
    ]
    over = sum(estimated_tokens(text) > window for text in texts)
    model.found.append(f"window {window:,} tokens ({over:,} of {count(len(texts), 'chunk')} are longer)")


def _compare_prompts(model: Model, window: int | None, plan: Plan) -> None:
    """The prompts that the plan would send, by estimate, and the window that they are to fit in."""
    sizes = [size for planned in _planned(model, plan) for size in _prompts(model, planned, plan)]
    if not sizes:
        return
    usual, longest = max(usual for usual, _ in sizes), max(longest for _, longest in sizes)
    prompts = f"prompts of about {usual:,} tokens, at most {longest:,}"
    if window is None:
        model.found.append(f"window not known, {prompts}")
    elif usual > window:
        model.wrong.append(
            f"its window of {window:,} tokens is smaller than the prompts, of about {usual:,}: write a smaller top_n or "
            "chunk_size, or give the model a larger window (with Ollama: OLLAMA_CONTEXT_LENGTH)"
        )
    else:
        fails = ": questions with the longest chunks will fail" if longest > window else ""
        model.found.append(f"window {window:,} tokens, {prompts}{fails}")


def _prompts(model: Model, planned: Planned, plan: Plan) -> Iterator[tuple[int, int]]:
    """Tokens of each kind of prompt that a setup sends to the model, with the longest question: usual, and longest."""
    tasks: Mapping[str, int] = planned.setup.rag_type.asks[1]
    question = max(map(estimated_tokens, plan.asked), default=0)
    for task, times in tasks.items():
        if times and planned.setup.chunker is not None and (task == "rerank") == (model.group == "reranker"):
            usual, longest = prompt_tokens(plan, planned, task, model.part)
            yield usual + question, longest + question


def _planned(model: Model, plan: Plan) -> list[Planned]:
    """The setups that use it and can run."""
    return [planned for planned in plan.setups if planned.error is None and model.part in asking(planned.setup).values()]
