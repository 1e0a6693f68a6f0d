"""Recorded answers to public yardsticks, checked again."""

import pytest

from tools.learning import kernels, pbe
from tools.learning.sections import saved
from transputer.ir.soft import parse
from transputer.learning.custom import from_function
from transputer.learning.problem import counterexample
from transputer.learning.sygus import Evaluation, from_sygus
from transputer.learning.sygus_text import read_problem, written


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    path = tmp_path_factory.mktemp("pbe") / "empty.sl"
    path.write_text(pbe.source([(0, 0)]), encoding="utf-8")
    return Evaluation(read_problem(path))


@pytest.mark.parametrize("record", saved("pbe"), ids=lambda record: str(record["seed"]))
def test_answers_agree_with_the_examples_of_their_task(
    record: dict, evaluation: Evaluation
) -> None:  # type: ignore[type-arg]
    body, shown, held_out = pbe.task(record["seed"], evaluation)
    assert written(body) == record["term"]
    for method, answer in record["methods"].items():
        if not answer["solved"]:
            continue
        if method == "cvc5 alone":
            term = pbe.read_sexps(answer["answer"], "")[0]
            assert all(pbe.evaluated(term, evaluation)(x) == y for x, y in shown)
            continue
        code = parse(answer["answer"].replace("; ", "\n"))
        assert pbe.right_on(code, shown) == len(shown)
        assert pbe.right_on(code, held_out) == answer["held_out"]


def test_constants_of_functions_in_the_grammar_are_hints(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "task.sl"
    path.write_text(pbe.source([(1, 2), (2, 4)]), encoding="utf-8")
    assert read_problem(path).constants == [0, 1, 4, 16]
    task = from_sygus(path)
    assert task.target == 64 and {1, 4, 16} <= set(task.numbers) and not task.certain


KERNELS = [
    (name, int(count), one)
    for way in saved("kernels").values()
    for name, by in way.items()
    for count, one in by.items()
    if one["program"]
]


@pytest.mark.parametrize(("name", "count", "one"), KERNELS)
def test_kernels_sort_with_the_instructions_that_they_claim(
    name: str, count: int, one: dict
) -> None:  # type: ignore[type-arg]
    code = parse("\n".join(one["program"]))
    ops = kernels.INSTRUCTIONS[name]
    assert {i.op for i in code} <= set(ops) and len(code) == one["length"]
    assert counterexample(from_function(kernels.KERNELS[count], ops=ops), code, 32) is None
