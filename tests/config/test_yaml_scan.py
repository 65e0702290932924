"""Scalars that YAML reads as something else than what is written."""

import pytest
from omegaconf import OmegaConf

from ragsweep.config.yaml_scan import load, turned_scalars
from ragsweep.errors import InputError, InputErrors


@pytest.mark.parametrize("scalar", ["no", "No", "NO", "yes", "Yes", "on", "On", "off", "OFF"])
def test_a_truth_value(tmp_path, scalar):
    assert check(tmp_path, f"top_k: 3\nname: {scalar}") == [
        f"experiment.yaml:2: name: {scalar} is read as a truth value: write {scalar!r} in quotes for text, else true or false"
    ]


@pytest.mark.parametrize(
    ("scalar", "kind"),
    [
        ("010", "an octal number"),
        ("-007", "an octal number"),
        ("00", "an octal number"),
        ("12:30", "a number to base 60"),
        ("12:30:00", "a number to base 60"),
        ("1:30.5", "a number to base 60"),
        ("1e3", "a number with an exponent"),
        ("1E234", "a number with an exponent"),
        ("1e+3", "a number with an exponent"),
    ],
)
def test_a_number(tmp_path, scalar, kind):
    (problem,) = check(tmp_path, f"name: {scalar}")
    assert problem.startswith(f"experiment.yaml:1: name: {scalar} is read as {kind}: write {scalar!r} in quotes for text")
    assert OmegaConf.load(tmp_path / "experiment.yaml").name != scalar  # it is turned, indeed


@pytest.mark.parametrize(
    "text",
    [
        "dedupe: off",
        "dedupe: Off",
        "name: 'no'",
        'name: "010"',
        "name: |\n  no",
        "name: >-\n  12:30",
        "threshold: 1e-3",
        "top_k: 10",
        "top_k: 0",
        "x: 0.5",
        "name: 08",
        "name: nope",
        "name: no way",
        "name: 12:3x",
        "answerable: false",
        "top_n: null",
        "",
        "# no",
    ],
)
def test_what_is_read_as_it_is_written(tmp_path, text):
    assert check(tmp_path, text) == []


def test_only_dedupe_may_be_off(tmp_path):
    assert len(check(tmp_path, "dedupe: [off]\nreranker: off\nsweep: {dedupe: [off, 0.9], reranker: [off]}")) == 2


def test_every_place_is_found_lists_keys_and_nests(tmp_path):
    text = "sweep: {chunker: [word, on]}\ndataset:\n  questions:\n  - {id: 010, question: a}\nno: 3\n"
    places = [problem.partition(" is read")[0] for problem in check(tmp_path, text)]
    assert places == ["experiment.yaml:1: chunker: on", "experiment.yaml:4: id: 010", "experiment.yaml:5: no"]


@pytest.mark.parametrize("data", [b"a: [b", b"a: 1\na: 2", b"a: \xff", b"a: ${b", b"\ta: 1"])
def test_a_file_that_is_no_yaml_names_itself(tmp_path, data):
    (tmp_path / "experiment.yaml").write_bytes(data)
    with pytest.raises(InputError, match=rf"^{tmp_path.name}/experiment.yaml is not YAML: "):
        load(tmp_path / "experiment.yaml")


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path):
    (tmp_path / "experiment.yaml").write_bytes(b"\xef\xbb\xbftop_k: 3")
    assert load(tmp_path / "experiment.yaml") == {"top_k": 3}
    assert turned_scalars(tmp_path / "experiment.yaml") == []


def check(folder, text):
    (folder / "experiment.yaml").write_text(text)
    return turned_scalars(folder / "experiment.yaml")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("5: 6\non: 3", ["1: the key 5", "2: the key on"]),
        ("a:\n- b: 1\n- {null: 2}", ["3: the key null"]),
        ("a: {b: {2026-01-01: 3, 1.5: 2}}", ["1: the key 2026-01-01", "1: the key 1.5"]),
        ("[a, b]: 3", ["1: the key a list or mapping"]),
    ],
)
def test_a_key_that_is_no_text_is_a_mistake_at_every_level(tmp_path, text, lines):
    (tmp_path / "experiment.yaml").write_text(text)
    with pytest.raises(InputErrors) as error:
        load(tmp_path / "experiment.yaml")
    fix = " is no text: write a name such as top_k, or put it in quotes"
    assert list(error.value.messages) == [f"experiment.yaml:{line}{fix}" for line in lines]


def test_keys_in_quotes_and_merged_mappings_are_read(tmp_path):
    (tmp_path / "experiment.yaml").write_text("base: &base {top_k: 3}\nother: {<<: *base, '5': 6}")
    assert load(tmp_path / "experiment.yaml").other == {"top_k": 3, "5": 6}


@pytest.mark.parametrize("text", ["x: &a [*a]", "x: &a {y: *a}"])
def test_a_value_that_holds_itself_is_said_so(tmp_path, text):
    (tmp_path / "experiment.yaml").write_text(text)
    with pytest.raises(InputError, match="a value holds itself"):
        load(tmp_path / "experiment.yaml")


def test_aliases_that_stand_for_very_many_values_are_refused(tmp_path):
    lines = ["a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    (tmp_path / "experiment.yaml").write_text("\n".join(lines))
    for read in (load, turned_scalars):
        with pytest.raises(InputError, match=r"its aliases \(\*name\) stand for [\d,]+ more values, over 10,000: write out"):
            read(tmp_path / "experiment.yaml")
