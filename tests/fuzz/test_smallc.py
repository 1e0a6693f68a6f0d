import re
from dataclasses import replace

import pytest
from click.testing import CliRunner

from transputer.fuzz.smallc.__main__ import main
from transputer.fuzz.smallc.campaign import campaign, shrunk
from transputer.fuzz.smallc.grammar import Program, generate
from transputer.fuzz.smallc.judge import in_c


def test_random_programs_agree_with_a_c_compiler():
    (tally,) = campaign(45, 100_000, batch=45)
    assert tally.programs == 45
    assert [(one.seed, one.loom, one.real) for one in tally.differences] == []


def test_the_same_seed_is_the_same_program():
    assert generate(7, 16) == generate(7, 16)
    assert generate(7, 16) != generate(8, 16)


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_the_c_side_wraps_to_the_width(bits):
    small = "int g0 = 1;\n"
    program = Program(bits, generate(1, bits).nodes[:0], (("g0", 0, 0),))
    node = replace(
        generate(1, bits).nodes[0], small=small, real="I @g0 = 1; I @main(void) { "
        f"for (int k = 0; k < {bits - 1}; k++) @g0 = (I)((L)@g0 * 2); return @g0; }}",
    )
    (seen,) = in_c([replace(program, nodes=(node,))])
    assert seen.result == -(1 << (bits - 1))
    assert seen.watched == (seen.result,)


def test_a_failing_program_is_made_smaller():
    program = generate(12, 8)
    text = program.small()
    word = re.findall(r"putchar", text) and "putchar" or "return"
    small = shrunk(program, lambda candidate: word in candidate.small())
    assert word in small.small()
    assert len(small.small()) < len(text)


def test_the_command_says_what_it_did():
    done = CliRunner().invoke(main, ["--programs", "6", "--seed", "500"])
    assert done.exit_code == 0
    assert "programs     6 of 6, from seed 500" in done.output
    assert "differences  0" in done.output
