"""An interrupt ends a command as one, whatever a library makes of what it raises."""

import os
import signal

import pytest

from ragsweep import cli


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_library_may_swallow_it(monkeypatch, capsys, number):
    def command(given):
        try:
            os.kill(os.getpid(), number)
        except KeyboardInterrupt:
            raise AttributeError("'NoneType' object has no attribute '_invalidate_flags_cache'") from None

    monkeypatch.setattr(cli, "_command", lambda name: command)
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's & may have it ignored
    try:
        assert cli.main(["plan"]) == cli.INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, before[0])
    assert signal.getsignal(signal.SIGTERM) == before[1]
    assert capsys.readouterr().err == "interrupted\n"


def test_other_errors_are_no_interrupt(monkeypatch):
    def command(given):
        raise AttributeError("of ours")

    monkeypatch.setattr(cli, "_command", lambda name: command)
    with pytest.raises(AttributeError, match="of ours"):
        cli.main(["plan"])
