"""Prices of models: what is no price, and a limit of cost without one, are told before any work."""

import pytest

from ragsweep.config.door import build_root
from ragsweep.errors import InputErrors
from ragsweep.generators.extractive import Extractive
from ragsweep.generators.openai import OpenAI
from ragsweep.rag_types.search import Search
from ragsweep.reporting.gate import without_prices
from ragsweep.rerankers.jina import Jina
from ragsweep.rerankers.none import NoReranker
from ragsweep.results import Price

M, X, LOCAL = OpenAI("m"), OpenAI("x"), Extractive()


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        (3, "prices=3: write the price of each model, of a million tokens: prices: {NAME: {input: 0.40, output: 1.60}}"),
        ({"m": 0.4}, "prices.m=0.4: write what a million tokens cost: prices: {m: {input: 0.40, output: 1.60}}"),
        ({"m": {}}, "prices.m.input: write a value for it"),
        ({"m": {"input": 1, "outputs": 2}}, "prices.m.outputs: unknown key; did you mean 'output'?"),
        ({"gpt-4.1": {"input": "x"}}, "prices.gpt-4.1.input='x': write a number"),
        (
            {"gpt-4": {"1-mini": {"input": 0.4, "output": 1.6}}},
            "prices: the dots of gpt-4.1-mini made several keys of it, and it is one: "
            "write prices: {gpt-4.1-mini: {input: 0.4, output: 1.6}}",
        ),
    ],
)
def test_what_is_no_price(prices, said):
    with pytest.raises(InputErrors) as caught:
        build_root({"prices": prices, "topk": 3})
    assert caught.value.messages == (said, "topk: unknown key; did you mean 'top_k'?")


def test_names_with_dots_are_prices():
    root = build_root({"prices": {"gpt-4.1-mini": {"input": 0.4}, "a/b:1.5": {"input": 1.0, "output": 2.0}}})
    assert root.prices == {"gpt-4.1-mini": Price(0.4), "a/b:1.5": Price(1.0, 2.0)}


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("prices.gpt-4.1-mini.input=0.4", "write 'prices={gpt-4.1-mini: {input: 0.4}}', or prices: in the experiment's file"),
        (
            "gate.cost=1",
            "gate.cost: no price is known: write what a million tokens cost, prices: {m: {input: ..., output: ...}}",
        ),
    ],
)
def test_a_mistake_is_told_before_any_work(ask_all, model, override, said):
    ran = ask_all(override)
    assert (ran.code, ran.runs, model.chats) == (2, [], [])
    assert said in ran.err


@pytest.mark.parametrize(
    ("parts", "prices", "models"),
    [
        ([{"generator": M}], {}, "m"),
        ([{"generator": M}], {"m": Price(1.0)}, ""),
        ([{"generator": M, "reranker": Jina("j")}], {"m": Price(1.0)}, "j"),
        ([{"generator": M, "reranker": Jina("j")}], {}, "j m"),
        ([{"generator": M}, {"generator": X}], {"x": Price(1.0)}, ""),
        ([{"generator": M}, {"generator": X}], {"y": Price(1.0)}, "m x"),
        ([{"generator": M}, {"generator": LOCAL}], {}, ""),
        ([{"rag_type": Search(), "generator": None}], {}, ""),
    ],
)
def test_a_limit_of_cost_needs_a_setup_whose_models_have_prices(make_setup, parts, prices, models):
    """One of several that has them, or asks no server, can reach it: which is the best is not known before."""
    setups = [make_setup(**{"rag_type": Search(), "reranker": NoReranker(), **each}) for each in parts]
    said = without_prices({"cost": 1.0}, setups, prices)
    shown = ", ".join(f"{model}: {{input: ..., output: ...}}" for model in models.split())
    assert said == (
        [f"gate.cost: no price is known: write what a million tokens cost, prices: {{{shown}}}, or leave it out"]
        if models
        else []
    )
    assert without_prices({"recall": 0.9}, setups, prices) == []
