import re

import pytest

from tests.sampling import sampled
from transputer.check.fuzz.smallc.campaign import WIDTHS, shrunk, try_smallc
from transputer.check.fuzz.smallc.grammar import generate
from transputer.check.fuzz.smallc.judge import in_c
from transputer.check.fuzz.smallc.spelling import SmallCNode, SmallCProgram


@pytest.mark.parametrize("seed", sampled([100_000, 100_015, 100_030], 3))
@pytest.mark.parametrize("machine, programs", [("loom", 15), ("soft", 30)])
def test_random_programs_agree_with_a_c_compiler(machine, programs, seed):
    tally = try_smallc(range(seed, seed + programs), machines=[machine])
    assert tally.cases["smallc"] == programs
    assert [(failure.name, failure.problem) for failure in tally.failures] == []


def test_every_width_is_tried():
    assert WIDTHS == (8, 16, 32)


@pytest.mark.slow
def test_a_difference_is_shrunk_and_told(monkeypatch):
    behaviour = "transputer.check.fuzz.smallc.campaign.observed"
    monkeypatch.setattr(behaviour, lambda program, machine: "result 1")
    (failure,) = try_smallc([500], machines=["soft"]).failures
    assert failure.problem.startswith("soft: result 1; C: result ")
    assert (failure.name, failure.reproduce) == (
        "smallc-soft-500.txt",
        "--kind smallc --count 1 --seed 500",
    )
    assert failure.content.startswith(b"// seed 500, 32 bits\n// soft: result 1; C: ")


def test_the_same_seed_is_the_same_program():
    assert generate(7, 16) == generate(7, 16)
    assert generate(7, 16) != generate(8, 16)


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_the_c_side_wraps_to_the_width(bits):
    loop = f"for (int k = 0; k < {bits - 1}; k++) @g0 = (I)((L)@g0 * 2);"
    node = SmallCNode("", f"I @g0 = 1; I @main(void) {{ {loop} return @g0; }}")
    (seen,) = in_c([SmallCProgram(bits, (node,), (("g0", 0, 0),))])
    assert seen.result == -(1 << (bits - 1))
    assert seen.watched == (seen.result,)


def test_a_failing_program_is_made_smaller():
    program = generate(12, 8)
    text = program.small()
    names = re.findall(r"\bv\d+\b", text)
    small = shrunk(program, lambda candidate: names[-1] in candidate.small()).small()
    assert names[-1] in small
    assert len(small) < len(text)
