"""What looks like a secret, or is known to be one, is in no text."""

import logging

import pytest

from ragsweep.redaction import LEAST_LENGTH, RedactingFormatter, keep_secret, redact


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abc.DEF-123_x", "Authorization: Bearer [secret]"),
        ("{'authorization': 'bearer abc', 'x': 1}", "{'authorization': 'bearer [secret]', 'x': 1}"),
        ("Basic bWU6cGFzcw==", "Basic [secret]"),
        ("key sk-proj-0123456789.", "key [secret]."),
        ("sk-ant-api03-abcdef", "[secret]"),
        ("http://me:pa%20ss@host:1/v1?x=1", "http://[secret]@host:1/v1?x=1"),
        ("https://token@host", "https://[secret]@host"),
        ("write to me@host.org, see http://host/a@b", "write to me@host.org, see http://host/a@b"),
        ("task-oriented risk-based sk-", "task-oriented risk-based sk-"),
        ("a bearer of news", "a bearer [secret] news"),  # better a word too many than a key
        ("", ""),
    ],
)
def test_what_looks_like_a_secret(text, shown):
    assert redact(text) == shown
    assert redact(shown) == shown


def test_known_values_go_wherever_they_stand():
    keep_secret("pa-0123456789")
    keep_secret("pa-0123456789-and-more")
    assert redact("x=pa-0123456789-and-more;pa-0123456789 ") == "x=[secret];[secret] "


@pytest.mark.parametrize("value", ["", "none", "EMPTY", "ollama", "x" * (LEAST_LENGTH - 1)])
def test_words_that_stand_in_for_a_key_stay_readable(value):
    keep_secret(value)
    assert redact(f"run ollama pull {value} none") == f"run ollama pull {value} none"


def test_a_log_line_and_its_traceback():
    secrets = ["http://me:pass-word@host", "Bearer abcdefgh", "sk-0123456789"]
    try:
        try:
            raise ValueError(secrets[0])
        except ValueError as error:
            raise RuntimeError(secrets[1]) from error
    except RuntimeError as error:
        failed = (type(error), error, error.__traceback__)
    line = RedactingFormatter("%(levelname)s %(message)s").format(
        logging.LogRecord("x", logging.ERROR, __file__, 1, "sent %s", (secrets[2],), failed)
    )
    assert line.startswith("ERROR sent [secret]\nTraceback")
    assert "ValueError: http://[secret]@host" in line
    assert not [secret for secret in ("pass-word", "abcdefgh", "0123456789") if secret in line]
