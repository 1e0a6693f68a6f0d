"""`transputer check`: two functions compared on all inputs."""

from pathlib import Path

import pytest

ONE = "tools/gpu/programs/popcount_loop.c"
TWO = "tools/gpu/programs/popcount_sums.c"


@pytest.mark.slow
def test_equal_functions_are_equal_on_all_inputs(cli) -> None:
    ran = cli("check", ONE, TWO, "--bits", "12")
    assert (ran.code, ran.out) == (0, "equal on all 4,096 inputs\n")


@pytest.mark.slow
def test_a_planted_difference_is_found(cli, tmp_path: Path) -> None:
    planted = tmp_path / "planted.c"
    text = Path("tools/gpu/programs/popcount_planted.c").read_text()
    planted.write_text(text.replace("0xDEADBEEFu", "3210u"))
    ran = cli("check", ONE, planted, "--bits", "12")
    assert (ran.code, ran.out) == (1, "different at 3210: 5 and 6\n")


def test_what_cannot_be_compared_is_refused(cli, tmp_path: Path) -> None:
    source = tmp_path / "two.c"
    source.write_text("int f(int x, int y) { return x + y; }")
    ran = cli("check", ONE, source)
    assert ran.code == 2
    assert "f must take one 32-bit integer" in ran.err
