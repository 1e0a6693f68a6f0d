"""One module, one loop: a stand-in recites a language model's ids, the machine does the rest."""

import inspect
from pathlib import Path

import pytest

pytest.importorskip("torch")
import torch  # noqa: E402

from tools.one_model.data import evaluate  # noqa: E402
from transputer.embed.one_model.machine import extended, library  # noqa: E402
from transputer.embed.one_model.module import (  # noqa: E402
    DecodedText,
    OneModel,
    decode,
    read_answer,
    spelled,
)
from transputer.embed.one_model.vocabulary import KINDS  # noqa: E402
from transputer.model import verify  # noqa: E402
from transputer.runtime.trace.sessions import new_engine  # noqa: E402

OWN = 128  # ids of text are characters
END = ord("\n")


class Recites(torch.nn.Module):
    """Says given ids whenever it may; reads everything that the language model reads."""

    own = OWN

    def __init__(self, ids: list[int]) -> None:
        super().__init__()
        self.ids, self.read = ids, list[int]()

    def forward(self, ids: torch.Tensor, past: object) -> tuple[torch.Tensor, object]:
        self.read += ids.tolist()
        logits = torch.zeros(OWN + KINDS.count - 1, dtype=torch.float64)
        kind = max(0, int(ids[-1]) - OWN + 1)
        if kind < KINDS.run or kind in (KINDS.done, KINDS.trap):  # the machine is silent
            logits[self.ids.pop(0) if self.ids else END] = 30.0
        return logits, past


class Letters:
    """A tokenizer of characters."""

    def decode(self, ids: list[int]) -> str:
        return "".join(map(chr, ids))


@pytest.fixture(scope="module")
def routines():
    return library()


@pytest.fixture(scope="module")
def one_model(routines) -> OneModel:
    torch.set_num_threads(1)
    return OneModel(Recites([]), routines)


def said(*items: str) -> list[int]:
    """Ids of text (in quotes) and programs."""
    ids = []
    for item in items:
        if item[0] == "'":
            ids += map(ord, item[1:])
        else:
            ids += [OWN + kind - 1 for kind in KINDS.program(item.split())]
    return ids


def ask(model: OneModel, *items: str, limit: int = 1500) -> tuple[DecodedText, Recites]:
    model.tower = Recites(said(*items))
    tokens = decode(model, model.prompt([ord("?")]), END, limit)
    return read_answer(tokens, OWN, Letters()), model.tower


def test_a_sentence_with_a_computation_in_it(one_model: OneModel) -> None:
    answer, tower = ask(one_model, "'It is ", "12 34 add show", "'.")
    assert (answer.text, answer.programs) == ("It is 46.\n", ["12 34 add show"])
    assert answer.steps > 50 and answer.traps == 0
    # the language model read the program, the output and the end, and no machine step
    output = [OWN + KINDS.out + byte - 1 for byte in b"46"]
    read = said("'?It is ", "12 34 add show") + output + [OWN + KINDS.done - 1, ord(".")]
    assert tower.read == read


def test_nonsense_traps(one_model: OneModel) -> None:
    answer, _ = ask(one_model, "5 add show", "'!")
    assert (answer.text, answer.traps) == ("!\n", 1)


def test_weights_forbid_what_is_out_of_place(one_model: OneModel) -> None:
    """Text inside a program, an instruction outside, machine tokens that nobody computed."""
    code, add = OWN + KINDS.code - 1, OWN + KINDS.routines["add"] - 1
    one_model.tower = Recites([add, OWN + KINDS.out + 65 - 1, code, ord("x")])
    tokens = decode(one_model, one_model.prompt([ord("?")]), END, 4)
    kinds = (tokens[:, 0] - OWN + 1).clamp(min=0).tolist()
    assert kinds[0] == kinds[1] == KINDS.text and kinds[2] == KINDS.code
    assert KINDS.code < kinds[3] <= KINDS.run


@pytest.mark.slow
def test_without_the_adder_sums_are_wrong_and_sentences_stay(routines) -> None:
    model = OneModel(Recites([]), routines)
    right, _ = ask(model, "'It is ", "12 34 add show", "'.")
    shapes = extended(routines=routines).hints["neurons"]
    for row in shapes:
        if row["group"] == "add":
            neurons = model.machine.layers[row["layer"]].neurons
            neurons.out.weight.data[row["first"] : row["first"] + row["count"]] = 0
    broken, _ = ask(model, "'It is ", "12 34 add show", "'.", limit=300)
    assert right.text == "It is 46.\n"
    assert broken.text != right.text and broken.text.startswith("It is ")
    assert broken.programs == right.programs


@pytest.mark.slow
def test_the_extended_machine_is_exact_and_runs_on_native(routines) -> None:
    model = extended(routines=routines)
    assert verify(model).largest["score"][0] < 2**53
    engine = new_engine("native", model)
    for token in routines.tokens:
        engine.append((KINDS.step, *token))
    programs = [
        "123456789 987654321 mul show", "100 7 divrem", "48 36 gcd show",
        "3 200 1000007 powmod show", "5 item 17 item 2 item list", "1 100 sum show",
        "97 prime", "91 prime", "3 4 less", "3 4 greater", "17 5 sub show", "5 17 sub show",
        "8 9 max show", "8 9 min show", "100 7 div show", "100 7 rem show",
    ]  # fmt: skip
    for program in programs:  # all in one sequence: the latest program is the one that runs
        parts = [0] * (len(model.parts) - 1)
        for kind in KINDS.program(program.split()):
            engine.append((kind, *parts))
            parts = list(engine.next()[1:])
        output = b""
        while (token := engine.step())[0] not in (KINDS.done, KINDS.trap):
            output += bytes([token[0] - KINDS.out]) if token[0] >= KINDS.out else b""
        assert token[0] == KINDS.done and output.decode() == evaluate(program)


def test_the_loop_is_all_there_is() -> None:
    source = inspect.getsource(decode)
    assert len(source.splitlines()) < 30 and "KINDS" not in source
    page = (Path(__file__).parents[1] / "docs/one-model.md").read_text()
    for function in (decode, OneModel.forward):
        code = inspect.getsource(function).replace("  # type: ignore[untyped-decorator]", "")
        assert code.rstrip() in page


def test_programs_are_spelled_in_digits() -> None:
    assert spelled(["push", "d1", "d2", "push", "show"]) == "12 0 show"


@pytest.mark.slow
def test_failures_are_sorted(routines) -> None:
    from tools.one_model.report import interval, judge, table

    texts = [("12 34 add show", "46"), ("12 34 sub show", "46"), (None, "46"), ("add", "1")]
    rows = [
        {"operation": "addition", "digits": 2, "program": p, "result": r, "bare_right": False}
        for p, r in texts
    ]
    judge(rows)
    verdicts = ["right", "wrong program", "no program", "wrong program"]
    assert [row["verdict"] for row in rows] == verdicts
    assert "| addition | 4 | 25.0 % |" in table(rows)
    low, high = interval(98, 100)
    assert 0.92 < low < 0.95 < 0.98 < high < 1
