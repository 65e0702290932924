"""Every RAG type and generator that conf/ registers."""

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_args

import pytest
import yaml

from ragsweep.config import door
from ragsweep.generators import REFUSAL
from ragsweep.parts import Need
from ragsweep.setups import component_class
from scripted_server import Reply
from scripted_server import scripted as serving

CONF = Path(__file__).parents[2] / "conf"
RAG_TYPES = sorted(CONF.glob("rag_type/*.yaml"))
GENERATORS = sorted(CONF.glob("generator/*.yaml"))


@pytest.fixture
def built():
    """A part of its YAML; a language model gets a name, and a server that repeats the question in the form asked for."""

    def decide(request):
        asked = request.json["messages"][-1]["content"] if request.method == "POST" else ""
        said = json.dumps({"parts": [asked], "query": asked, "sufficient": False})
        choice = {"message": {"content": said}, "finish_reason": "stop"}
        return Reply(
            body={"choices": [choice], "content": [{"type": "text", "text": said}], "stop_reason": "end_turn", "models": []}
        )

    with serving(decide) as server:

        def build(path):
            options = written(path)
            if "base_url" in options:
                options |= {"model": "m", "base_url": f"{server.url}/v1", "window": 100_000}
            return door.build(component_class(options.pop("_target_")), options)

        yield build


def written(path):
    return yaml.safe_load(path.read_text("utf-8").replace("${language}", "english"))


@pytest.mark.parametrize("path", RAG_TYPES + GENERATORS, ids=lambda path: f"{path.parent.name}={path.stem}")
def test_a_component_is_a_frozen_dataclass_with_version_and_needs_and_its_yaml_shows_the_defaults(path, built):
    part = built(path)
    assert path.read_text("utf-8").startswith("# ")
    assert is_dataclass(part) and type(part).__dataclass_params__.frozen
    assert part.version >= 1 and part.needs <= set(get_args(Need))
    own = {name: getattr(part, name) for name in ("model", "base_url", "window") if "base_url" in written(path)}
    assert part == type(part)(**own), "a default has one value, in the YAML and in the code"
    servers = {name: value for name, value in written(path).items() if name in own and value is not None}
    assert all(entry.default == servers[entry.name] for entry in fields(part) if entry.name in servers)
    assert {field.name for field in fields(part)} == set(written(path)) - {"_target_"}


@pytest.mark.parametrize("path", RAG_TYPES, ids=lambda path: path.stem)
def test_a_rag_type_ends_with_chunks_of_the_index_and_announces_the_question(path, make_steps, scripted, built):
    rag_type = built(path)
    steps = make_steps(generator=scripted())
    outcome = rag_type.answer("q", steps)
    assert "q" in list(rag_type.queries("q", scripted()))
    assert 0 < len(outcome.final) <= steps.top_n
    assert (outcome.answer is not None) == ("generator" in rag_type.needs)


@pytest.mark.parametrize("path", GENERATORS, ids=lambda path: path.stem)
def test_without_chunks_a_generator_refuses(path, index, vectors, built):
    generator = built(path)
    asked = vectors.of_question()
    answer = generator.generate(index, "a question", asked, [])
    assert (answer.text, answer.abstained, answer.cited) == (REFUSAL, True, ())
    assert generator.check(index, "a question", asked, []) is False


@pytest.mark.parametrize("path", GENERATORS, ids=lambda path: path.stem)
def test_parts_and_rewrites_are_texts_that_depend_on_the_question_only(path, built):
    generator = built(path)
    for question in ["How many days do I get, and who approves my leave?", "Why?", "我有多少天年假？", "ERR_4021"]:
        assert generator.route(question) == generator.route(question)
        assert all(part.strip() for part in generator.route(question))
        assert all(generator.rewrite(question, attempt).strip() for attempt in (1, 2, 3))
