"""Chat in the shape of Anthropic's ``/v1/messages``."""

from typing import Any

from ragsweep.models import calls
from ragsweep.models.chat import Completion, Sampling, completion, fits, noted
from ragsweep.models.client import Client

VERSION = "2023-06-01"
"""Of the API: what every request must name."""


def complete(client: Client, sampling: Sampling, system: str, prompt: str, window: int | None = None) -> Completion:
    """The reply to ``prompt`` under the instructions ``system``; see ``ragsweep.models.chat.complete``. It takes no seed."""
    fits(system + prompt, window, sampling.model)
    messages = [{"role": "user", "content": prompt}]
    body = sampling.fields(system=system or None, messages=messages, max_tokens=sampling.max_tokens)
    headers = {"x-api-key": client.server.key() or "", "anthropic-version": VERSION}
    return noted(client.call("/messages", body, lambda reply: _completion(reply, system + prompt, window), headers))


def _completion(reply: Any, prompt: str, window: int | None) -> Completion:
    text = "".join(block["text"] for block in reply["content"] if block["type"] == "text")
    thought = any("thinking" in block["type"] for block in reply["content"])
    why = reply["stop_reason"]
    return completion(text, thought, why == "max_tokens", why == "refusal", calls.tokens(reply), prompt, window)
