"""Language models behind servers as generators: what they are told, what their replies mean, what they cost, how they fail."""

import csv
import json

import pytest

from ragsweep.generators import REFUSAL
from ragsweep.generators.anthropic import Anthropic
from ragsweep.generators.ollama import Ollama
from ragsweep.generators.openai import OpenAI
from ragsweep.models.calls import recorded
from ragsweep.setups import describe, identity, restore
from ragsweep.steps import Steps
from scripted_server import Reply

from .conftest import decided, said


def records(ran):
    (path,) = ran.runs[0].rglob("records.jsonl")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def rows(ran, name):
    with (ran.runs[0] / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def generate(model, index, vectors):
    """The answer to a question over the first ``chunks`` chunks of the small index."""

    def answer(*places, make=OpenAI, **fields):
        generator = make(model="m", base_url=model.url, **fields)
        return generator.generate(index, "How many days?", vectors, [index.hit(place, 1.0) for place in places or (2, 0)])

    return answer


# ---- what is sent ------------------------------------------------------------------------------------------------------


def test_passages_are_numbered_and_fenced_by_a_mark_that_they_cannot_hold(generate, model):
    generate(0, 2)
    first, second = model.prompt().split("\n\n")[:2]
    mark = first.partition(" ")[0].removeprefix("<")
    assert first == f'<{mark} number=1 source="leave.md">\nStaff have 25 days of leave.\n</{mark}>'
    assert second.startswith(f'<{mark} number=2 source="remote.md">\n')
    assert model.prompt().endswith("\n\nQuestion: How many days?")
    generate(0, 3)
    assert mark not in model.prompt(), "another text has another mark, so that a document cannot write it"
    assert "Staff have" not in model.system(), "no text of a document is an instruction"


def test_settings_and_extra_fields_are_sent_and_null_takes_one_away(generate, model):
    generate(seed=7, max_tokens=99, temperature=0.5, extra={"top_p": 0.9, "temperature": None})
    body = model.chats[-1].json
    assert (body["model"], body["seed"], body["max_tokens"], body["top_p"]) == ("m", 7, 99, 0.9)
    assert "temperature" not in body
    assert "response_format" not in body


def test_anthropic_is_asked_in_its_own_shape(generate, model, monkeypatch):
    model.answer = lambda request: Reply(
        body={
            "content": [{"type": "text", "text": "ANSWERABLE: yes\n25 [2]"}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 900, "output_tokens": 5},
        }
    )
    with recorded() as calls:
        assert generate(0, 2, make=Anthropic).cited == (2,)
    assert (model.chats[0].path, calls[0].input_tokens) == ("/v1/messages", 900)


# ---- what a reply means ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "text", "status", "cited"),
    [
        (said("ANSWERABLE: yes\n25 days [1]."), "25 days [1].", "answered", (2,)),
        (said("**Answerable: YES**\n\n25 [2][1], 30 [2]"), "25 [2][1], 30 [2]", "answered", (0, 2)),
        (said("answerable: yes 25 days [1]"), "25 days [1]", "answered", (2,)),
        (said("25 days [7] [0] [1, 2]."), "25 days [7] [0] [1, 2].", "answered", (2, 0)),
        (said("ANSWERABLE: no\nI do not know, but see [2]."), "I do not know, but see [2].", "abstained", (0,)),
        (said("ANSWERABLE: no"), REFUSAL, "abstained", ()),
        (said(REFUSAL), REFUSAL, "abstained", ()),
        (said(f"ANSWERABLE: yes\n{REFUSAL}"), REFUSAL, "answered", ()),
        (said("ANSWERABLE: yes\n25 da", end="length"), "25 da", "cut", ()),
        (said(""), "", "empty", ()),
        (said("ANSWERABLE: yes\n"), "", "empty", ()),
        (said("<think>25?</think>"), "", "empty", ()),
        (said("<think>25?", end="length"), "", "cut", ()),
        (said("<think>no: 1?</think>ANSWERABLE: yes\n25 [1]"), "25 [1]", "answered", (2,)),
        (said("", refusal="I cannot help with that."), "I cannot help with that.", "abstained", ()),
        (said("", end="content_filter"), REFUSAL, "abstained", ()),
        (said("Answerable questions are answered on page 1."), "Answerable questions are answered on page 1.", "answered", ()),
    ],
)
def test_a_reply(generate, model, reply, text, status, cited):
    model.answer = lambda request: reply
    answer = generate()
    assert (answer.text, answer.status, answer.cited) == (text, status, cited)


def test_without_chunks_nothing_is_asked(index, vectors, model):
    answer = OpenAI("m", model.url).generate(index, "?", vectors, [])
    assert (answer.text, answer.abstained, model.chats) == (REFUSAL, True, [])


# ---- decisions ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "parts", "unusable"),
    [
        (decided(parts=["how many", " who "]), ("how many", "who"), False),
        (said('Sure:\n```json\n{"parts": ["how many", "how many"]}\n```'), ("how many",), False),
        (decided(parts=list("abcdef")), ("a", "b", "c", "d"), False),
        (said('{"note": 1} {"parts": ["a"]}'), ("a",), False),
        (decided(parts=[]), ("q",), True),
        (decided(parts="a"), ("q",), True),
        (decided(parts=[1, None]), ("q",), True),
        (said('{"parts": ["a"'), ("q",), True),
        (said("a and b"), ("q",), True),
        (said(""), ("q",), True),
    ],
)
def test_parts(model, reply, parts, unusable):
    model.answer = lambda request: reply
    with recorded() as (calls):
        assert OpenAI("m", model.url).route("q") == parts
    assert [call.unusable for call in calls] == [unusable]
    schema = model.chats[-1].json["response_format"]["json_schema"]["schema"]
    assert (schema["required"], schema["additionalProperties"]) == (["parts"], False)


@pytest.mark.parametrize(
    ("reply", "sufficient", "unusable"),
    [
        (decided(sufficient=True), True, False),
        (decided(sufficient=False), False, False),
        (decided(sufficient="No"), False, False),
        (decided(sufficient=None), True, True),
        (decided(sufficient=0), True, True),
        (said("They do not suffice."), True, True),
    ],
)
def test_a_check(model, index, vectors, reply, sufficient, unusable):
    model.answer = lambda request: reply
    with recorded() as calls:
        assert OpenAI("m", model.url).check(index, "q", vectors, [index.hit(0, 1.0)]) is sufficient
    assert [call.unusable for call in calls] == [unusable]


@pytest.mark.parametrize(
    ("reply", "query", "unusable"),
    [
        (decided(query=" leave days "), "leave days", False),
        (decided(query="  "), "q", True),
        (decided(query=3), "q", True),
        (said("leave days"), "q", True),
    ],
)
def test_a_rewrite(model, reply, query, unusable):
    model.answer = lambda request: reply
    with recorded() as calls:
        assert OpenAI("m", model.url).rewrite("q", 2) == query
    assert [call.unusable for call in calls] == [unusable]
    assert "Attempt: 2" in model.prompt(), "each attempt asks something else, at temperature 0 too"


# ---- identity ----------------------------------------------------------------------------------------------------------


def test_where_a_model_is_and_what_a_call_may_take_are_in_no_identity(model):
    one = OpenAI("m", model.url, seed=1)
    other = OpenAI("m", "http://elsewhere:9/v1", key_env="MY_KEY", seed=1)
    assert identity(one) == identity(other)
    assert identity(one) != identity(OpenAI("m", model.url, seed=2))
    assert identity(one)["model"] == "m"


def test_an_ollama_model_is_known_by_its_digest(model):
    one = Ollama("m", model.url).ready()
    assert identity(one)["digest"] == model.digest
    model.digest = "cd" * 32
    assert identity(Ollama("m", model.url).ready()) != identity(one)
    assert restore(describe(one)) == one, "a job of a frozen plan asks for no digest again"


# ---- a run -------------------------------------------------------------------------------------------------------------


def test_a_run_counts_calls_tokens_and_cost(ask_all, project):
    project.experiment("dataset: {files: docs, questions: questions.json}\nprices: {m: {input: 1.0, output: 10.0}}\n")
    ran = ask_all("experiment=mine", "top_n=1")
    assert ran.code == 0, ran.err
    (row,) = rows(ran, "report.csv")
    assert (row["calls"], row["tokens"], row["input_tokens"], row["output_tokens"]) == ("3", "960", "900", "60")
    assert float(row["cost"]) == pytest.approx((900 * 1 + 60 * 10) / 1e6)
    assert "generator.model=m" in ran.out
    assert [name for name in ("calls", "input_tokens") if name in rows(ran, "questions.csv")[0]] == ["calls", "input_tokens"]
    report = json.loads((ran.runs[0] / "report.json").read_text("utf-8"))
    assert set(report["setups"][0]["run"]["step_seconds"]) == {"retrieve", "rerank", "generate"}


def test_each_setup_of_a_merged_report_costs_by_the_prices_of_its_own_run(ask_all, project):
    folders = []
    for top_n, price in ((1, 1.0), (2, 5.0)):
        project.experiment(
            f"dataset: {{files: docs, questions: questions.json}}\nprices: {{m: {{input: {price}}}}}\n", f"mine{top_n}"
        )
        folders = ask_all(f"experiment=mine{top_n}", f"top_n={top_n}").runs
    merged = project("collect", *map(str, folders), "--json")
    costs = {setup["name"]: setup["cost"] for setup in json.loads(merged.out)["setups"]}
    assert costs == {"top_n=1": pytest.approx(900 / 1e6), "top_n=2": pytest.approx(900 * 5 / 1e6)}


@pytest.mark.parametrize(
    ("tokens", "prices", "cost", "shown"),
    [
        ((300, 20), "{}", "", "960"),
        ((300, 20), "{m: {input: 1}}", "0.0009", "960"),
        ((300, 20), "{other: {input: 1}}", "", "960"),
        (None, "{m: {input: 1}}", "", ""),
    ],
)
def test_what_is_not_known_is_not_shown_as_nothing(ask_all, project, model, tokens, prices, cost, shown):
    model.answer = lambda request: said("ANSWERABLE: no", tokens=tokens)
    project.experiment(f"dataset: {{files: docs, questions: questions.json}}\nprices: {prices}\n")
    (row,) = rows(ask_all("experiment=mine"), "report.csv")
    assert (row["calls"], row["tokens"], row["cost"]) == ("3", shown, cost)


def test_a_server_that_fails_for_good_fails_the_question_and_the_rest_finishes(ask_all, model):
    def answer(request):
        failing = "Who approves" in request.json["messages"][1]["content"]
        return Reply(400, body={"error": "no such thing"}) if failing else said("ANSWERABLE: no")

    model.answer = answer
    ran = ask_all()
    assert ran.code == 1
    statuses = {record["question"]: record["status"] for record in records(ran)}
    assert sorted(statuses.values()) == ["abstained", "abstained", "failed"]
    (failed,) = [record for record in records(ran) if record["status"] == "failed"]
    assert "answered 400" in failed["error"]
    assert failed["steps"][-1]["calls"][0]["failure"] == "request", "what a failed question took is on record too"
    assert "calls that failed: simple + word: 1 request" in ran.out
    (row,) = rows(ran, "report.csv")
    assert (row["n_ok"], row["calls"], row["tokens"]) == ("2", "3", "640")


def test_statuses_of_replies_are_counted(ask_all, model):
    said_of = {
        "How many": said("ANSWERABLE: yes\n25", end="length"),
        "Who": said(""),
        "Is there": said("ANSWERABLE: yes\nA gym.", tokens=(4096, 9)),
    }
    model.answer = lambda request: next(reply for key, reply in said_of.items() if key in model.prompt())
    (row,) = rows(ask_all(), "report.csv")
    assert (row["cut"], row["empty"], row["truncated"], row["answered"]) == ("1", "1", "1", "0.0")
    assert len(model.chats) == 3, "none of them is asked for again (FAULTS F18)"


def test_a_prompt_over_the_window_is_not_sent(ask_all, model):
    ran = ask_all("generator.window=100")
    assert model.chats == []
    assert all("window of m 100" in record["error"] for record in records(ran))


def test_a_prompt_of_the_experiment_is_sent_and_changes_the_setup(ask_all, project, model):
    folder = project.experiment("dataset: {files: docs, questions: questions.json}\n")
    (folder / "mine.txt").write_text("Be brief, ümläut.\n", encoding="utf-8")
    asked = ["experiment=mine", "generator.prompts.answer=answer.txt,mine.txt"]
    ran = ask_all(*asked)
    assert "mine.txt" in ran.out, "a prompt is called by its file"
    assert {"Be brief, ümläut."} < {model.system(place) for place in range(len(model.chats))}
    ids = {setup["name"]: setup["id"] for setup in json.loads((ran.runs[0] / "report.json").read_text("utf-8"))["setups"]}
    (folder / "mine.txt").write_text("Be long.\n", encoding="utf-8")
    again = ask_all(*asked)
    others = {setup["name"]: setup["id"] for setup in json.loads((again.runs[0] / "report.json").read_text("utf-8"))["setups"]}
    assert [name for name in ids if ids[name] != others[name]] == [name for name in ids if "mine" in name]


@pytest.mark.parametrize(
    ("override", "said_of_it"),
    [
        ("generator.prompts.answer=lost.txt", "generator.prompts: prompts.answer=lost.txt: there is no such text file"),
        ("generator.model=null", "generator.model: write a value for it"),
        ("generator.base_url=localhost", "is no http or https address"),
        ("generator.key_env=NO_SUCH_KEY", "the environment variable NO_SUCH_KEY is not set; write export NO_SUCH_KEY="),
        ("generator.max_tokens=0", "max_tokens=0 must be 1 or more"),
        ("generator.temperature=3", "temperature=3.0 must be from 0 to 2"),
        ("generator.limits.deadline=0", "deadline=0.0 must be over 0"),
        ("generator.limts.deadline=5", "generator.limts"),
        ("+prices.m.input=x", "prices"),
    ],
)
def test_a_mistake_is_told_before_any_work(ask_all, model, override, said_of_it):
    ran = ask_all(override)
    assert ran.code == 2
    assert said_of_it in ran.err
    assert ran.runs == [] and model.chats == []


@pytest.mark.parametrize("digest", ["other:latest", None])
def test_a_model_that_ollama_has_not_is_told_before_any_work(ask_all, model, digest):
    ran = ask_all("generator.model=gemma9", generator="ollama")
    assert ran.code == 2
    assert "generator: " in ran.err and "run ollama pull gemma9" in ran.err


# ---- the plan ----------------------------------------------------------------------------------------------------------


def test_the_plan_gives_calls_tokens_and_cost_and_calls_nothing(ask_all, project, model):
    project.experiment("dataset: {files: docs, questions: questions.json}\nprices: {m: {input: 1.0, output: 10.0}}\n")
    ran = ask_all("experiment=mine", "rag_type=simple,adaptive", command="plan")
    (line,) = [line for line in ran.out.splitlines() if line.startswith("  m: ")]
    # simple: 3 answers; adaptive: 3 of route, check and answer each, at most 2 checks and 2 rewrites more a question
    assert "m: 12 to 24 calls, about " in line
    most = int(line.split(" to ")[2].split(" ")[0].replace(",", ""))
    assert line.endswith(f"out, at most {(most * 1 + 24 * 1024 * 10) / 1e6:.4f} by its price")
    assert "at most 24,576 out" in line
    assert model.chats == []


def test_the_estimate_is_near_what_is_sent(ask_all, model):
    line = next(line for line in ask_all(command="plan").out.splitlines() if line.startswith("  m: 3 calls"))
    estimate = int(line.split("about ")[1].split(" ")[0].replace(",", ""))
    ask_all()
    sent = sum(len(model.system(place) + model.prompt(place)) / 4 for place in range(3))
    assert 0.8 < estimate / sent < 1.25


# ---- time --------------------------------------------------------------------------------------------------------------


def test_waiting_is_no_service_time(make_steps, model):
    model.answer = lambda request: said("ANSWERABLE: no") if len(model.chats) > 1 else Reply(429, headers={"Retry-After": "1"})
    steps: Steps = make_steps(generator=OpenAI("m", model.url, window=4096))
    steps.generate("How many?", [steps.index.hit(0, 1.0)])
    (step,) = steps.taken
    (call,) = step.calls
    assert (call.retries, call.waited >= 1.0) == (1, True)
    assert call.seconds <= step.seconds < 1.0
