"""What Ollama tells of a model by its own API: its digest, and its window."""

import re
from typing import Any

from ragsweep.errors import ServerError
from ragsweep.models.client import Client


def digest(client: Client, model: str) -> str:
    """The 64 hex digits of the model's content, from ``/api/tags``.

    Raises ServerError that names the ``ollama pull`` to run for a model that is not there.
    """
    digests = client.look_up("/api/tags", lambda reply: [str(one["digest"]) for one in reply["models"] if _is(model, one)])
    if not digests:
        raise ServerError(f"{client.server.root} has no model {model}: run ollama pull {model}", "request", 404)
    return digests[0]


def window(client: Client, model: str) -> int | None:
    """Tokens of the model's window as it runs; None while it is not loaded and its Modelfile does not say.

    A loaded model says it in ``/api/ps``. Before that it is num_ctx of the Modelfile, at most what the model was trained
    for; without num_ctx it is set when the model is loaded, by OLLAMA_CONTEXT_LENGTH or by the memory of the machine.
    """
    running = client.look_up("/api/ps", lambda reply: [one.get("context_length") for one in reply["models"] if _is(model, one)])
    if running and type(running[0]) is int:
        return running[0]
    return client.look_up("/api/show", _window_of_modelfile, {"model": model})


def embedding_window(client: Client, model: str) -> int | None:
    """Tokens of a text that the model reads at most: its window, and before that is known what the model was trained for."""
    known = window(client, model)
    return known if known is not None else client.look_up("/api/show", _trained, {"model": model})


def _window_of_modelfile(shown: Any) -> int | None:
    said = re.search(r"^num_ctx\s+(\d+)", shown.get("parameters") or "", re.MULTILINE)
    trained = _trained(shown)
    if not said:
        return None
    return min(int(said[1]), trained) if trained is not None else int(said[1])


def _trained(shown: Any) -> int | None:
    facts = shown["model_info"]
    length = facts.get(f"{facts.get('general.architecture')}.context_length")
    return length if type(length) is int else None


def _is(model: str, one: Any) -> bool:
    """Whether an entry is of this model; a name without a tag means :latest."""
    name = model if ":" in model.rpartition("/")[2] else f"{model}:latest"
    return name in (one.get("model"), one.get("name"))
