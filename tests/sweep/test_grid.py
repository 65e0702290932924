"""From axes to combinations."""

from ragsweep.sweep.grid import expand


def asked(*given, **named):
    return [(combination.name, dict(combination.asked)) for combination in expand(*given, **named)]


def test_the_last_axis_changes_first():
    assert asked({"a": [1, 2], "b": [3, 4, 5]}, {}) == [
        (None, {"a": a, "b": b}) for a, b in [(1, 3), (1, 4), (1, 5), (2, 3), (2, 4), (2, 5)]
    ]


def test_without_axes_one_combination():
    assert asked({}, {}) == [(None, {})]
    assert asked({}, {"top_k": 3}) == [(None, {"top_k": 3})]


def test_an_empty_axis_leaves_nothing():
    assert asked({"a": [1], "b": []}, {}) == []


def test_named_setups_stand_behind_the_grid_and_know_no_axis_of_it():
    named = [{"name": "x", "chunker": "page"}, {"name": "y", "a": 9}]
    assert asked({"a": [1, 2]}, {}, named) == [(None, {"a": 1}), (None, {"a": 2}), ("x", {"chunker": "page"}), ("y", {"a": 9})]


def test_named_setups_alone():
    assert asked({}, {}, [{"name": "x", "a": 1}], mode=None) == [("x", {"a": 1})]


def test_the_command_line_lies_over_both():
    assert asked({"a": [1, 2]}, {"b": 7}, [{"name": "x", "a": 3, "b": 4}]) == [
        (None, {"a": 1, "b": 7}),
        (None, {"a": 2, "b": 7}),
        ("x", {"a": 3, "b": 7}),
    ]


def test_one_at_a_time_changes_one_value_of_the_baseline():
    axes = {"a": [1, 2, 3], "b": ["x", "y"]}
    assert [one for _, one in asked(axes, {"c": 0}, [], mode="one_at_a_time")] == [
        {"a": 1, "b": "x", "c": 0},
        {"a": 2, "b": "x", "c": 0},
        {"a": 3, "b": "x", "c": 0},
        {"a": 1, "b": "y", "c": 0},
    ]
