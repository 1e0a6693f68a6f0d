"""Libraries, stated help, the gallery, and what is shown. Needs cvc5."""

import random
from dataclasses import replace

import pytest

pytest.importorskip("cvc5", reason="cvc5 is not installed; pip install 'transputer[jax]'")

from tools.learning import sections  # noqa: E402
from tools.learning.compiled import COMPILED, optimised  # noqa: E402
from tools.learning.gallery import ROOMS, fails_at, shown, trained_on  # noqa: E402
from transputer.check.bench import BENCHES, benches  # noqa: E402
from transputer.ir.soft import parse, text  # noqa: E402
from transputer.learning.aided import AIDS, aided, mean_interval  # noqa: E402
from transputer.learning.library import Piece, assemble, dirty, learn_piece  # noqa: E402
from transputer.learning.problem import Bound, counterexample, examples, machine  # noqa: E402
from transputer.learning.sorting import (  # noqa: E402
    CONTROL,
    learn_to_sort,
    oblivious,
    sizes_sorted,
)
from transputer.learning.tasks import ORDER, TASKS, Given, sort_of  # noqa: E402

SORT2 = parse("MOV R2, R0\nMIN R0, R0, R1\nMAX R1, R1, R2")
LOOP = parse("LDP R2, R0\nADD R3, R3, R2\nDJNZ R1, 0\nMOV R0, R3")


def test_a_piece_works_on_other_registers() -> None:
    renamed = Piece("sort2", SORT2, 3).on((3, 1, 4))
    assert text(renamed) == "MOV R4, R3\nMIN R3, R3, R1\nMAX R1, R1, R4"


def test_pieces_may_not_count_on_zeros() -> None:
    task = dirty(TASKS["sort2"])
    assert task.solve(8, Given((9, 3, 77))).registers == (3, 9)
    lazy = parse("ADD R2, R0, R2\nMIN R0, R0, R1\nMAX R1, R1, R2")
    assert counterexample(TASKS["sort2"], lazy, 8) is None
    assert counterexample(task, lazy, 8) is not None
    assert counterexample(task, SORT2, 8) is None


def test_a_learned_piece_sorts_three() -> None:
    piece, cost = learn_piece(TASKS["sort2"], ORDER, seed=1)
    assert piece is not None and cost > 0
    found = assemble(TASKS["sort3"], [piece], 3, seed=1)
    assert found.code is not None and len(found.code) == 3 * len(piece.code)
    assert counterexample(TASKS["sort3"], found.code, 8) is None


def test_means_with_their_intervals() -> None:
    mean, low, high = mean_interval([1, 2, 3, 4, 5])
    assert (mean, round(low, 3), round(high, 3)) == (3, 1.037, 4.963)  # by hand, t = 2.776


def test_help_is_stated_and_enough() -> None:
    assert {aid.task for aid in AIDS} == {"sum_array", "sort4"}
    result = aided(AIDS[1], seeds=2)
    assert result["solved"] == 2 and result["mean"] == sum(result["evaluations"]) // 2
    assert "DJNZ R1, 0" in result["program"][2] and result["proof"]["proved"]


@pytest.mark.slow
def test_one_size_gives_code_for_that_size() -> None:
    found = trained_on((2,), 4)
    assert found["program"] and not found["loops"] and found["wrong"] is not None
    assert fails_at(LOOP) is None
    assert fails_at(parse("LDP R2, R0\nLDP R0, R0\nADD R0, R0, R2")) == 1


def test_the_gallery_swaps_without_a_third_register() -> None:
    (room,) = (room for room in ROOMS if room.task.name == "swap")
    for each in shown(room):
        assert not any("MOV" in line or "R2" in line for line in each["program"])
        assert each["facts"][-1] == "proved on every input at 32 bits (cvc5)"


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_programs_are_right(name: str) -> None:
    for width in (8, 32):
        assert counterexample(TASKS[name], parse(COMPILED[name]), width) is None


@pytest.mark.slow
def test_a_compiled_program_gets_shorter() -> None:
    found = optimised("clamp", 5)
    assert found["lengths"][0] == 6 and found["lengths"][-1] == 2 and found["proved"]


def test_the_bench_prints_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax")
    from transputer.learning.shown import Claim

    lines = [Claim("sky", "blue", "grey", False), Claim("grass", "green", "green", True)]
    monkeypatch.setattr(benches, "learning_shown", lambda quick, progress: iter(lines))
    report = BENCHES["learn"].measure(quick=True)
    assert report.as_json()["rows"] == [
        {"claim": "sky", "needed": "blue", "measured": "grey", "met": "NO"},
        {"claim": "grass", "needed": "green", "measured": "green", "met": "yes"},
    ]
    assert any("quick" in note for note in report.notes)


def test_claims_about_programs() -> None:
    pytest.importorskip("jax")
    from transputer.learning.shown import sum_is_right

    assert sum_is_right(LOOP, 1000)
    assert not sum_is_right(LOOP[:3], 1000)


BUBBLE = """ADD R2, R0, R1
ADDI R2, R2, -1
MOV R3, R0
LD R4, R3, 0
LD R5, R3, 1
MIN R6, R4, R5
MAX R5, R4, R5
STP R3, R6
ST R3, 0, R5
CMP R3, R2
JLT 3
DJNZ R1, 2"""


def test_oblivious_programs_and_the_zero_one_principle() -> None:
    bubble = parse(BUBBLE)
    assert sizes_sorted(bubble, 6) == [2, 3, 4, 5, 6]
    assert sizes_sorted(bubble[:-1], 4) == [2]  # one round alone
    assert oblivious(bubble, 4)
    peeking = parse(BUBBLE.replace("CMP R3, R2", "CMP R4, R2"))
    assert not oblivious(peeking, 4)
    pointing = parse(BUBBLE.replace("LD R5, R3, 1", "LD R5, R4, 1"))
    assert not oblivious(pointing, 4)
    counting = parse(BUBBLE.replace("MIN R6, R4, R5", "ADD R6, R4, R5"))
    assert not oblivious(counting, 4)
    assert not oblivious(parse("JMP 0"), 2)


def test_saved_loops_sort_arrays_of_words() -> None:
    rng = random.Random(5)
    for result in sections.saved("sorting"):
        code = parse("\n".join(result["program"]))
        assert result["right"] == list(range(2, 17))
        for count in (2, 7, 16):
            task = sort_of((count,), CONTROL, "")
            config = replace(machine(task, 32, len(code), size=count), registers=16)
            words = tuple(rng.getrandbits(32) for _ in range(count))
            rows = examples(task, config, [Given((0, count), words)])
            bound = Bound(task, config, rows, limit=10_000, elsewhere=False)
            assert bound.first_wrong(code) is None


def test_loops_are_learned_around_an_exchange() -> None:
    found = learn_to_sort(7)
    assert found.code is not None and found.piece > 0 and found.loops > 0
    assert sizes_sorted(found.code, 6) == [2, 3, 4, 5, 6]
