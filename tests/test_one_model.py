"""One module, one loop: a stand-in recites a language model's ids, the machine does the rest."""

import inspect
import json
from pathlib import Path

import pytest

pytest.importorskip("torch")
import torch  # noqa: E402

from tools.one_model.data import evaluate  # noqa: E402
from transputer.embed.one_model.machine import Library, extended, library  # noqa: E402
from transputer.embed.one_model.module import joint_network, prompt_tokens  # noqa: E402
from transputer.embed.one_model.vocabulary import KINDS  # noqa: E402
from transputer.engines.torch.joint import JointNetwork, decode  # noqa: E402
from transputer.exporters.decoded import JointVocabulary, spelled  # noqa: E402
from transputer.model import verify  # noqa: E402
from transputer.runtime.trace.sessions import new_engine  # noqa: E402

OWN = 128  # ids of text are characters
END = ord("\n")
VOCABULARY = JointVocabulary(OWN, KINDS.table(), lambda ids: "".join(map(chr, ids)))


class Recites(torch.nn.Module):
    """Says given ids, per row, whenever it may; reads everything that the language model reads."""

    def __init__(self, *scripts: list[int]) -> None:
        super().__init__()
        self.scripts = scripts
        self.read: list[list[int]] = [[] for _ in scripts]

    def cache(self, rows: int) -> None:
        return None

    def forward(self, ids: torch.Tensor, counts: torch.Tensor, cache: None) -> torch.Tensor:
        logits = torch.zeros(len(ids), OWN + KINDS.count - 1, dtype=torch.float64)
        for row, (given, count) in enumerate(zip(ids.tolist(), counts.tolist(), strict=True)):
            self.read[row] += given[:count]
            kind = max(0, given[count - 1] - OWN + 1)
            if count and (kind < KINDS.run or kind in (KINDS.done, KINDS.trap)):  # idle machine
                logits[row, self.scripts[row].pop(0) if self.scripts[row] else END] = 30.0
        return logits


@pytest.fixture(scope="module")
def routines() -> Library:
    return library()


@pytest.fixture(scope="module")
def one_model(routines: Library) -> JointNetwork:
    torch.set_num_threads(1)
    return joint_network(Recites([]), OWN, routines)


def said(*items: str) -> list[int]:
    """Ids of text (in quotes) and programs."""
    ids = []
    for item in items:
        if item[0] == "'":
            ids += map(ord, item[1:])
        else:
            ids += [OWN + kind - 1 for kind in KINDS.program(item.split())]
    return ids


def prompt_of(routines: Library, text: str = "?") -> list[list[int]]:
    return prompt_tokens(routines, OWN, list(map(ord, text)))


def ask(model: JointNetwork, routines: Library, *items: str, limit: int = 1500) -> tuple:
    """The answer to a script, and what the language model read."""
    model.tower = Recites(said(*items))
    tokens = decode(model, torch.tensor([prompt_of(routines)]), END, limit)[0]
    return VOCABULARY.read(tokens.tolist()), model.tower.read[0]


def test_a_sentence_with_a_computation_in_it(one_model: JointNetwork, routines: Library) -> None:
    answer, seen = ask(one_model, routines, "'It is ", "12 34 add show", "'.")
    assert (answer.text, answer.programs) == ("It is 46.\n", ["12 34 add show"])
    assert answer.outputs == ["46"] and answer.steps > 50 and answer.traps == 0
    # the language model read the program, the output and the end, and no machine step
    output = [OWN + KINDS.out + byte - 1 for byte in b"46"]
    assert seen == [
        *said("'?It is ", "12 34 add show"), *output, OWN + KINDS.done - 1, ord(".")]  # fmt: skip


def test_a_batch_is_its_rows(one_model: JointNetwork, routines: Library) -> None:
    """Questions of different lengths, in different towers: each row decodes as it does alone."""
    scripts = [
        ["'It says ", "3 4 less", "'."],
        ["'no machine."],
        ["5 add show", "'!", "1 2 greater", "'."],  # a trap, then a second program
    ]
    single = []
    for question, items in zip(["?", "a longer one?", "two?"], scripts, strict=True):
        one_model.tower = Recites(said(*items))
        prompt = prompt_of(routines, question)
        single.append((prompt, decode(one_model, torch.tensor([prompt]), END)[0].tolist()))
    longest = max(len(prompt) for prompt, _ in single)
    blank = [END] + [0] * (len(single[0][0][0]) - 1)
    padded = [[blank] * (longest - len(prompt)) + prompt for prompt, _ in single]
    mask = torch.tensor([[0] * (longest - len(p)) + [1] * len(p) for p, _ in single]).bool()
    one_model.tower = tower = Recites(*(said(*items) for items in scripts))
    rows = decode(one_model, torch.tensor(padded), END, mask=mask).tolist()
    for (_, alone), row in zip(single, rows, strict=True):
        assert row[: len(alone)] == alone and all(token == blank for token in row[len(alone) :])
    texts = [VOCABULARY.read(alone).text for _, alone in single]
    assert texts == ["It says yes.\n", "no machine.\n", "!no.\n"]
    assert tower.read[1] == list(map(ord, "a longer one?no machine."))


def test_two_programs_in_one_conversation(one_model: JointNetwork, routines: Library) -> None:
    """A second question continues the caches; its program is written over the first."""
    one_model.tower = tower = Recites(said("3 4 less", "'.\n", "3 4 greater", "'!"))
    cache = one_model.cache()
    first = decode(one_model, torch.tensor([prompt_of(routines)]), END, cache=cache)[0].tolist()
    turn = [first[-1], [ord("&")] + [0] * (len(first[0]) - 1)]
    second = decode(one_model, torch.tensor([turn]), END, cache=cache)[0].tolist()
    assert [VOCABULARY.read(t).text for t in (first, second)] == ["yes.\n", "no!\n"]
    machine = [t for t in first + second if _kind(t) not in (0, KINDS.done, KINDS.trap)]
    assert cache.machine.lengths == [len(routines.tokens) + len(machine)]
    assert tower.read[0].count(END) == 1


def _kind(token: list[int]) -> int:
    return max(0, token[0] - OWN + 1)


@pytest.mark.parametrize("program", ["5 add show", "show", "7 0 div show"])
def test_nonsense_traps(one_model: JointNetwork, routines: Library, program: str) -> None:
    answer, _ = ask(one_model, routines, program, "'!")
    assert (answer.text, answer.outputs, answer.traps) == ("!\n", [""], 1)


def test_weights_forbid_what_is_out_of_place(one_model: JointNetwork, routines: Library) -> None:
    """Text inside a program, an instruction outside, machine tokens that nobody computed."""
    code, add = OWN + KINDS.code - 1, OWN + KINDS.routines["add"] - 1
    one_model.tower = Recites([add, OWN + KINDS.out + 65 - 1, code, ord("x")])
    tokens = decode(one_model, torch.tensor([prompt_of(routines)]), END, 4)[0]
    kinds = [_kind(token) for token in tokens.tolist()]
    assert kinds[0] == kinds[1] == KINDS.text and kinds[2] == KINDS.code
    assert KINDS.code < kinds[3] <= KINDS.run


@pytest.mark.slow
def test_without_the_adder_sums_are_wrong_and_sentences_stay(routines: Library) -> None:
    model = joint_network(Recites([]), OWN, routines)
    right, _ = ask(model, routines, "'It is ", "12 34 add show", "'.")
    shapes = extended(routines=routines).hints["neurons"]
    for row in shapes:
        if row["group"] == "add":
            neurons = model.machine.layers[row["layer"]].neurons
            neurons.out.weight.data[row["first"] : row["first"] + row["count"]] = 0
    broken, _ = ask(model, routines, "'It is ", "12 34 add show", "'.", limit=300)
    assert right.text == "It is 46.\n"
    assert broken.text != right.text and broken.text.startswith("It is ")
    assert broken.programs == right.programs


@pytest.mark.slow
def test_the_extended_machine_is_exact_and_runs_on_native(routines: Library) -> None:
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
    for function in (decode, JointNetwork.logits, JointNetwork.forward):
        code = inspect.getsource(function).replace("  # type: ignore[untyped-decorator]", "")
        assert code.rstrip() in page


def test_programs_are_spelled_in_digits() -> None:
    assert spelled(["push", "d1", "d2", "push", "show"]) == "12 0 show"


def test_characters_of_several_pieces_are_read_whole() -> None:
    vocabulary = JointVocabulary(
        256, KINDS.table(), lambda ids: bytes(ids).decode(errors="replace")
    )
    tokens = [[byte] for byte in "é!".encode()]
    assert [event.text for event in vocabulary.events(tokens)] == ["", "é", "!"]


@pytest.mark.slow
def test_failures_are_sorted() -> None:
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


def test_the_page_has_the_measured_table() -> None:
    from tools.one_model.report import table, wrong_programs

    docs = Path(__file__).parents[1] / "docs"
    page = (docs / "one-model.md").read_text()
    rows = json.loads((docs / "one-model/results.json").read_text())["questions"]
    assert table(rows) in page and wrong_programs(rows, 4) in page
    assert not any(row["verdict"] == "wrong execution" for row in rows)
