"""Hydra's grammar on the command line, and an experiment's sweep under it."""

import pytest

from ragsweep.config.overrides import Overrides, merge, parse


@pytest.mark.parametrize(
    ("argument", "fixed", "axes"),
    [
        ("top_k=5", {"top_k": 5}, {}),
        ("+top_k=5", {"top_k": 5}, {}),
        ("++top_k=5", {"top_k": 5}, {}),
        ("top_k='5'", {"top_k": "5"}, {}),
        ("top_k=5.0", {"top_k": 5.0}, {}),
        ("top_n=null", {"top_n": None}, {}),
        ("dedupe=off", {"dedupe": "off"}, {}),
        ("dedupe=false", {"dedupe": False}, {}),
        ("store.dir=my store", {"store.dir": "my store"}, {}),
        ("store.dir='a, b=c'", {"store.dir": "a, b=c"}, {}),
        ('store.dir="it\'s"', {"store.dir": "it's"}, {}),
        ("dataset.files=[a,'b, c']", {"dataset.files": ["a", "b, c"]}, {}),
        ("retriever.bm25={k1:2,language:'english'}", {"retriever.bm25": {"k1": 2, "language": "english"}}, {}),
        ("chunker=word,page", {}, {"chunker": ["word", "page"]}),
        ("+chunk_size=60,90", {}, {"chunk_size": [60, 90]}),
        ("chunk_size=choice(60,90)", {}, {"chunk_size": [60, 90]}),
        ("chunk_size=range(1,4)", {}, {"chunk_size": [1, 2, 3]}),
        ("top_n=null,'2',2", {}, {"top_n": [None, "2", 2]}),
        ("chunker.separators=[a,b],[c]", {}, {"chunker.separators": [["a", "b"], ["c"]]}),
    ],
)
def test_values_and_axes(argument, fixed, axes):
    # repr tells 5 from 5.0 and "5".
    assert repr(parse([argument])) == repr((Overrides(fixed, axes), []))


NO_VALUE = "holds no value; write range(first,end,step) with its end behind its first, as in range(50,101,10)"


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("range(100,50)", NO_VALUE),
        ("range(50,101,-50)", NO_VALUE),
        ("range(50,100,0)", NO_VALUE),
        ("range(0.5,0.1,0.1)", NO_VALUE),
        ("range(1,inf)", "write the three numbers of a range, as in range(50,101,10)"),
        ("range(1,nan)", "write the three numbers of a range, as in range(50,101,10)"),
        ("range(1,200000)", "holds 199,999 values, and a sweep may have 10,000 combinations; write a larger step"),
        ("range(0,1e300)", "holds 1,000,000,000,000,000,000,000,000,"),
        ("interval(1,9)", "write the values of an axis one by one, top_k=1,2,3, or top_k=range(1,4)"),
        ("glob(*)", "glob chooses options of a part, such as chunker; write the values one by one"),
        ("shuffle(1,2)", "the order of rows would change from run to run; write top_k=... without shuffle"),
        ("shuffle(range(1,9))", "the order of rows would change from run to run; write top_k=... without shuffle"),
    ],
)
def test_no_axis_on_the_command_line_is_none_in_a_file(written, says):
    (_, (here,)), (_, (there,)) = parse([f"top_k={written}"]), merge({"top_k": written}, Overrides())
    assert here.startswith(f"'top_k={written}': {says}")
    assert there.startswith(f"sweep.top_k={written}: {says}")


@pytest.mark.parametrize("argument", ["experiment=leave", "experiment=leave/", "experiment='leave'", "+experiment=leave"])
def test_an_experiment_may_end_with_a_slash(argument):
    assert parse([argument]) == (Overrides(experiments=("leave",)), [])


def test_what_is_written_later_wins():
    assert parse(["top_k=5", "top_k=7"])[0].fixed == {"top_k": 7}
    assert parse(["top_k=5", "top_k=6,7"])[0] == Overrides({}, {"top_k": [6, 7]})
    assert parse(["top_k=6,7", "top_k=5"])[0] == Overrides({"top_k": 5}, {})


def test_settings_of_hydra_are_left_to_hydra():
    overrides, problems = parse(["hydra.launcher.n_jobs=1", "hydra/launcher=basic", "hydra.verbose=true", "top_k=1"])
    assert overrides == Overrides(
        {"top_k": 1}, {}, hydra=("hydra.launcher.n_jobs=1", "hydra/launcher=basic", "hydra.verbose=true")
    )
    assert problems == []


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("top_k", "cannot be read; write key=value"),
        ("=5", "cannot be read; write key=value"),
        ("top_k=[1", "cannot be read; write key=value"),
        ("~chunker", "nothing can be deleted"),
        ("~top_k=30", "nothing can be deleted"),
        ("chunker@other=word", "options have one place; write chunker=..."),
        ("chunk_size=interval(1,9)", "write the values of an axis one by one, chunk_size=1,2,3, or chunk_size=range(1,4)"),
        ("chunk_size=glob(*)", "glob chooses options of a part, such as chunker; write the values one by one"),
        ("experiment=a,../b", "write the name of its folder alone"),
        ("top_k=shuffle(1,2)", "the order of rows would change from run to run"),
        ("hydra.sweep.dir=x", "where runs lie is set by RAGSWEEP_OUTPUTS: leave it out"),
        ("hydra.run.dir=x", "where runs lie is set by RAGSWEEP_OUTPUTS: leave it out"),
        ("hydra/sweeper=basic", "every run goes through ragsweep's own sweeper: leave it out"),
        ("experiment=../a", "write the name of its folder alone"),
        ("experiment=/tmp/a", "write the name of its folder alone"),
        ("experiment=a/b", "write the name of its folder alone"),
        ("experiment=..", "write the name of its folder alone"),
        ("experiment=''", "write the name of its folder alone"),
        ("dataset.files=a,b", "dataset.files cannot be swept; for several files write dataset.files=[a,b]"),
        ("n_jobs=1,2", "n_jobs cannot be swept"),
        ("report.sort=ndcg,mrr", "report.sort cannot be swept"),
        ("dataset={files:a}", "write its keys one by one"),
        ("store=here", "write its keys one by one"),
        ("sweep.chunker=[word]", "cannot be written here; an axis is key=a,b"),
        ("setups=[]", "cannot be written here"),
        ("worker.plan=x", "cannot be written here"),
        ("experiment_dir=x", "cannot be written here"),
        ("chunker=null", "write the name of an option, as in chunker=NAME"),
        ("chunker=[word,page]", "write the name of an option, as in chunker=NAME"),
        ("chunker=3", "write the name of an option, as in chunker=NAME"),
        ("hr", "cannot be read; write key=value; an experiment is experiment=hr"),
        ("experiments/hr-2/", "cannot be read; write key=value; an experiment is experiment=hr-2"),
        ("top_k", "cannot be read; write key=value in one word, without spaces"),
        ("top_k:", "cannot be read; write key=value in one word, without spaces"),
        ("=", "cannot be read; write key=value in one word, without spaces"),
        ("5", "cannot be read; write key=value, and quotes around unusual values"),
    ],
)
def test_what_cannot_be_used_is_a_message_and_the_rest_is_read(argument, says):
    overrides, (problem,) = parse([argument, "top_k=5"])
    assert overrides == Overrides({"top_k": 5})
    assert problem.startswith(f"{argument!r}: {says}")


def test_the_command_line_beats_the_sweep_of_the_file():
    sweep = {"chunker": ["word", "page"], "chunk_size": [60, 90], "top_k": [5, 6]}
    given = Overrides(fixed={"top_k": 7}, axes={"chunk_size": [10, 20], "reranker": ["none", "blend"]}, experiments=("leave",))
    axes = {"chunker": ["word", "page"], "chunk_size": [10, 20], "reranker": ["none", "blend"]}
    assert merge(sweep, given) == (Overrides({"top_k": 7}, axes, experiments=("leave",)), [])


def test_the_axes_keep_the_order_of_the_file():
    merged, _ = merge({"b": [1], "a": [2]}, Overrides(axes={"c": [3], "a": [4], "b": [5]}))
    assert list(merged.axes.items()) == [("b", [5]), ("a", [4]), ("c", [3])]


def test_a_lone_value_of_an_axis_is_one_value_and_a_list_in_a_list_is_a_value():
    merged, _ = merge({"chunker": "word", "top_n": 2, "chunker.separators": [["a", "b"], ["c"]]}, Overrides())
    assert merged.axes == {"chunker": ["word"], "top_n": [2], "chunker.separators": [["a", "b"], ["c"]]}


def test_a_value_written_twice_is_one_value_but_another_type_is_not_the_same():
    merged, _ = merge({"top_k": [60, 60, 70]}, Overrides(axes={"top_n": [1, True, 1.0, "1", 1, [1], [1]]}))
    assert repr(merged.axes) == repr({"top_k": [60, 70], "top_n": [1, True, 1.0, "1", [1]]})


def test_several_experiments_each_once():
    assert parse(["experiment=a,b/,a"]) == (Overrides(experiments=("a", "b")), [])


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("range(100,301,100)", [100, 200, 300]),
        ("range(9,4,-2)", [9, 7, 5]),
        ("range(0.2,1,0.2)", [0.2, 0.4, 0.6, 0.8]),
        ("range(1,2.5)", [1.0, 2.0]),
        ("a,b", ["a", "b"]),
        ("word", ["word"]),
        ("[a,b]", ["[a,b]"]),
        ("a=b: c", ["a=b: c"]),
    ],
)
def test_a_text_in_sweep_is_read_as_on_the_command_line(written, values):
    assert repr(merge({"key": written}, Overrides())) == repr((Overrides({}, {"key": values}), []))


def test_a_glob_waits_for_the_options():
    for given in (merge({"chunker": "glob(p*)"}, Overrides())[0], merge({}, parse(["chunker=glob(p*)"])[0])[0]):
        assert given.axes["chunker"].filter(["word", "page", "paragraph"]) == ["page", "paragraph"]
