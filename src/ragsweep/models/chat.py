"""A question to a language model and its reply, in the shape of OpenAI's ``/v1/chat/completions``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ragsweep.errors import ServerError
from ragsweep.models import calls
from ragsweep.models.client import Client
from ragsweep.models.prompts import estimated_tokens
from ragsweep.redaction import redact

End: TypeAlias = Literal["complete", "cut", "empty", "only_thinking", "refused"]
"""Whole; cut off at max_tokens; without text; with thinking text and no other; refused by the model or a filter."""

TRUNCATED_SHARE = 0.5
"""A server that counts fewer tokens than this share of the estimate did not read the whole prompt."""


@dataclass(frozen=True)
class Sampling:
    """A model by name and how it is asked; None leaves a setting to the server.

    ``extra`` are more fields of the request, which a server of another make may want; null takes one of ours away.
    """

    model: str
    max_tokens: int | None = None
    temperature: float | None = 0.0
    seed: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    def fields(self, **more: Any) -> dict[str, Any]:
        """The fields of a request, without those that are None."""
        given = {"model": self.model, "temperature": self.temperature, **more, **self.extra}
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply without its thinking text. Tokens are the server's count, None where it does not tell.

    ``truncated``: by that count the server read less than the whole prompt.
    """

    text: str
    end: End
    input_tokens: int | None = None
    output_tokens: int | None = None
    truncated: bool = False


def complete(
    client: Client,
    sampling: Sampling,
    system: str,
    prompt: str,
    schema: Mapping[str, Any] | None = None,
    window: int | None = None,
) -> Completion:
    """The reply to ``prompt`` under the instructions ``system``.

    ``schema`` is a JSON schema that the reply is to follow, where the server can make it so. Raises ServerError; it is of
    kind "window", and nothing is sent, when the prompt is longer than the ``window`` in tokens.
    """
    fits(system + prompt, window, sampling.model)
    messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
    form = schema and {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": schema}}
    # OpenAI's newer models refuse the older name of this field, other servers know no other
    room = "max_completion_tokens" if client.server.origin == "https://api.openai.com" else "max_tokens"
    body = sampling.fields(messages=messages, seed=sampling.seed, response_format=form, **{room: sampling.max_tokens})
    return noted(client.call("/chat/completions", body, lambda reply: _completion(reply, system + prompt, window)))


def smallest(ask: Callable[[int], Completion], most: int) -> None:
    """``ask`` for one token; a server that refuses so little (400), as some do for models that think, for ``most``.

    Raises ServerError.
    """
    try:
        ask(1)
    except ServerError as error:
        if error.status != 400:
            raise
        ask(most)


def noted(reply: Completion) -> Completion:
    """``reply``; that its prompt was cut is put on record."""
    calls.note(truncated=reply.truncated)
    return reply


def _completion(reply: Any, prompt: str, window: int | None) -> Completion:
    choice = reply["choices"][0]
    message = choice["message"]
    text = message.get("content") or message.get("refusal") or ""
    refused = bool(message.get("refusal")) or choice.get("finish_reason") == "content_filter"
    thought = bool(message.get("reasoning_content") or message.get("reasoning"))
    cut = choice.get("finish_reason") == "length"
    return completion(text, thought, cut, refused, calls.tokens(reply), prompt, window)


def completion(
    text: Any,
    thought: bool,
    cut: bool,
    refused: bool,
    counted: tuple[int | None, int | None],
    prompt: str,
    window: int | None,
) -> Completion:
    """What came back for ``prompt``, whatever the shape that it came in. Raises ValueError for a text that is none."""
    if not isinstance(text, str):
        raise ValueError("the content is no text")
    said, thinking = without_thinking(redact(text))
    end: End = "complete"
    if refused:
        end = "refused"
    elif cut:
        end = "cut"
    elif not said:
        end = "only_thinking" if thinking or thought else "empty"
    return Completion(said, end, *counted, is_truncated(counted[0], prompt, window))


def without_thinking(text: str) -> tuple[str, bool]:
    """The text without the thinking that a reasoning model writes before it, and whether there was some.

    Thinking is a block at the start, without its end where the reply was cut; or all before an end whose start the server
    had put into the prompt. A block further on is part of the answer.

    >>> without_thinking("<think>25 or 26?</think>\\n25 days.")
    ('25 days.', True)
    >>> without_thinking("25 or 26?</think>25 days.")
    ('25 days.', True)
    >>> without_thinking("Write <think>...</think> around it.")
    ('Write <think>...</think> around it.', False)
    """
    text = text.strip()
    before, end, after = text.partition("</think>")
    if text.startswith("<think>") or (end and "<think>" not in before):
        return after.strip(), True
    return text, False


# ---- windows -----------------------------------------------------------------------------------------------------------


def fits(prompt: str, window: int | None, model: str) -> None:
    """Raises ServerError when the estimate of ``prompt`` is over the window; one that is not known lets all through."""
    tokens = estimated_tokens(prompt)
    if window is not None and tokens > window:
        raise ServerError(
            f"the prompt has about {tokens} tokens, and the window of {model} {window}: it was not sent. Give it fewer or "
            "smaller chunks (top_n, chunk_size), or the model a larger window (with Ollama: OLLAMA_CONTEXT_LENGTH)",
            "window",
        )


def is_truncated(counted: int | None, prompt: str, window: int | None) -> bool:
    """Whether the server's own count of input tokens says that it read only a part of ``prompt``."""
    if counted is None:
        return False
    return (window is not None and counted >= window) or counted < TRUNCATED_SHARE * estimated_tokens(prompt)
