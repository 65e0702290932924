"""Prices of models whose names dots took apart, and other entries that are no price: what is wrong, and what to write."""

from collections.abc import Mapping
from typing import Any

EXAMPLE = "{input: 0.40, output: 1.60}"


def price_problems(prices: Any) -> list[str]:
    """A message for each entry that is no price. Values inside one are checked as every value is."""
    if not isinstance(prices, Mapping):
        return [f"prices={prices!r}: write the price of each model, of a million tokens: prices: {{NAME: {EXAMPLE}}}"]
    found = []
    for first, entry in prices.items():
        name, price = str(first), entry
        while isinstance(price, Mapping) and price and not {"input", "output"} & price.keys():
            inner, price = next(iter(price.items()))
            name = f"{name}.{inner}"
        if name != str(first) and isinstance(price, Mapping):
            written = ", ".join(f"{key}: {value}" for key, value in price.items())
            found.append(
                f"prices: the dots of {name} made several keys of it, and it is one: write prices: {{{name}: {{{written}}}}}"
            )
        elif not isinstance(entry, Mapping):
            found.append(f"prices.{first}={entry!r}: write what a million tokens cost: prices: {{{first}: {EXAMPLE}}}")
    return found


def unreadable_price(argument: str) -> str:
    """What to write for a key that Hydra's grammar cannot read.

    >>> "write 'prices={gpt-4.1-mini: {input: " in unreadable_price("prices.gpt-4.1-mini.input=0.4")
    True
    """
    key, _, value = argument.partition("=")
    name, _, kind = key.removeprefix("prices.").rpartition(".")
    instead = f"write 'prices={{{name}: {{{kind}: {value}}}}}'" if name and ":" not in name else "write it"
    return f"{argument!r}: the name of a model is one key: {instead}, or prices: in the experiment's file"
