"""Where a model server is, the key that belongs to it, and what a run may ask of it."""

import math
import os
import re
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from ragsweep.errors import InputError
from ragsweep.redaction import keep_secret, redact

KEYS = {
    "https://api.openai.com": "OPENAI_API_KEY",
    "https://api.anthropic.com": "ANTHROPIC_API_KEY",
    "https://openrouter.ai": "OPENROUTER_API_KEY",
    "https://api.cohere.com": "COHERE_API_KEY",
    "https://api.jina.ai": "JINA_API_KEY",
    "https://api.voyageai.com": "VOYAGE_API_KEY",
}
"""The environment variable that holds the key of a server, where its makers named one. No other server is sent it unasked."""

LOOK_UP_SECONDS = 15.0


@dataclass(frozen=True)
class Limits:
    """What a call may take; none of it changes an answer. Raises InputError for a value that no call could keep.

    ``deadline``: seconds for a whole call, its retries and the pauses between them, but not the wait for a place of our own.
    ``retries``: requests after the first. ``max_concurrent`` and ``requests_per_minute`` (null: any) hold for a server and all
    processes that write to one outputs folder. ``max_response_mb``: megabytes of one reply. ``trust_env``: use the
    proxies and certificates that environment variables name.
    """

    deadline: float = 300.0
    retries: int = 5
    max_concurrent: int = 2
    requests_per_minute: float | None = None
    max_response_mb: float = 32.0
    trust_env: bool = False

    def __post_init__(self) -> None:
        for name in ("deadline", "max_response_mb", "requests_per_minute"):
            value = getattr(self, name)
            if value is not None and not (value > 0 and math.isfinite(value)):
                raise InputError(f"{name}={value} must be over 0")
        if self.retries < 0:
            raise InputError(f"retries={self.retries} must be 0 or more")
        if self.max_concurrent < 1:
            raise InputError(f"max_concurrent={self.max_concurrent} must be 1 or more")


@dataclass(frozen=True)
class Server:
    """A server by ``base_url``, version in its path (``http://localhost:11434/v1``), and the NAME of the variable of its key.

    ``key_env`` None stands for the variable that belongs to the host (``KEYS``), and for no key at any other host. Raises
    InputError for a URL that is none, or that holds a password, and for a key where a name should stand.
    """

    base_url: str
    key_env: str | None = None
    limits: Limits = field(default=Limits())

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))
        _check_url(self.base_url)
        if self.key_env is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.key_env):
            keep_secret(self.key_env)
            raise InputError(
                "key_env is the NAME of an environment variable, such as OPENAI_API_KEY, and what stands there is none; "
                "a key belongs in the environment and in no file"
            )

    def at_once(self) -> "Server":
        """The same for a look-up before any work: asked once, and not for long."""
        return replace(self, limits=replace(self.limits, retries=0, deadline=min(self.limits.deadline, LOOK_UP_SECONDS)))

    @property
    def origin(self) -> str:
        """Scheme, host and port: what limits and keys belong to."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.lower()}"

    @property
    def root(self) -> str:
        """``base_url`` without its version: where a server's own API begins."""
        return re.sub(r"/v\d+$", "", self.base_url)

    def key(self) -> str | None:
        """The key, kept out of every text from now on; None where the server needs none.

        Raises InputError when the environment lacks it: ask before any work.
        """
        name = self.key_env or KEYS.get(self.origin)
        if name is None:
            return None
        key = os.environ.get(name, "").strip()
        if not key:
            raise InputError(f"{self.origin} needs a key: the environment variable {name} is not set; write export {name}=...")
        keep_secret(key)
        if not re.fullmatch(r"[!-~]+", key):
            raise InputError(f"the environment variable {name} holds a space, a line break or a letter that is in no key")
        return key


def _check_url(base_url: str) -> None:
    shown = redact(base_url)
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise InputError(f"base_url={shown}: {redact(str(error))}") from None
    if parts.scheme not in ("http", "https") or not host or re.search(r"\s", base_url):
        raise InputError(
            f"base_url={shown} is no http or https address: write one that begins with http:// or https://, such as http://localhost:8000"
        )
    if parts.username is not None or parts.password is not None:
        raise InputError(f"base_url={shown} holds a password: put it in an environment variable, and its name in key_env")
    if parts.query or parts.fragment:
        raise InputError(f"base_url={shown} must end before its '?' or '#'")
