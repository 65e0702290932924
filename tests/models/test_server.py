"""Settings of a server: addresses, and keys that are named and never written."""

import pytest

from ragsweep.errors import InputError
from ragsweep.models.server import KEYS, Limits, Server
from ragsweep.redaction import redact


@pytest.mark.parametrize(
    ("base_url", "origin", "root"),
    [
        ("http://localhost:11434/v1", "http://localhost:11434", "http://localhost:11434"),
        ("http://localhost:11434/v1/", "http://localhost:11434", "http://localhost:11434"),
        ("https://api.cohere.com/v2", "https://api.cohere.com", "https://api.cohere.com"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai", "https://openrouter.ai/api"),
        ("http://HOST:1", "http://host:1", "http://HOST:1"),
        ("http://[::1]:8080/v1", "http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_a_base_url_has_an_origin_and_a_root(base_url, origin, root):
    server = Server(base_url)
    assert (server.origin, server.root, server.base_url.endswith("/")) == (origin, root, False)


@pytest.mark.parametrize(
    ("base_url", "said"),
    [
        ("localhost:8000/v1", "is no http or https address: write one that begins with http:// or https://"),
        ("", "is no http or https address"),
        ("ftp://host/v1", "is no http or https address"),
        ("file:///etc/passwd", "is no http or https address"),
        ("http:///v1", "is no http or https address"),
        ("http://a b/v1", "is no http or https address"),
        ("http://host:port/v1", "base_url=http://host:port/v1: Port could not be cast"),
        ("http://[::1/v1", "Invalid IPv6 URL"),
        ("https://me:pass-word@host/v1", "holds a password"),
        ("https://host/v1?api-version=1", "must end before its '?'"),
        ("https://host/v1#x", "must end before its '?' or '#'"),
    ],
)
def test_a_base_url_that_is_none_is_refused(base_url, said):
    with pytest.raises(InputError) as caught:
        Server(base_url)
    assert said in str(caught.value)
    assert "pass-word" not in str(caught.value)


@pytest.mark.parametrize("key_env", ["sk-abcdefgh", "Bearer x", "", "MY KEY", "9KEY", "pa-Zzzzzzzzzz"])
def test_a_key_where_its_name_should_stand_is_refused_and_not_repeated(key_env):
    with pytest.raises(InputError, match="key_env is the NAME of an environment variable") as caught:
        Server("http://host/v1", key_env)
    assert not key_env or key_env not in str(caught.value)
    assert len(key_env) < 8 or key_env not in redact(f"what else is said of {key_env}")


@pytest.mark.parametrize("value", [None, "", "  \n"])
def test_a_variable_that_is_missing_is_named(monkeypatch, value):
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(InputError) as caught:
        Server("http://host/v1", "MY_KEY").key()
    assert str(caught.value) == "http://host needs a key: the environment variable MY_KEY is not set; write export MY_KEY=..."


@pytest.mark.parametrize("value", ["two words-and-more", "line\nbreak-and-more", "schlüssel-and-more"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_repeated(monkeypatch, value):
    monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(InputError, match="MY_KEY holds a space") as caught:
        Server("http://host/v1", "MY_KEY").key()
    assert value not in str(caught.value)


def test_a_key_is_read_without_the_spaces_around_it_and_kept_from_then_on(monkeypatch):
    monkeypatch.setenv("MY_KEY", " 0123-4567\r\n")
    assert redact("0123-4567") == "0123-4567"
    assert Server("http://host/v1", "MY_KEY").key() == "0123-4567"
    assert redact("with 0123-4567.") == "with [secret]."


def test_a_key_is_for_its_own_host(monkeypatch):
    """Whoever changes base_url alone does not send the key of the host that stood there before."""
    for origin, name in KEYS.items():
        monkeypatch.setenv(name, f"key-of-{origin}")
    for origin in KEYS:
        assert Server(f"{origin}/v1").key() == f"key-of-{origin}"
        assert Server(f"{origin.replace('https', 'http')}/v1").key() is None, "not without TLS"
        assert Server(f"{origin}.example.com/v1").key() is None
        assert Server(f"{origin}:444/v1").key() is None
    assert Server("http://localhost:8000/v1").key() is None
    assert Server("http://localhost:8000/v1", "OPENAI_API_KEY").key() == "key-of-https://api.openai.com", "when it is named"


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"deadline": 0}, "deadline=0 must be over 0"),
        ({"deadline": float("inf")}, "deadline=inf must be over 0"),
        ({"deadline": float("nan")}, "deadline=nan must be over 0"),
        ({"max_response_mb": -1}, "max_response_mb=-1 must be over 0"),
        ({"requests_per_minute": 0}, "requests_per_minute=0 must be over 0"),
        ({"retries": -1}, "retries=-1 must be 0 or more"),
        ({"max_concurrent": 0}, "max_concurrent=0 must be 1 or more"),
    ],
)
def test_a_limit_that_no_call_could_keep_is_refused(limits, said):
    with pytest.raises(InputError, match=said):
        Limits(**limits)


def test_two_calls_at_once_is_the_default():
    """FAULTS G6: more parallel embeddings than a server takes came back as 502."""
    assert (Limits().max_concurrent, Limits(retries=0, requests_per_minute=None).retries) == (2, 0)
