"""retriever=http beside our own: one table, one rule for contexts, and nothing claimed that nobody knows."""

import csv
import json

import pytest
import yaml

from ragsweep.config.door import build
from ragsweep.evaluation.records import from_dict, to_dict
from ragsweep.setups import Setup, component_class
from scripted_server import Reply, scripted

DAYS, DATES, GYM = "How many days of leave?", "Who approves the dates?", "Is there a gym?"
WHOSE = ["--files", "docs", "--questions", "questions.json", "n_jobs=1", "rag_type=search"]
RIGHT = {DAYS: "Staff have 25 days of leave.", DATES: "Your manager approves the dates."}
CONTEXTS = {
    DAYS: [{"text": RIGHT[DAYS], "source": "leave.md", "score": 2.5}, "A summary of its own."],
    DATES: ["A summary of its own.", {"text": "You may work abroad", "source": "remote.md"}, RIGHT[DATES]],
    GYM: [],
}


@pytest.fixture
def system():
    """A system that returns these contexts, by the path and the question; ``asked`` are the requests."""

    def answer(request):
        server.asked.append(request)
        found = server.contexts.get(request.path, CONTEXTS)
        return found if isinstance(found, Reply) else Reply(body={"contexts": found[request.json["question"]]})

    with scripted(answer) as server:
        server.asked, server.contexts = [], {}
        yield server


def table(folder):
    with (folder / "report.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_it_is_swept_beside_our_own_and_asked_each_question_once(project, system):
    http = f"retriever.base_url={system.url}/search"
    ran = project("run", *WHOSE, "retriever=bm25,http", http, "chunker=word,sentence", "chunk_size=8,16", "top_k=3", "top_n=2")
    assert ran.code == 0, ran.err
    assert sorted(request.json["question"] for request in system.asked) == sorted(CONTEXTS)
    assert {(request.path, request.json["k"]) for request in system.asked} == {("/search", 3)}
    (run,) = ran.runs
    found = {row["setup"]: row for row in table(run)}
    row = found["http"]
    assert len(found) == 4 + 1, "what differs in chunks alone is one setup"
    assert (row["recall"], row["mrr"], row["calls"], row["n_ok"], row["words"]) == ("0.5", "0.5", "3", "3", "6.666667")
    assert (row["chunks"], row["reachable_recall"], row["median_words"], row["dense_recall"]) == ("",) * 4
    said = json.loads((run / "report.json").read_text("utf-8"))
    assert {bound["chunking"] for bound in said["floors"]}.isdisjoint({"", "http"})
    assert "http: not known: chunking, embedding\n" in ran.out
    assert "http: 2 of 5 contexts are nowhere in the documents: each keeps its rank, and matches at most" in ran.out
    assert project("resume", str(run)).code == 0 and len(system.asked) == 3


def test_no_system_wins_by_what_is_nowhere_by_copies_or_by_more_than_was_asked_for(project, system):
    """Dropping what is nowhere would crown the first, leaving out copies the second, keeping all the third, and a mean over
    the questions that ran the fourth; each has the evidence behind top_n."""
    project.questions([{"id": text, "question": text, "expected": [quote]} for text, quote in RIGHT.items()])
    wrong = {"text": "You may work abroad", "source": "remote.md"}
    behind = {
        "/nowhere": ["Of its own.", "It too."],
        "/copies": [wrong, wrong],
        "/deep": [wrong, "Unused days lapse"],
    }
    for path, before in behind.items():
        system.contexts[path] = {question: [*before, RIGHT[question]] for question in RIGHT}
    system.contexts["/flaky"] = {DAYS: [RIGHT[DAYS]]}  # no reply to the others: the connection ends
    system.contexts["/steady"] = {DAYS: [wrong, RIGHT[DAYS]], DATES: [wrong, RIGHT[DATES]]}
    urls = ",".join(f"{system.url}{path}" for path in system.contexts)
    ran = project(
        "run", *WHOSE, "retriever=http", f"retriever.base_url={urls}", "retriever.limits.retries=0", "top_k=2", "top_n=2"
    )
    found = {row["retriever.base_url"].rpartition("/")[2]: row for row in table(ran.runs[0])}
    recalls = {name: float(row["recall"]) for name, row in found.items()}
    assert recalls == {"nowhere": 0.0, "copies": 0.0, "deep": 0.0, "flaky": 0.5, "steady": 1.0}
    assert found["flaky"]["n_ok"] == "1" and ran.code == 1
    assert found["copies"]["context_copies"] == "2"
    assert ran.out.count("2 searches brought more than k=2 contexts: the first 2 count") == 3


def test_its_row_is_that_of_the_same_system_recorded(project, system):
    """But for what is known of a system that ran here: its steps and seconds."""
    ran = project("run", *WHOSE, "retriever=http", f"retriever.base_url={system.url}/search", "top_k=3", "top_n=2")
    assert project("record", f"{system.url}/search", "theirs.jsonl", *WHOSE, "top_k=3").code == 0
    assert project("collect", str(ran.runs[0]), "theirs.jsonl").code == 0
    ours, theirs = table(project.root / "outputs/collected/latest")
    differing = {key for key in ours if ours[key] != theirs[key] and not key.endswith("_s")}
    assert (ours["recall"], ours["character_precision"]) == ("0.5", theirs["character_precision"])
    assert {key for key in differing if ours[key] and theirs[key]} == {"setup"}, "what both have is equal"
    assert not any(theirs[key] for key in differing if not ours[key]), "nothing is known of a recording alone"


def test_a_generator_reads_what_it_returned_and_the_trace_says_what_is_nowhere(project, system):
    said = {"choices": [{"message": {"content": "ANSWERABLE: yes\n25 days [1]."}, "finish_reason": "stop"}]}
    system.contexts["/v1/chat/completions"] = Reply(body=said)
    system.contexts["/v1/models"] = Reply(body={"data": [{"id": "m", "max_model_len": 4096}]})
    model = ["generator=openai", "generator.model=m", f"generator.base_url={system.url}/v1", "rag_type=simple"]
    http = ["retriever=http", f"retriever.base_url={system.url}/search", "retriever.model=ours", "top_n=2"]
    ran = project("run", *WHOSE[:-1], *model, *http)
    assert ran.code == 0, ran.err
    prompts = [request.json["messages"][-1]["content"] for request in system.asked if "chat" in request.path]
    assert ["A summary of its own." in prompt for prompt in prompts] == [True, True], "and none where nothing came"
    (folder,) = (path.parent for path in ran.runs[0].glob("*/records.jsonl"))
    rows = {row["question"]: row for row in map(json.loads, (folder / "records.jsonl").read_text("utf-8").splitlines())}
    assert (rows[DAYS]["answer"]["cited"], rows[DAYS]["outside"]) == ([0], {"": "\nA summary of its own."})
    assert (rows[GYM]["status"], "outside" in rows[GYM]) == ("abstained", False)
    kept = {key: value for key, value in rows[DATES].items() if key not in ("key", "attempt")}
    assert to_dict(from_dict(json.loads(json.dumps(kept)), {"leave.md", "remote.md"}))["outside"] == kept["outside"]
    asked = project("ask", "--setup", f"{ran.runs[0]}:simple", "--question-id", "q1", "--trace")
    assert "context 1 leave.md (2.500), context 2 nowhere; 1 of 2 contexts are nowhere in the documents" in asked.out
    assert "[1] leave.md characters 0 to 28" in asked.out
    assert "verdict: given and answered, cited (leave.md)" in asked.out


def test_a_file_alone_fails_what_has_to_read_it_and_nothing_else(project, system):
    system.contexts["/search"] = {DAYS: [{"source": "leave.md"}], DATES: [RIGHT[DATES]], GYM: []}
    http = ["retriever=http", f"retriever.base_url={system.url}/search"]
    (row,) = table(project("run", *WHOSE, *http).runs[0])
    assert (row["recall"], row["words"], row["context_precision"], row["n_ok"]) == ("1.0", "", "", "3")
    read = project("run", *WHOSE, *http, "context_words=50")
    (row,) = table(read.runs[0])
    assert (row["recall"], row["n_ok"], read.code) == ("0.5", "2", 1)
    assert "InputError: context 1 names a file alone, so there is nothing to read" in read.err


def test_two_setups_are_compared_question_by_question(project, system):
    ran = project("run", *WHOSE, "retriever=bm25,http", f"retriever.base_url={system.url}/search", "top_n=2")
    shown = project("diff", f"{ran.runs[0]}:bm25", "http", "--only", "lost")
    assert "B won 0, lost 1, changed 0, same 2" in shown.out
    said = " ".join(line[41:].strip() for line in shown.out.splitlines() if len(line) > 41)
    assert "[1] a text that is nowhere in the documents" in said and "documents (0.000)" not in said
    assert "| A summary of its own." in said and "[2] remote.md characters 0 to 19" in said


def test_what_failed_is_asked_again_and_another_name_asks_anew(project, system):
    system.contexts["/search"] = {DAYS: [RIGHT[DAYS]], GYM: []}
    http = ["retriever=http", f"retriever.base_url={system.url}/search", "retriever.limits.retries=0"]
    ran = project("run", *WHOSE, *http)
    assert ran.code == 1 and len(system.asked) == 3
    system.contexts.clear()
    assert project("resume", str(ran.runs[0])).code == 0
    assert [request.json["question"] for request in system.asked[3:]] == [DATES]
    again = project("run", *WHOSE, *http, "retriever.model=ours-2")
    assert len(system.asked) == 7 and project("collect", *map(str, {*ran.runs, *again.runs})).code == 0
    assert {row["retriever.model"] for row in table(project.root / "outputs/collected/latest")} == {
        f"{system.url}/search",
        "ours-2",
    }


def test_one_name_for_two_addresses_is_a_mistake(project):
    """One would stand for both, and the other not be asked."""
    urls = "http://127.0.0.1:9/none,http://127.0.0.1:9/search"
    own = ["retriever=http", f"retriever.base_url={urls}", "retriever.model=ours"]
    ran = project("plan", *WHOSE, *own)
    said = "retriever.base_url: http://127.0.0.1:9/none and http://127.0.0.1:9/search have one name, retriever.model=ours"
    assert (ran.code, said in ran.err, "only the first would be asked" in ran.err) == (2, True, True)
    assert project("plan", *WHOSE, *own[:2]).code == 0
    served = ["generator=openai", f"generator.base_url={urls}", "generator.model=m", "generator.window=4096", "rag_type=simple"]
    assert "generator.base_url: http" in project("plan", *WHOSE[:-1], *served).err


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        ({DAYS: [RIGHT[DAYS], "Its own."]}, 0, "with 2 contexts, 1 of them found in the documents"),
        ({DAYS: []}, 0, "with 0 contexts\n"),
        ({DAYS: [{"source": "x.md"}]}, 1, "with 1 context, and none is in the documents: 1 of 1 contexts name a file alone"),
        (Reply(404), 1, "answered 404"),
        (Reply(body={}), 1, "no contexts"),
    ],
)
def test_doctor_asks_it(project, system, reply, code, said):
    system.contexts["/search"] = reply
    ran = project("doctor", *WHOSE, "retriever=http", f"retriever.base_url={system.url}/search", "retriever.model=ours")
    assert (ran.code, said in ran.out) == (code, True)
    assert f"retriever http, ours at {system.url}/search: " in ran.out
    assert [request.json for request in system.asked] == [{"question": DAYS, "k": 30}]


def options(conf, group):
    """Each option of a group with a part of it, whatever it would need."""
    for path in sorted((conf / group).glob("*.yaml")):
        written = yaml.safe_load(path.read_text("utf-8").replace("${language}", "english"))
        cls = component_class(written.pop("_target_"))
        known = {"model": "m", "base_url": "http://localhost:1"} if "base_url" in written else {}
        values = {key: value for key, value in written.items() if value is not None and key != "prompts"}
        yield path.stem, build(cls, {**values, **known})


@pytest.mark.parametrize("group", ["reranker", "generator"])
def test_parts_that_need_our_chunks_are_refused_and_those_that_read_texts_are_not(pytestconfig, group):
    conf = pytestconfig.rootpath / "conf"
    (http,) = (part for name, part in options(conf, "retriever") if name == "http")
    parts = {"chunker": None, "embedder": None, "retriever": http, "rag_type": dict(options(conf, "rag_type"))["simple"]}
    parts |= {"reranker": dict(options(conf, "reranker"))["none"], "generator": None}
    said = {
        name: Setup.of({**parts, group: part}, top_k=9, top_n=5, dedupe=1.0).impossible for name, part in options(conf, group)
    }
    refused = {"reranker": {"blend", "mmr", "overlap"}, "generator": {"extractive"}}[group]
    assert {name for name, problems in said.items() if problems} == refused
    assert all(
        problems[0].startswith(f"{group}: ") and " needs " in problems[0] and "write r" in problems[0]
        for problems in said.values()
        if problems
    )


def test_mistakes_before_any_work_and_combinations_left_out(project):
    http = ["retriever=bm25,http", "retriever.base_url=http://127.0.0.1:1/x"]
    left = project("plan", *WHOSE, *http, "reranker=none,blend", "on_invalid=skip")
    assert left.code == 0 and "3 combinations, 3 setups" in left.out
    assert (
        "left out: retriever=http reranker=blend: reranker: Blend needs bm25 and vectors of chunks that ragsweep cuts"
        in left.out
    )
    alone = project("plan", *WHOSE, "retriever=http")
    assert alone.code == 2 and alone.err.startswith("1 mistake found before any work:\n  retriever.base_url: write a value")
