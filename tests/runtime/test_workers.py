"""Work in processes: done in any order, done again when a process is lost."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from transputer.runtime.workers import PATIENCE, TRIES, spread


def double(x: int) -> int:
    if x == 13:
        raise ValueError("unlucky")
    return 2 * x


def die_once(task: tuple[str, int]) -> int:
    """Killed the first time that 3 comes, and every time that 5 does."""
    folder, x = task
    mark = Path(folder, f"seen-{x}-{len(list(Path(folder).glob(f'seen-{x}-*')))}")
    mark.touch()
    if x == 5 or (x == 3 and mark.name == "seen-3-0"):
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def linger(x: int) -> int:
    time.sleep(60)
    return x


class Slow:
    """Takes its time when it goes."""

    def __del__(self) -> None:
        time.sleep(60)


def linger_at_the_end(x: int) -> int:
    if x:
        Slow()
    return x


def test_everything_is_done() -> None:
    found = {d.index: (d.value, d.problem) for d in spread(double, range(10, 20), 2)}
    assert found.pop(3) == (None, "ValueError: unlucky")
    assert found == {i: (2 * (10 + i), "") for i in range(10) if i != 3}


def test_a_lost_process_is_replaced(tmp_path: Path) -> None:
    tasks = [(str(tmp_path), x) for x in range(8)]
    done = {d.index: d for d in spread(die_once, tasks, 2)}
    assert sorted(done) == list(range(8))
    assert [done[x].value for x in range(8)] == [0, 1, 2, 3, 4, None, 6, 7]
    assert done[5].problem == f"its process crashed {TRIES} times (signal 9)"
    # once in the pool, unless that broke before, and then alone
    assert len(list(tmp_path.glob("seen-5-*"))) in (TRIES, TRIES + 1)
    assert len(list(tmp_path.glob("seen-3-*"))) == 2


def test_items_are_taken_as_they_are_needed() -> None:
    taken = []

    def items() -> Iterator[int]:
        for x in range(100):
            taken.append(x)
            yield x

    work = spread(double, items(), 1)
    next(work)
    work.close()
    assert len(taken) <= 2


def test_closing_ends_the_processes() -> None:
    work = spread(linger, _then_fail(), 2)
    with pytest.raises(KeyboardInterrupt):
        next(work)


def _then_fail() -> Iterator[int]:
    """One item, and then Ctrl-C: what the first process does is given up."""
    yield 1
    raise KeyboardInterrupt


def test_a_process_in_a_finaliser_ends_without_a_word(capfd: pytest.CaptureFixture[str]) -> None:
    work = spread(linger_at_the_end, [0, 1], 1)
    assert next(work).value == 0
    time.sleep(1)  # the second one is in its finaliser
    began = time.monotonic()
    work.close()
    assert time.monotonic() - began < PATIENCE
    assert capfd.readouterr().err == ""
