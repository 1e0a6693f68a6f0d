import re

import pytest
from click.testing import CliRunner

from transputer.check.fuzz.smallc.__main__ import main
from transputer.check.fuzz.smallc.campaign import campaign, shrunk
from transputer.check.fuzz.smallc.grammar import generate
from transputer.check.fuzz.smallc.judge import in_c
from transputer.check.fuzz.smallc.spelling import SmallCNode, SmallCProgram


@pytest.mark.parametrize("machine, programs", [("loom", 45), ("soft", 30)])
def test_random_programs_agree_with_a_c_compiler(machine, programs):
    (tally,) = campaign(programs, 100_000, batch=programs, machine=machine)
    assert tally.programs == programs
    assert [(one.seed, one.seen, one.real) for one in tally.differences] == []


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


def test_the_command_says_what_it_did():
    done = CliRunner().invoke(main, ["--programs", "6", "--seed", "500"])
    assert done.exit_code == 0
    assert "programs     6 of 6, from seed 500" in done.output
    assert "differences  0" in done.output
