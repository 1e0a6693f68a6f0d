"""Twenty pages at once, most of them hostile: nothing falls over, nothing is mixed up.

`HOSTILE_SECONDS=60` makes it last longer.
"""

import contextlib
import os
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from transputer.studio.limits import MIB, StudioLimits

from .conftest import Client, served

PAGES = 20
SECONDS = float(os.environ.get("HOSTILE_SECONDS", "5"))
LIMITS = StudioLimits(
    steps=300_000, seconds=60.0, compile_seconds=20.0, memory=256 * MIB, output=50_000,
    runs=2, finished=6, sessions=24,
)  # fmt: skip
#: What a worker has before its run, generously.
BASE = 300 * MIB

LOUD = '#include "transputer.h"\nint main(void) { for (;;) tp_write(65); }'
HUNGRY = """static int held[1 << 24];
int main(void) { for (unsigned i = 0;; i += 1) held[(i * 2654435761u) >> 8] = i + 1; }"""
DEEP = "int f(int n) { return n + f(n + 1); }\nint main(void) { return f(0); }"


@pytest.fixture(scope="module")
def server() -> Iterator[Client]:
    yield from served(LIMITS)


class Page:
    """Someone who does what comes to mind, and notes what must not happen."""

    def __init__(self, server: Client, seed: int, seen: Counter[str], wrong: list[str]) -> None:
        self.client = Client(server.port, server.token)
        self.seed, self.chance = seed, random.Random(seed)
        self.seen, self.wrong = seen, wrong

    def live(self, end: float) -> None:
        """Until the time is over."""
        moods: list[Callable[[], None]] = [
            self.honest, self.honest, self.endless, self.loud, self.hungry, self.deep,
            self.garbage, self.huge, self.dropped, self.streams, self.broken, self.curious,
            self.looped, self.wordy,
        ]  # fmt: skip
        while time.monotonic() < end:
            mood = self.chance.choice(moods)
            try:
                mood()
                self.seen[mood.__name__] += 1
            except (OSError, TimeoutError) as problem:
                self.seen[f"{mood.__name__}: {type(problem).__name__}"] += 1
            except Exception as problem:
                self.wrong.append(f"page {self.seed}, {mood.__name__}: {problem!r}")

    def started(self, source: str, language: str, **more: object) -> None:
        self.client.ask("run", source=source, language=language, **more)

    def honest(self) -> None:
        """A sum that only this page knows."""
        a, b = self.chance.randrange(1 << 20), self.chance.randrange(1 << 20)
        self.client.ask("run", source=f"PUSH {a}\nPUSH {b}\nADD\nHALT\n", language="asm")
        done = self.client.wait(lambda s: s["phase"] in ("done", "failed"), 300)
        if done["phase"] != "done" or done["text"] != [str(a + b)]:
            self.wrong.append(f"page {self.seed}: {a} + {b} is {done}")
            return
        status, step = self.client.post("step", step=2)
        if status == 200 and step["instruction"] != f"i32.const {b}":
            self.wrong.append(f"page {self.seed}: not my step: {step['instruction']}")
        if status not in (200, 410):
            self.wrong.append(f"page {self.seed}: {status} {step}")

    def endless(self) -> None:
        """A loop without end, sometimes cancelled."""
        self.started("again: PUSH 0\nJZ again\n", "asm")
        time.sleep(self.chance.random())
        if self.chance.random() < 0.5:
            self.client.post("cancel")

    def loud(self) -> None:
        """Output without end."""
        self.started(LOUD, "c")

    def hungry(self) -> None:
        """Memory without end."""
        self.started(HUNGRY, "c")

    def deep(self) -> None:
        """Calls without end."""
        self.started(DEEP, "c")

    def looped(self) -> None:
        """A loop without end on another machine, or one whose memory is edited out of its range."""
        source = ".word x 1\nagain:\n JMP again\n"
        edits = self.chance.choice([{}, {"1": 5}, {"4000000": 5}, {"1": 1 << 31}])
        self.started(source, "loomasm", machine="loom", edits=edits)

    def wordy(self) -> None:
        """A question that is none, or one about far too much."""
        self.started(self.chance.choice(["why?", "sum of 1 to 999999999", "x" * 5000]), "words")

    def broken(self) -> None:
        """What does not compile, or reads what it must not."""
        self.started('#include "/etc/passwd"\nint main(void) {', "c")

    def garbage(self) -> None:
        """Bytes that mean nothing."""
        door = self.chance.choice(["run", "look", "search", "compile", "cancel", "learn", "x"])
        body = self.chance.randbytes(self.chance.randrange(2000))
        status, _ = self.client.send("POST", f"/{self.client.token}/api/{door}", body)
        if status not in (400, 404, 405):
            self.wrong.append(f"page {self.seed}: garbage gives {status}")

    def huge(self) -> None:
        """More than anybody reads."""
        status, _ = self.client.send("POST", f"/{self.client.token}/api/run", b"x" * 900_000)
        if status != 413:
            self.wrong.append(f"page {self.seed}: a huge body gives {status}")

    def dropped(self) -> None:
        """Half a request, then nothing."""
        with socket.create_connection(("127.0.0.1", self.client.port), timeout=20) as line:
            line.sendall(
                f"POST /{self.client.token}/api/run HTTP/1.1\r\n"
                f"Host: 127.0.0.1:{self.client.port}\r\nContent-Length: 500\r\n\r\n{{".encode()
            )

    def streams(self) -> None:
        """Events that nobody reads to the end."""
        with socket.create_connection(("127.0.0.1", self.client.port), timeout=20) as line:
            line.sendall(
                f"GET /{self.client.token}/api/events?session={self.client.session} HTTP/1.1\r\n"
                f"Host: 127.0.0.1:{self.client.port}\r\n\r\n".encode()
            )
            line.recv(200)

    def curious(self) -> None:
        """Questions about any step, whatever runs."""
        self.client.post("look", step=self.chance.randrange(3_000_000))
        self.client.post("search", step=1, how="continue", breaks=[{"line": 2}])


def descendants() -> dict[int, int]:
    """Memory of every process below this one: what it alone has, by number."""
    parents, found = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")")[1].split()[1])
    for number in parents:
        above = number
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid() and number != above:
            with contextlib.suppress(OSError, StopIteration, IndexError):
                lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
                found[number] = 1024 * int(next(x for x in lines if "Pss:" in x).split()[1])
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux")
def test_a_hostile_crowd(server: Client) -> None:
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    most, workers = [0], [0]
    end = time.monotonic() + SECONDS
    pages = [Page(server, seed, seen, wrong) for seed in range(PAGES)]
    threads = [threading.Thread(target=page.live, args=(end,)) for page in pages]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        held = descendants()
        most[0], workers[0] = max(most[0], sum(held.values())), max(workers[0], len(held))
        time.sleep(0.25)
    print(f"\n{dict(seen)}\nat most {most[0] / MIB:.0f} MiB in {workers[0]} processes")
    assert not wrong, "\n".join(wrong[:10])
    assert seen["honest"] and not any("Error" in name for name in seen), seen
    # dying runs and compilers come on top of those that go on and those that are kept
    assert most[0] < (LIMITS.finished + 3 * LIMITS.runs) * (LIMITS.memory + BASE)
    fresh = Client(server.port, server.token)
    assert fresh.run("PUSH 40\nPUSH 2\nADD\nHALT\n")["text"] == ["42"]
