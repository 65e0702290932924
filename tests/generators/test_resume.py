"""A run over a server goes on when its key and its model are there as they were; what is not is told before any work."""

import pytest

from scripted_server import Reply


@pytest.fixture
def stopped(ask_all, model, monkeypatch):
    """A run that the first failure stopped, with a key; the server is well again."""
    monkeypatch.setenv("MY_KEY", "canary-0123456789")
    well, model.answer = model.answer, lambda request: Reply(400, body="no")
    (folder,) = ask_all("generator.key_env=MY_KEY", "max_failures=0", "n_jobs=1", generator="ollama").runs
    model.answer = well
    model.chats.clear()
    return folder


def test_without_its_key_nothing_is_asked(project, model, stopped, monkeypatch):
    monkeypatch.delenv("MY_KEY")
    before = (stopped / "plan.json").read_bytes()
    ran = project("resume", str(stopped))
    assert (ran.code, ran.out, model.chats) == (2, "", [])
    assert "the environment variable MY_KEY is not set; write export MY_KEY=..." in ran.err
    assert (stopped / "plan.json").read_bytes() == before, "no attempt was begun"


def test_another_model_under_its_name_does_not_go_on(project, model, stopped):
    model.digest = "cd" * 32
    ran = project("resume", str(stopped))
    assert (ran.code, model.chats) == (2, [])
    assert f"generator: {model.url} has another model as m than when the run began: run the experiment again" in ran.err


def test_as_it_was_it_goes_on(project, model, stopped):
    ran = project("resume", str(stopped))
    assert (ran.code, len(model.chats)) == (0, 3)
