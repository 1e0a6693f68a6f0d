"""How fast the studio is, in a real browser: `python -m tools.studio_measure`.

Needs Playwright and chromium. Times are those that a person sees, from the click to the picture;
CPU seconds are those of the server and its workers meanwhile, which a busy machine does not change.
"""

import contextlib
import importlib
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from transputer.errors import EngineUnavailable

LINES, STEPS = 1000, 10_000_000
#: How often each is done.
RUNS, OPENED = 5, 30
_SLOW = 120_000
_FLAGS = ("--headless", "--no-sandbox", "--disable-gpu")
_TICK = os.sysconf("SC_CLK_TCK")

#: Acts, then waits until a place on the page shows a text; the milliseconds until it was drawn.
_TIMED = """([act, place, wanted]) => new Promise((done) => {
  const began = performance.now();
  let old = act.click && document.querySelector(place);  // what a run before this one left
  const seen = () => {
    const found = document.querySelector(place);
    if (old && found) return false;
    old = null;
    if (found?.textContent !== wanted) return false;
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
    return true;
  };
  const watch = new MutationObserver(() => seen() && watch.disconnect());
  const all = { subtree: true, childList: true, characterData: true };
  watch.observe(document.body, all);
  if (act.click) document.querySelector(act.click).click();
  else {
    const box = document.querySelector("#jump");
    box.value = String(act.jump);
    for (const kind of ["input", "change"]) box.dispatchEvent(new Event(kind, { bubbles: true }));
  }
})"""
#: The longest time between two pictures from now on, in milliseconds, in `window.gap`.
_GAPS = """() => {
  window.gap = 0;
  let last = performance.now();
  const next = (now) => {
    window.gap = Math.max(window.gap, now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}"""


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of each attempt: as seen, and of CPU time behind it."""

    what: str
    seen: tuple[float, ...]
    cpu: tuple[float, ...]

    def __str__(self) -> str:
        return (
            f"{self.what}: {median(self.seen):.2f} s in the middle, {max(self.seen):.2f} s at most;"
            f" CPU {median(self.cpu):.2f} s in the middle, {max(self.cpu):.2f} s at most"
            f" ({len(self.seen)} times)"
        )


def long_program(lines: int, number: int) -> str:
    """A C program of so many lines that prints what its functions come to."""
    head = ["#include <stdio.h>", f"/* the {number}th of its kind */"]
    tail = ["int main(int argc, char **argv) {", "    unsigned all = argc;",
            "    for (int i = 0; i < 50; i++) {"]  # fmt: skip
    end = ["    }", '    printf("%u\\n", all);', "    return 0;", "}"]
    each = 6
    count = (lines - len(head) - len(tail) - len(end)) // (each + 1)
    body = []
    for i in range(count):
        body += [
            f"static unsigned mix_{i}(unsigned x) {{",
            f"    unsigned y = x * {2 * i + 1}u + {i}u;",
            f"    if (y & {1 << i % 20}u)",
            f"        y ^= x >> {i % 13 + 1};",
            "    return y;",
            "}",
        ]
    calls = [f"        all = mix_{i}(all + i);" for i in range(count)]
    program = [*head, *body, *tail, *calls, *end]
    return "\n".join(program + ["/* */"] * (lines - len(program))) + "\n"


def long_run(steps: int) -> str:
    """A C program that makes more than so many steps and writes to memory all the way."""
    return f"""#include "transputer.h"
static unsigned held[4096];
int main(void) {{
    unsigned x = 1;
    for (unsigned i = 0; i < {steps // 16}u; i++) {{
        x = x * 1664525u + 1013904223u;
        held[x >> 20] += i;
    }}
    tp_write('0' + x % 10);
    return 0;
}}
"""


def cpu_below(process: int) -> float:
    """CPU seconds of a process and of all below it, those that have ended included."""
    processes: dict[int, tuple[int, float]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parts = (folder / "stat").read_text().rsplit(")")[1].split()
            processes[int(folder.name)] = int(parts[1]), sum(map(int, parts[11:15])) / _TICK
    family = {process}
    while more := {n for n, (parent, _) in processes.items() if parent in family} - family:
        family |= more
    return sum(seconds for n, (_, seconds) in processes.items() if n in family)


class Page:
    """The studio in a browser, and what it takes."""

    def __init__(self, page: Any, server: int) -> None:
        self.page, self.server = page, server

    def timed(self, act: dict[str, Any], place: str, wanted: str) -> tuple[float, float]:
        """Seconds until a text is on the page, as seen and of CPU."""
        before = cpu_below(self.server)
        seen = self.page.evaluate(_TIMED, [act, place, wanted]) / 1000
        return seen, cpu_below(self.server) - before

    def first_step(self, source: str) -> tuple[float, float]:
        """From the click on Run to the first step on the page."""
        self.write(source)
        return self.timed({"click": "#run"}, ".now .count b", "1")

    def write(self, source: str) -> None:
        """Put a program into the editor, and wait for what ran before."""
        self.page.locator("#run").wait_for()
        self.page.locator(".cm-content").fill(source)

    def open(self, step: int) -> tuple[float, float]:
        """From a jump to the step on the page."""
        return self.timed({"jump": step}, ".now .count b", f"{step:,}")

    def finished(self) -> None:
        """Wait until the run has ended."""
        self.page.locator("#run").wait_for()


def _measured(what: str, pairs: list[tuple[float, float]]) -> Measured:
    return Measured(what, tuple(seen for seen, _ in pairs), tuple(cpu for _, cpu in pairs))


def measure(page: Page, chance: random.Random) -> Iterator[Measured]:
    """Every figure, as it comes."""
    page.first_step(long_program(LINES, 0))  # builds the C library where that is not there yet
    page.finished()
    firsts = []
    for number in range(1, RUNS + 1):
        firsts.append(page.first_step(long_program(LINES, number)))
        page.finished()
    yield _measured(f"first step of a C program of {LINES:,} lines", firsts)
    page.page.evaluate(_GAPS)
    yield _measured(f"first step of {STEPS:,}", [page.first_step(long_run(STEPS))])
    during = []
    while page.page.locator(".primary.stop").count():
        at = int(page.page.locator(".jump span").inner_text().removeprefix("of ").replace(",", ""))
        during.append(page.open(chance.randrange(1, max(2, at))))
        time.sleep(0.2)
    if during:
        yield _measured("a step opened while it runs", during)
    gap = page.page.evaluate("() => window.gap") / 1000
    yield Measured("longest time without a new picture meanwhile", (gap,), (0.0,))
    steps = [chance.randrange(1, STEPS) for _ in range(OPENED)]
    yield _measured("any step opened when it has ended", [page.open(step) for step in steps])


@contextlib.contextmanager
def opened() -> Iterator[Page]:
    """The studio, started as a person does, and a browser on it."""
    try:
        playwright = importlib.import_module("playwright.sync_api")
    except ImportError:
        raise EngineUnavailable("measuring needs Playwright; pip install playwright") from None
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise EngineUnavailable("measuring needs chromium; apt-get install chromium")
    command = [sys.executable, "-m", "transputer", "studio", "--no-browser"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split(": ", 1)[1].strip()
        try:
            with playwright.sync_playwright() as started:
                browser = started.chromium.launch(executable_path=chromium, args=list(_FLAGS))
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                page.set_default_timeout(_SLOW)
                page.goto(address)
                page.locator(".examples").select_option(label="Sudoku")  # takes no arguments
                yield Page(page, process.pid)
                browser.close()
        finally:
            process.terminate()


def main(say: Callable[[str], None] = print) -> None:
    """Print every figure."""
    with opened() as page:
        for result in measure(page, random.Random(1)):
            say(str(result))


if __name__ == "__main__":
    main()
