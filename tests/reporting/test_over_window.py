"""The line under the table names the embedder where there are several."""

from dataclasses import replace

from ragsweep.reporting.tables import tables
from ragsweep.results import Report


def lines(report: Report, *embedders: dict[str, object]) -> list[str]:
    """The lines of one search setup over pages, once with each of ``embedders``."""
    [setup] = [result for result in report.results if result.setup.id == "xp"]
    results = [
        replace(setup, setup=replace(setup.setup, options={**setup.setup.options, **options}, over_window=place))
        for place, options in enumerate(embedders)
    ]
    [table] = tables(replace(report, results=results))
    return [line for line in table.below if "window" in line]


def test_embedders(report: Report) -> None:
    swept = [{"embedder": "onnx", "embedder.window": window} for window in (512, 256, 128)]
    assert lines(report, {"embedder": "minilm"}, {"embedder": "minilm"}) == [
        "over the embedder's window: 1 of 12 chunks (page)"
    ]
    assert lines(report, *swept) == [
        "over the embedder's window: 1 of 12 chunks (page, onnx, 256)",
        "over the embedder's window: 2 of 12 chunks (page, onnx, 128)",
    ]
    assert lines(report, {}, {"embedder": "minilm"}) == ["over the embedder's window: 1 of 12 chunks (page)"]
