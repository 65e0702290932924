"""The window of a model as servers other than Ollama tell it, and the models that they have."""

from typing import Any

from ragsweep.errors import ServerError
from ragsweep.models.client import Client


def window(client: Client, model: str) -> int | None:
    """Tokens that prompt and reply may have together; None where the server does not say.

    Asked are ``/v1/models`` (max_model_len of vLLM, context_length of OpenRouter), then ``/props`` of llama.cpp.
    """
    for one in _listed(client):
        for name in ("max_model_len", "context_length"):
            if one.get("id") == model and type(one.get(name)) is int:
                return int(one[name])
    settings = _look_up(client, "/props").get("default_generation_settings") or {}
    return settings["n_ctx"] if type(settings.get("n_ctx")) is int else None


def models(client: Client) -> list[str]:
    """The names of the models that a server lists under ``/models``; none where it lists none."""
    return [str(one["id"]) for one in _listed(client) if "id" in one]


def _listed(client: Client) -> list[dict[str, Any]]:
    found = _look_up(client, client.server.base_url.removeprefix(client.server.root) + "/models").get("data")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _look_up(client: Client, path: str) -> dict[str, Any]:
    """A JSON object, or an empty one where the server has none for this path."""
    try:
        return client.look_up(path, dict)
    except ServerError as error:
        if error.kind in ("request", "reply"):
            return {}
        raise
